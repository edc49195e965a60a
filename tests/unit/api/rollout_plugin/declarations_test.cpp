#include "api/rollout_plugin/declarations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::api::rollout_plugin {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string digest(64, 'a');

std::string sentence_of(const std::string& text) {
    const PluginDeclarations read = read_declarations(text);
    EXPECT_EQ(read.errors.size(), 1u) << text;
    return read.errors.empty() ? "" : read.errors[0].field + ": " + read.errors[0].what;
}

PluginAddress declared(const std::string& fields) {
    const PluginDeclarations read = read_declarations("- name: one\n" + fields);
    EXPECT_THAT(read.errors, IsEmpty()) << fields << read.errors.at(0).what;
    return read.plugins.at("one").value();
}

TEST(Declarations, NothingDeclaresNothing) {
    for (const std::string text : {"", "\n", "# words\n", "null", "[]", "---\n"})
        EXPECT_EQ(read_declarations(text), PluginDeclarations{}) << text;
}

TEST(Declarations, EveryKindOfLocationIsRead) {
    EXPECT_EQ(read_declarations("[{name: argoproj/statefulset, location: "
                                "\"builtin://statefulset\"}]")
                  .plugins.at("argoproj/statefulset"),
              std::nullopt);
    EXPECT_EQ(
        declared("  location: file:///plugins/queue\n"
                 "  sha256: " +
                 std::string(64, 'A') +
                 "\n"
                 "  args: [--slow, \"two words\", 3]\n"),
        PluginAddress(PluginProgram{"/plugins/queue", digest, {"--slow", "two words", "3"}, ""}));
    EXPECT_EQ(declared("  location: unix:///run/p.sock\n"),
              PluginAddress(PluginEndpoint{"unix:///run/p.sock", {}}));
    EXPECT_EQ(declared("  location: grpc://127.0.0.1:7000\n"),
              PluginAddress(PluginEndpoint{"127.0.0.1:7000", {}}));
    EXPECT_EQ(declared("  location: grpc://[::1]:7000\n"),
              PluginAddress(PluginEndpoint{"[::1]:7000", {}}));
    EXPECT_EQ(declared("  location: grpcs://plugin.example.com:443\n"),
              PluginAddress(PluginEndpoint{"plugin.example.com:443", PluginTls{}}));
    EXPECT_EQ(declared("  location: grpcs://10.0.0.1:7000\n  caFile: /tls/ca.crt\n"
                       "  certFile: /tls/tls.crt\n  keyFile: /tls/tls.key\n"),
              PluginAddress(PluginEndpoint{
                  "10.0.0.1:7000", PluginTls{"/tls/ca.crt", "/tls/tls.crt", "/tls/tls.key"}}));
}

TEST(Declarations, AWrongEntryHidesNoOther) {
    const PluginDeclarations read = read_declarations(
        "- {name: good, location: 'unix:///run/p.sock'}\n"
        "- {name: bad, location: 'https://example.com/plugin'}\n"
        "- {name: also-good, location: 'builtin://statefulset'}\n");
    EXPECT_EQ(read.plugins.size(), 2u);
    ASSERT_EQ(read.errors.size(), 1u);
    EXPECT_EQ(read.errors[0].field, "data.rolloutPlugins[1].location");
    EXPECT_THAT(read.errors[0].what, HasSubstr("plugins are not downloaded"));
}

TEST(Declarations, ANameThatIsDeclaredTwiceMeansNeither) {
    const PluginDeclarations read = read_declarations(
        "- {name: one, location: 'unix:///run/a.sock'}\n"
        "- {name: one, location: 'unix:///run/b.sock'}\n"
        "- {name: one, location: 'unix:///run/c.sock'}\n");
    EXPECT_THAT(read.plugins, IsEmpty());
    ASSERT_EQ(read.errors.size(), 2u);
    EXPECT_EQ(read.errors[0],
              (FieldError{"data.rolloutPlugins[1].name", "\"one\" is declared twice"}));
}

