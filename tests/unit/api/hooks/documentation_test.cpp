// docs/hooks.md is what users copy from: its example must work, and the messages that it explains
// must be the ones that are given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <fstream>
#include <sstream>

#include "tests/unit/api/hooks/hook_talk.hpp"

namespace sluice::api::hooks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string page() {
    std::ostringstream text;
    text << std::ifstream("docs/hooks.md").rdbuf();
    return text.str();
}

// Every manifest in a block of YAML that has a kind.
std::vector<YAML::Node> manifests(const std::string& text) {
    const std::string fence = "```yaml\n";
    std::vector<YAML::Node> found;
    for (auto at = text.find(fence); at != std::string::npos; at = text.find(fence, at)) {
        at += fence.size();
        for (const YAML::Node& manifest : YAML::LoadAll(text.substr(at, text.find("```", at) - at)))
            if (manifest["kind"]) found.push_back(manifest);
    }
    return found;
}

using Texts = std::map<std::string, std::string>;

struct Example {
    HookCatalogue catalogue;
    World world;
};

Example example() {
    Example found;
    for (const YAML::Node& manifest : manifests(page())) {
        const auto kind = manifest["kind"].as<std::string>();
        if (kind == "ConfigMap") found.catalogue = read_catalogue(manifest["data"].as<Texts>());
        if (kind != "Secret") continue;
        EXPECT_EQ(manifest["metadata"]["namespace"].as<std::string>(), "shop");
        found.world.secrets.emplace(manifest["metadata"]["name"].as<std::string>(),
                                    secret(manifest["stringData"].as<Texts>()));
    }
    return found;
}

TEST(HooksPage, ItsExampleWorks) {
    Example found = example();
    found.world.answers.push_back(answer(200, R"({"allowed": true})"));
    const Transition moving =
        transition("backup", pod("web-2", "10.0.0.2"), pod("web-1", "10.0.0.1"));
    const Talk talk = play(found.catalogue, moving, found.world);
    ASSERT_TRUE(talk.verdict);
    EXPECT_TRUE(talk.verdict->allowed) << talk.verdict->message;
    EXPECT_THAT(talk.asked,
                ElementsAre("secret backup-ca", "secret backup-token",
                            testing::StartsWith("POST https://backup.ops.svc:8443/may-update {")));
    EXPECT_THAT(talk.requests.at(0).ca_pem, testing::StartsWith("-----BEGIN CERTIFICATE-----"));
    EXPECT_EQ(talk.requests.at(0).headers.at(0).name, "Authorization");
}

TEST(HooksPage, ItsMessagesAreTheOnesGiven) {
    const std::string text = page();
    const HookCatalogue broken =
        read_catalogue({{"backup", "url: http://b\ntimeout: ten"}, {"noop", "url: http://b"}});
    Transition es = transition("elasticsearch", std::nullopt, pod("es-2", "10.0.0.12"));
    EXPECT_THAT(text, HasSubstr(find_hook(example().catalogue, "bakup").error().message));
    EXPECT_THAT(text, HasSubstr(broken.external.at("backup").error().message));
    EXPECT_THAT(text, HasSubstr(broken.external.at("noop").error().message));

    const auto refusal = [&](World world) {
        return play(broken, es, std::move(world)).verdict.value().message;
    };
    EXPECT_THAT(text, HasSubstr(refusal({{answer(200, R"([{"status":"yellow"}])"),
                                          answer(200, R"({"acknowledged":true})")},
                                         {}})));
    es.annotations["sluice.dev/elasticsearch-secret"] = "es-login";
    EXPECT_THAT(
        text,
        HasSubstr(refusal({{}, {{"es-login", secret({{"apiKey", "k"}, {"username", "u"}})}}})));
    es.next->ip.clear();
    EXPECT_THAT(text, HasSubstr(refusal({{}, {{"es-login", secret({{"apiKey", "k"}})}}})));
}

}  // namespace
}  // namespace sluice::api::hooks
