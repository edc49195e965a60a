// Pods that read what has changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.hpp"
#include "model/annotations.hpp"
#include "tests/unit/api/extended_stateful_set/extended.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

using namespace testing;
using engine::Action;
using engine::Decision;
using engine::Reason;
using ::testing::HasSubstr;
using ::testing::Not;
namespace json = boost::json;

const model::Ref app{&model::config_map_contents, "shop", "app"};

// An ExtendedStatefulSet that reads the ConfigMap app, as a controller shows it.
struct Follower : Known {
    std::string key = std::string(16, 'k');
    std::optional<std::string> content = "data=one;";
    std::uint64_t version = 1;

    Follower() {
        const std::string image = R"("image":"x:1")";
        object.spec.replace(object.spec.find(image), image.size(),
                            image + R"(,"envFrom":[{"configMapRef":{"name":"app"}}])");
        object.spec.replace(0, 1, R"({"updateOnEnvChange":true,)");
        seen.environment.home = "sluice-system";
        seen.environment.marks_no_owners = true;
        seen.environment.fresh_key = std::string(16, 'f');
        note();
    }

    // What the watch knows.
    void note() {
        engine::NamedObject one{app};
        one.is_seen = true;
        if (content) one.meta = model::ObjectMeta{{"shop", "app"}, "uid-app", version, 0, false};
        seen.named = {one};
    }
    void change(std::optional<std::string> to) {
        content = std::move(to);
        ++version;
        note();
    }
    engine::Fetched fetched(const model::Ref& ref) const {
        engine::Fetched found{ref, std::nullopt};
        model::CustomObject it;
        it.meta = {ref.key(), "uid-" + ref.name, version, 0, false};
        const bool is_key = ref.name == "sluice-config-key";
        it.spec = is_key ? R"({"key":")" + encode_base64(key) + R"("})" : content.value_or("");
        if (is_key ? !key.empty() : content.has_value()) found.object = std::move(it);
        return found;
    }
    // Once what it wants to read is read, and what it writes into the status is written.
    Decision at_last() {
        for (int i = 0; i < 10; ++i) {
            Decision decision = decided();
            seen.fetched.clear();
            for (const model::Ref& ref : decision.rests_on)
                seen.fetched.push_back(fetched(ref));
            if (decision.noted) seen.evidence = {*decision.noted};
            if (decision.rests_on.empty() && !apply_status(decision)) return decision;
        }
        return {};
    }
    // With two pods of a version that was made of what is there.
    void serve() {
        const json::value made = json::parse(at_last().actions.at(0).body);
        model::StatefulSet& set = add_version({1}, 2, digest());
        set.annotations[std::string{config_key}] =
            made.at("metadata").at("annotations").at(config_key).as_string();
        set.annotations[model::key::claim] = "extendedstatefulset/x";
        set.annotates_pods = true;
        set.partition = closed_partition;
        set.observed_generation = set.meta.generation;
        set.current_revision = set.update_revision = "x-v1-abc";
        at_last();
    }
};

std::string ops(const Decision& decision) {
    return decision.actions.empty() ? "" : decision.actions[0].body;
}

TEST(ConfigRestart, NothingIsMadeBeforeWhatItReadsIsRead) {
    Follower known;
    const Decision decision = known.decided();
    EXPECT_TRUE(decision.actions.empty());
    ASSERT_EQ(decision.rests_on.size(), 2u);
    EXPECT_EQ(decision.rests_on[0].ns, "sluice-system");
    EXPECT_EQ(decision.rests_on[1], app);
    const json::value made = json::parse(known.at_last().actions.at(0).body);
    const json::value& digest = made.at("metadata").at("annotations").at(config_key);
    EXPECT_EQ(digest.as_string().size(), 32u);
    EXPECT_EQ(made.at("spec").at("template").at("metadata").at("annotations").at(config_key),
              digest);
}

TEST(ConfigRestart, WhatWasReadIsNotReadAgainWhileItIsTheSame) {
    Follower known;
    for (const model::Ref& ref : known.decided().rests_on)
        known.seen.fetched.push_back(known.fetched(ref));
    const Decision decision = known.decided();
    ASSERT_TRUE(decision.noted);
    known.seen.fetched.clear();
    known.seen.evidence = {*decision.noted};
    EXPECT_TRUE(known.decided().rests_on.empty());
    known.change("data=two;");
    EXPECT_EQ(known.decided().rests_on.size(), 2u);
}

TEST(ConfigRestart, NobodyWithoutTheKeyCanMakeTheDigest) {
    Follower one, other;
    other.key = std::string(16, 'o');
    EXPECT_NE(json::parse(ops(one.at_last())).at("metadata").at("annotations").at(config_key),
              json::parse(ops(other.at_last())).at("metadata").at("annotations").at(config_key));
}