TEST(Declarations, AMisspeltFieldIsNotPassedOver) {
    EXPECT_EQ(sentence_of("- {name: one, location: 'file:///p', sha265: " + digest + "}"),
              "data.rolloutPlugins[0].sha265: is not known; there are name, location, sha256, "
              "args, caFile, certFile and keyFile");
}

TEST(Declarations, FieldsThatAPlaceHasNoUseForAreRefused) {
    for (const auto& [fields, sentence] : std::vector<std::pair<std::string, std::string>>{
             {"location: 'unix:///s', sha256: " + digest, "sha256: is for file:// locations only"},
             {"location: 'builtin://statefulset', args: [a]",
              "args: is for file:// locations only"},
             {"location: 'unix:///s', caFile: /ca", "caFile: and the like are for grpcs://"},
             {"location: 'grpc://localhost:1', keyFile: /k, certFile: /c",
              "caFile: and the like are for grpcs://"},
             {"location: 'grpcs://a:1', keyFile: /k", "certFile: and keyFile must come together"},
             {"location: 'grpcs://a:1', caFile: ca.pem", "caFile: must be an absolute path"},
             {"location: 'file:///p', sha256: abc", "sha256: must be 64 hex digits"},
             {"location: 'file:///p', args: --all", "args: must be a list of texts"},
             {"location: 'file:///p', args: [\"a\\0b\"]", "args: must not hold a NUL"},
             {"location: ''", "location: must not be empty"},
             {"location: [a]", "location: must be a text"},
             {"args: [a]", "location: must be given"}}) {
        EXPECT_THAT(sentence_of("- {name: one, " + fields + "}"),
                    HasSubstr("data.rolloutPlugins[0]." + sentence));
    }
}

TEST(Declarations, LocationsThatCouldMeanSomethingElseAreRefused) {
    for (const std::string location : {"statefulset",
                                       "builtin://deployment",
                                       "file://./plugin",
                                       "file://plugin",
                                       "file:///a/../b",
                                       "file:///a/./b",
                                       "file:///a//b",
                                       "file:///a/",
                                       "file:///",
                                       "file://",
                                       "file:///a%2fb",
                                       "file:///a?b",
                                       "file:///a b",
                                       "file:///\\x07",
                                       "unix://run/p.sock",
                                       "unix:///",
                                       "grpc://localhost",
                                       "grpc://10.0.0.1:7000",
                                       "grpc://plugin:7000",
                                       "grpc://127.0.0.1.evil.com:1",
                                       "grpc://127.1:1",
                                       "grpc://localhost:0",
                                       "grpc://localhost:65536",
                                       "grpc://localhost:1/path",
                                       "grpc://localhost:1?a",
                                       "grpc://user@localhost:1",
                                       "grpcs://[::1:1",
                                       "grpcs://:1",
                                       "grpcs://host:1#a",
                                       "http://example.com/p",
                                       "https://example.com/p",
                                       "FILE:///p",
                                       "dns:///host:1"}) {
        const PluginDeclarations read =
            read_declarations("- {name: one, location: \"" + location + "\"}");
        EXPECT_THAT(read.plugins, IsEmpty()) << location;
        ASSERT_EQ(read.errors.size(), 1u) << location;
        EXPECT_EQ(read.errors[0].field, "data.rolloutPlugins[0].location") << location;
    }
    EXPECT_THAT(sentence_of("- {name: one, location: 'unix:///" + std::string(107, 'a') + "'}"),
                HasSubstr("longer than 107 bytes"));
}

TEST(Declarations, NamesAreShortAndPlain) {
    for (const std::string name : {"a b", "a/b/c", "/a", "a/", "\"a\\nb\"", "\xc3\xa4"})
        EXPECT_THAT(sentence_of("- {name: " + name + ", location: 'unix:///s'}"),
                    HasSubstr("[0].name: may hold letters"));
    EXPECT_THAT(sentence_of("- {location: 'unix:///s'}"), HasSubstr("[0].name: must be given"));
    EXPECT_THAT(sentence_of("- {name: " + std::string(129, 'a') + ", location: 'unix:///s'}"),
                HasSubstr("[0].name"));
}

