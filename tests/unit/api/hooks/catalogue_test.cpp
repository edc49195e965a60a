#include <gtest/gtest.h>

#include "api/hooks/hook.hpp"

namespace sluice::api::hooks {
namespace {

Result<ExternalHook> read(const std::string& text, const std::string& name = "backup") {
    return read_catalogue({{name, text}}).external.at(name);
}

std::string error_of(const std::string& text, const std::string& name = "backup") {
    const Result<ExternalHook> hook = read(text, name);
    return hook ? "no error" : hook.error().message;
}

TEST(Catalogue, ReadsAnEntry) {
    const Result<ExternalHook> hook = read(
        "# asks the backup service\n"
        "url: https://backup.ops.svc:8443/ask?team=db\n"
        "timeout: 1m30s\n"
        "caSecret: backup-ca\n"
        "headersSecret: \"backup.token\"\n");
    ASSERT_TRUE(hook) << hook.error().message;
    EXPECT_EQ(*hook, (ExternalHook{"https://backup.ops.svc:8443/ask?team=db", 90s, "backup-ca",
                                   "backup.token"}));
}

TEST(Catalogue, OnlyTheUrlIsRequired) {
    EXPECT_EQ(read("url: http://backup\n").value(), (ExternalHook{"http://backup", 10s, "", ""}));
    EXPECT_EQ(read(R"({"url": "http://backup", "timeout": "5m"})").value().timeout, 5min);
    EXPECT_EQ(read("url: !!str http://backup\ntimeout: 1s").value().timeout, 1s);
}

TEST(Catalogue, OneBrokenEntryDoesNotHideTheOthers) {
    const HookCatalogue catalogue =
        read_catalogue({{"a", "url: http://a"}, {"b", "["}, {"c", "url: http://c"}});
    EXPECT_TRUE(catalogue.external.at("a"));
    EXPECT_FALSE(catalogue.external.at("b"));
    EXPECT_TRUE(catalogue.external.at("c"));
}

TEST(Catalogue, AnErrorNamesTheFieldAndWhatIsWrong) {
    struct Row {
        std::string text, message;
    };
    const std::string ok = "url: http://b\n";
    for (const Row& row : {
             Row{"timeout: 3s", ".url: is missing"},
             Row{ok + "timeout: ten", R"(.timeout: "ten" is not a duration such as 10s)"},
             Row{ok + "timeout: 10", R"(.timeout: "10" is not a duration such as 10s)"},
             Row{ok + "timeout: ''", R"(.timeout: "" is not a duration such as 10s)"},
             Row{ok + "timeout: 999ms", R"(.timeout: "999ms" is not between 1s and 5m)"},
             Row{ok + "timeout: 5m1s", R"(.timeout: "5m1s" is not between 1s and 5m)"},
             Row{ok + "timeout:", ".timeout: must not be empty"},
             Row{ok + "timeout: ~", ".timeout: must not be empty"},
             Row{ok + "timeout: [5s]", ".timeout: must be a text, not a list or a mapping"},
             Row{ok + "retries: 3",
                 ".retries: is not a field; url, timeout, when, caSecret and headersSecret are"},
             Row{ok + "when: later", R"(.when: "later" is neither ready nor running)"},
             Row{ok + "URL: x",
                 ".URL: is not a field; url, timeout, when, caSecret and headersSecret are"},
             Row{ok + ok, ".url: the key is given twice: see line 2, column 1"},
             Row{ok + "headersSecret: Token",
                 R"(.headersSecret: "Token" is not the name of a Secret)"},
             Row{ok + "headersSecret: other/token",
                 R"(.headersSecret: "other/token" is not the name of a Secret)"},
             Row{"url: https://b\ncaSecret: a_b",
                 R"(.caSecret: "a_b" is not the name of a Secret)"},
             Row{ok + "caSecret: ca",
                 ".caSecret: is of no use with a url that begins with http://"},
             Row{"", ": must be a mapping with the field url"},
             Row{"# nothing", ": must be a mapping with the field url"},
             Row{"http://b", ": must be a mapping with the field url"},
             Row{"- url: http://b", ": must be a mapping with the field url"},
             Row{"url: 'http://b", ": is not YAML: see line 1, column 15"},
             Row{"url: http://b\n\tx: y", ": is not YAML: see line 2, column 1"},
             Row{"? [a]\n: b", ": a key must be a text: see line 1, column 3"},
             Row{"~: b", ": a key must be a text: see line 1, column 1"},
             Row{ok + "---\n" + ok, ": holds more than one YAML document"},
         }) {
        EXPECT_EQ(error_of(row.text), "sluice-hooks: data.backup" + row.message) << row.text;
    }
}

TEST(Catalogue, YamlThatCouldExplodeIsRefused) {
    const std::string data = "sluice-hooks: data.backup";
    const std::string where = data + ": ";
    EXPECT_EQ(error_of("url: &u http://b\ncaSecret: *u"),
              data + ".url: anchors are not allowed: see line 1, column 6");
    EXPECT_EQ(error_of("&a url: http://b"),
              where + "anchors are not allowed: see line 1, column 1");
    EXPECT_EQ(error_of("&a\nurl: http://b"),
              where + "anchors are not allowed: see line 1, column 1");
    EXPECT_EQ(error_of("url: !!binary aHR0cDovL2I="),
              data + ".url: tags are not allowed: see line 1, column 6");
    EXPECT_EQ(error_of("!x {url: http://b}"), where + "tags are not allowed: see line 1, column 1");
    EXPECT_EQ(
        error_of("[[[[[[[[[]]]]]]]]]"),
        data + "[0][0][0][0][0][0][0][0]: is nested deeper than 8 levels: see line 1, column 9");
    EXPECT_NE(error_of(std::string(60'000, '[')), "no error");
    EXPECT_EQ(error_of("url: http://b #" + std::string(64 << 10, 'x')),
              where + "is larger than 64 KiB");
    std::string wide;
    for (int i = 0; i < 65; ++i)
        wide += "f" + std::to_string(i) + ": x\n";
    EXPECT_EQ(error_of(wide), where + "has more than 64 fields");
}

TEST(Catalogue, ANameMustFitALabel) {
    const std::string rule =
        ": the name cannot be the value of a label: letters, digits, \"-\", \"_\" and \".\", at "
        "most 63, a letter or digit first and last";
    for (const std::string& name :
         {std::string(""), std::string("-a"), std::string("a."), std::string("_"),
          std::string("a b"), std::string("a/b"), std::string(64, 'a')}) {
        EXPECT_EQ(error_of("url: http://b", name),
                  "sluice-hooks: data." + name.substr(0, 63) + rule);
    }
    for (const std::string& name :
         {std::string("a"), std::string("A.b_c-9"), std::string(63, 'a')}) {
        EXPECT_TRUE(read("url: http://b", name)) << name;
    }
}

TEST(Catalogue, OnlyTheFirst256EntriesAreRead) {
    std::map<std::string, std::string> data;
    for (int i = 1000; i < 1257; ++i)
        data["h" + std::to_string(i)] = "url: http://b";
    const HookCatalogue catalogue = read_catalogue(data);
    EXPECT_TRUE(catalogue.external.at("h1255"));
    EXPECT_EQ(catalogue.external.at("h1256").error().message,
              "sluice-hooks: data.h1256: only the first 256 entries are read");
}

}  // namespace
}  // namespace sluice::api::hooks