TEST(ConfigRestart, TheKeyIsMadeOnceOfBytesThatNobodyHasSeen) {
    Follower known;
    known.key.clear();
    const Decision decision = known.at_last();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].verb, Action::Verb::Create);
    EXPECT_EQ(to_text(decision.actions[0].object.ref), "sluice-system/sluice-config-key");
    EXPECT_THAT(ops(decision), HasSubstr(encode_base64(std::string(16, 'f'))));
}

TEST(ConfigRestart, AKeyThatCannotBeReadHoldsEverything) {
    Follower known;
    known.key = "short";
    known.at_last();
    EXPECT_EQ(known.status().reason, "ConfigUnseen");
    EXPECT_THAT(known.status().message, HasSubstr("holds no key"));
}

TEST(ConfigRestart, WhatIsMissingIsNamedAndHoldsEverything) {
    Follower known;
    known.change(std::nullopt);
    EXPECT_TRUE(known.at_last().actions.empty());
    EXPECT_EQ(known.status().reason, "ConfigMissing");
    EXPECT_THAT(known.status().message, HasSubstr("ConfigMap app does not exist"));
    known.change("data=one;");
    EXPECT_EQ(known.at_last().actions.at(0).verb, Action::Verb::Create);
}

TEST(ConfigRestart, WhoMayNotLookSaysWhatWouldHelp) {
    Follower known;
    known.seen.named[0].is_seen = false;
    EXPECT_TRUE(known.decided().actions.empty()) << "nobody has looked yet";
    known.seen.named[0].problem = "cannot list configmaps: forbidden";
    EXPECT_TRUE(known.at_last().actions.empty());
    EXPECT_EQ(known.status().reason, "ConfigUnseen");
    EXPECT_THAT(known.status().message, HasSubstr("forbidden"));
    EXPECT_THAT(known.status().unblock,
                HasSubstr("kubectl -n shop create rolebinding sluice-config"));
}

TEST(ConfigRestart, WhatCouldNotBeReadInThisMomentIsReadAgain) {
    Follower known;
    known.seen.fetched = {{app, std::nullopt, engine::Refusal{500, "not now"}},
                          known.fetched({known.decided().rests_on[0]})};
    const Decision decision = known.decided();
    EXPECT_TRUE(decision.actions.empty());
    EXPECT_TRUE(decision.wake_at.has_value());
    known.seen.fetched[0].refusal = engine::Refusal{403, "never"};
    known.apply_status(known.decided());
    EXPECT_EQ(known.status().reason, "ConfigUnseen");
}

TEST(ConfigRestart, AChangeWaitsForTheNextOneAndThenIsOneWrite) {
    Follower known;
    known.serve();
    EXPECT_EQ(known.status().reason, "Idle");
    known.change("data=two;");
    EXPECT_TRUE(known.at_last().actions.empty());
    EXPECT_EQ(known.status().reason, "ConfigChanged");
    known.now = known.now + 6s;
    known.change("data=three;");
    EXPECT_TRUE(known.at_last().actions.empty());
    known.now = known.now + 6s;
    EXPECT_TRUE(known.at_last().actions.empty()) << "ten seconds after the last one";
    known.now = known.now + 5s;
    const Decision decision = known.at_last();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].object.ref.name, "x-v1");
    const std::string patch = ops(decision);
    EXPECT_THAT(patch, HasSubstr("/spec/template/metadata/annotations/fissile.cloudfoundry.org"));
    EXPECT_THAT(patch, HasSubstr("awaited"));
    EXPECT_THAT(patch, Not(HasSubstr("three")));
    EXPECT_FALSE(decision.actions[0].lets_pods_go);
}

TEST(ConfigRestart, ChangesThatDoNotEndAreNotWaitedForLongerThanAMinute) {
    Follower known;
    known.serve();
    for (int i = 0; i < 12; ++i) {
        known.change("data=" + std::to_string(i));
        known.now = known.now + 5s;
        if (!known.at_last().actions.empty()) {
            EXPECT_GE(i, 11);
            return;
        }
    }
    known.now = known.now + 5s;
    EXPECT_FALSE(known.at_last().actions.empty());
}

TEST(ConfigRestart, WhatIsOnlyAnnotatedIsNoChange) {
    Follower known;
    known.serve();
    known.change("data=one;");
    EXPECT_TRUE(known.at_last().actions.empty());
    EXPECT_EQ(known.status().reason, "Idle");
}

TEST(ConfigRestart, WhoIsFollowedFromNowOnIsMarkedAndNotRestarted) {
    Follower known;
    known.serve();
    known.seen.sets[0].annotations.erase(std::string{config_key});
    const Decision decision = known.at_last();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_THAT(ops(decision), Not(HasSubstr("/spec/template")));
    EXPECT_THAT(ops(decision), HasSubstr("/metadata/annotations/fissile.cloudfoundry.org"));
    EXPECT_THAT(ops(decision), HasSubstr(R"({"op":"test","path":"/metadata/annotations/)"
                                         R"(fissile.cloudfoundry.org~1configsha1","value":null})"))
        << "who was marked meanwhile has read something else";
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