TEST(Declarations, DangerousYamlIsRefused) {
    const auto many = [](const std::string& one, int times) {
        std::string all;
        for (int i = 0; i < times; ++i)
            all += one;
        return all;
    };
    for (const auto& [text, sentence] : std::vector<std::pair<std::string, std::string>>{
             {"name: one", "data.rolloutPlugins: must be a list"},
             {"words", "data.rolloutPlugins: must be a list"},
             {"- words", "data.rolloutPlugins[0]: must be a mapping"},
             {"- [a]", "data.rolloutPlugins[0]: must be a mapping"},
             {"- &a {name: one}\n- *a", "anchors are not allowed"},
             {"- !!binary aGk=", "tags are not allowed"},
             {"- {name: {a: b}}", "data.rolloutPlugins[0].name: must be a text or a list"},
             {"- {args: [[a]]}", "data.rolloutPlugins[0].args: must be a list of texts"},
             {"- {args: [~]}", "data.rolloutPlugins[0].args: must be a list of texts"},
             {"- {name: a, name: b}", "data.rolloutPlugins[0].name: the key is given twice"},
             {"- {name: ~}", "data.rolloutPlugins[0].name: must not be empty"},
             {"- {[a]: b}", "a key must be a text"},
             {"- {~: b}", "a key must be a text"},
             {"[]\n---\n[]", "more than one YAML document"},
             {"- {name: \"a", "is not YAML: see line 1"},
             {many("- {a: b}\n", 65), "has more than 64 entries"},
             {"- {args: [" + many("a, ", 65) + "]}", "has more than 64 texts"},
             {many(" ", 65 << 10), "is larger than 64 KiB"},
             {many("[", 20000), "is nested deeper than 8 levels"}}) {
        EXPECT_THAT(sentence_of(text), HasSubstr(sentence)) << text.substr(0, 80);
    }
}

using Asked = std::expected<PluginAddress, FieldError>;
Asked asked(const std::string& url, const std::string& sha256 = digest, bool verify = true,
            const std::string& folder = "/plugins") {
    return address_of(url, sha256, verify, folder);
}
std::string refusal(const Asked& address) {
    EXPECT_FALSE(address);
    return address ? "" : address.error().field + ": " + address.error().what;
}

TEST(AddressOf, AFileBelowTheFolderIsAProgram) {
    EXPECT_EQ(asked("file:///plugins/a/b"),
              PluginAddress(PluginProgram{"/plugins/a/b", digest, {}, "/plugins"}));
    EXPECT_EQ(asked("file:///plugins/a", "", false),
              PluginAddress(PluginProgram{"/plugins/a", "", {}, "/plugins"}));
    EXPECT_EQ(asked("file:///plugins/a", digest, false),
              PluginAddress(PluginProgram{"/plugins/a", digest, {}, "/plugins"}))
        << "a digest that was given is checked";
}

TEST(AddressOf, NothingElseIsStarted) {
    for (const std::string url :
         {"file:///plugins", "file:///pluginsx/a", "file:///etc/passwd",
          "file:///plugins/../bin/sh", "file:///plugins//a", "file://plugins/a", "/plugins/a", "",
          "unix:///plugins/a", "grpcs://host:1", "builtin://statefulset",
          "https://host/plugins/a"}) {
        EXPECT_THAT(refusal(asked(url)), ::testing::StartsWith("spec.plugin.url: ")) << url;
    }
    EXPECT_THAT(refusal(asked("file:///plugins/a", digest, true, "")),
                HasSubstr("starts no programs that a rollout names"));
    EXPECT_THAT(refusal(asked("file:///plugins/a", digest, true, "/plugins/../etc")),
                HasSubstr("must be below"));
}

TEST(AddressOf, VerifyNeedsADigest) {
    EXPECT_EQ(refusal(asked("file:///plugins/a", "")),
              "spec.plugin.sha256: must be given when verify is true");
    EXPECT_EQ(refusal(asked("file:///plugins/a", digest + "a")),
              "spec.plugin.sha256: must be 64 hex digits");
    EXPECT_EQ(refusal(asked("file:///plugins/a", "xyz", false)),
              "spec.plugin.sha256: must be 64 hex digits");
}

}  // namespace
}  // namespace sluice::api::rollout_plugin
