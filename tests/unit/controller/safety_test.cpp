// A pod is let go only after a live read that agrees; a write of unknown outcome is looked at
// first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/controller/operators.hpp"

namespace sluice::controller {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

// Three pods on A, at rest, with an operator that has just adopted them.
struct ControllerSafety : ::testing::Test {
    void SetUp() override {
        cluster.add_set(web, 3);
        cluster.live(noon);
        sluice.run_for(1min);
        sluice.history.clear();
    }
    void only_deeds() {
        std::erase_if(sluice.history, [](const auto& one) { return one.starts_with("event"); });
    }
    Cluster cluster;
    Operator sluice{cluster};
};

TEST_F(ControllerSafety, EveryLoweringFollowsAReadDirectly) {
    cluster.change_template(web, 1);
    sluice.run_for(5min);
    only_deeds();
    ASSERT_EQ(cluster.pods(web), "B B B");
    for (std::size_t i = 0; i < sluice.history.size(); ++i) {
        const std::string& deed = sluice.history[i];
        if (deed == "patch 2" || deed == "patch 1" || deed == "patch 0")
            EXPECT_EQ(sluice.history[i - 1], "read") << deed;
    }
}

TEST_F(ControllerSafety, NothingIsLetGoWhenTheReadFindsAnotherTemplate) {
    bool changed = false, some_pod_ran_b = false;
    sluice.before_read_answer = [&] {
        if (!std::exchange(changed, true)) cluster.change_template(web, 2);
    };
    cluster.is_broken = [&](const model::Pod& pod) {
        some_pod_ran_b = some_pod_ran_b || pod.revision == "web-B";
        return false;
    };
    cluster.change_template(web, 1);
    sluice.run_for(5min);
    EXPECT_TRUE(changed);
    EXPECT_FALSE(some_pod_ran_b);
    EXPECT_EQ(cluster.pods(web), "C C C");
    EXPECT_THAT(sluice.keys_asked, Contains(::testing::HasSubstr("web-C/nil/")));
}

TEST_F(ControllerSafety, NothingIsLetGoWhenTheReadFindsAPodNotReady) {
    cluster.is_broken = [](const model::Pod& pod) { return pod.meta.key.name == "web-0"; };
    sluice.before_read_answer = [&] { cluster.set_ready({"shop", "web-0"}, false, sluice.now()); };
    cluster.change_template(web, 1);
    sluice.run_for(5min);
    EXPECT_THAT(sluice.history, Not(Contains("patch 2")));
    EXPECT_EQ(cluster.pods(web), "A! A A");
}

TEST_F(ControllerSafety, NothingIsLetGoWhenTheReadFindsAPause) {
    sluice.before_read_answer = [&] {
        cluster.change(web,
                       [](StatefulSet& set) { set.annotations["sluice.dev/paused"] = "true"; });
    };
    cluster.change_template(web, 1);
    sluice.run_for(5min);
    EXPECT_EQ(cluster.pods(web), "A A A");
    EXPECT_EQ(cluster.set(web).annotations.at("sluice.dev/reason"), "Paused");
}

TEST_F(ControllerSafety, NothingIsLetGoWhenTheReadFindsThatTheLabelIsGone) {
    sluice.before_read_answer = [&] {
        cluster.change(web, [](StatefulSet& set) { set.labels.clear(); });
    };
    cluster.change_template(web, 1);
    sluice.run_for(5min);
    EXPECT_EQ(cluster.pods(web), "A A A");
    EXPECT_THAT(cluster.set(web).annotations,
                ElementsAre(Pair("sluice.dev/partition-before", "0@3")));
}

TEST_F(ControllerSafety, NothingIsLetGoWhenAPersonPausesBehindTheRead) {
    sluice.fate = [&](const Write& patch) {
        if (patch.action.body.find("\"value\":2}") == std::string::npos) return Fate{};
        cluster.change(web,
                       [](StatefulSet& set) { set.annotations["sluice.dev/paused"] = "true"; });
        return Fate{};
    };
    cluster.change_template(web, 1);
    sluice.run_for(5min);
    EXPECT_EQ(cluster.pods(web), "A A A");
}

// After whatever failure of the first lowering, the next thing is a read, and the rollout goes on.
void expect_recovery(const Fate& first) {
    Steered steered{3};
    auto& [cluster, sluice] = steered;
    sluice.history.clear();
    bool failed = false;
    sluice.fate = [&](const Write& patch) {
        const bool lowers = patch.action.body.find("\"value\":2}") != std::string::npos;
        return lowers && !std::exchange(failed, true) ? first : Fate{};
    };
    cluster.change_template(web, 1);
    sluice.run_for(10min);
    ASSERT_TRUE(failed);
    EXPECT_EQ(cluster.pods(web), "B B B");
    std::erase_if(sluice.history, [](const auto& one) { return one.starts_with("event"); });
    const auto lowering = std::ranges::find(sluice.history, "patch 2");
    const auto next_write = std::find_if(lowering + 1, sluice.history.end(),
                                         [](const auto& one) { return one.starts_with("patch"); });
    EXPECT_THAT(std::vector<std::string>(lowering + 1, next_write), Contains("read"));
    EXPECT_EQ(sluice.controller().counters().steps, first.is_applied ? 2u : 3u)
        << "no step was taken twice";
}

TEST(ControllerFailure, AConflictIsFollowedByARead) {
    expect_recovery({false, runtime::RequestFailure{409, {}, "conflict"}});
}

TEST(ControllerFailure, APreconditionThatFailedIsFollowedByARead) {
    expect_recovery({false, runtime::RequestFailure{422, {}, "the test failed"}});
}

TEST(ControllerFailure, AServerErrorIsFollowedByARead) {
    expect_recovery({false, runtime::RequestFailure{500, {}, "trouble"}});
}

TEST(ControllerFailure, AWriteThatNeverArrivedIsFollowedByARead) {
    expect_recovery({false, runtime::RequestFailure{0, {}, "no answer"}});
}

TEST(ControllerFailure, AWriteWhoseAnswerWasLostIsFollowedByARead) {
    expect_recovery({true, runtime::RequestFailure{0, {}, "no answer"}});
}

TEST(ControllerFailure, AWriteThatOnlyClosesTheGateIsFollowedByAReadToo) {
    Steered steered{3};
    auto& [cluster, sluice] = steered;
    sluice.history.clear();
    sluice.fate = [&](const Write&) {
        const bool first = std::ranges::count(sluice.history, "patch 1000000") == 1;
        return first ? Fate{true, runtime::RequestFailure{0, {}, "no answer"}} : Fate{};
    };
    cluster.change_template(web, 1);
    sluice.hook = [](const auto&) { return std::nullopt; };
    sluice.settle();
    cluster.change_template(web, 2);  // so that there is something to write
    sluice.run_for(5min);
    std::erase_if(sluice.history, [](const auto& one) {
        return !one.starts_with("patch") && !one.starts_with("read");
    });
    ASSERT_GE(sluice.history.size(), 4u);
    EXPECT_EQ(sluice.history[0], "read") << "before a rollout is started";
    EXPECT_EQ(sluice.history[1], "patch 1000000");
    EXPECT_EQ(sluice.history[2], "read");
}

TEST(ControllerFailure, TheSameBytesAreNeverSentAgainAfterAFailedPrecondition) {
    Cluster cluster;
    cluster.add_set(web, 2);
    cluster.live(noon);
    Operator sluice{cluster};
    std::vector<std::string> sent;
    sluice.fate = [&](const Write& patch) {
        sent.push_back(patch.action.body);
        if (sent.size() < 6) cluster.change_template(web, sent.size() % 3);
        return Fate{};
    };
    sluice.run_for(2min);
    ASSERT_GE(sent.size(), 3u);
    for (std::size_t i = 1; i < sent.size(); ++i)
        EXPECT_NE(sent[i], sent[i - 1]);
}

TEST(ControllerFailure, AServerThatAsksForPatienceGetsIt) {
    Cluster cluster;
    cluster.add_set(web, 2);
    cluster.live(noon);
    Operator sluice{cluster};
    sluice.fate = [](const Write&) {
        return Fate{false, runtime::RequestFailure{429, 40s, "slow down"}};
    };
    sluice.run_for(30s);
    const auto writes = std::ranges::count_if(
        sluice.history, [](const auto& one) { return one.starts_with("patch"); });
    EXPECT_LE(writes, 2);
}

TEST(ControllerFailure, APartitionThatComesBackChangedIsNotFoughtOver) {
    Steered steered{3};
    auto& [cluster, sluice] = steered;
    sluice.fate = [&](const Write& patch) {
        Fate contested;
        if (patch.action.body.find("\"value\":2}") == std::string::npos) return contested;
        contested.meddle = [&] {
            cluster.change(web, [](StatefulSet& set) { set.partition = closed_partition; });
        };
        return contested;
    };
    cluster.change_template(web, 1);
    sluice.run_for(30s);
    sluice.history.clear();
    sluice.run_for(10min);
    EXPECT_EQ(cluster.pods(web), "A A A");
    const auto tries = std::ranges::count(sluice.history, "patch 2");
    EXPECT_GE(tries, 5);
    EXPECT_LE(tries, 11) << "once a minute";
    EXPECT_EQ(sluice.controller().counters().steps, 0u) << "and none of them counts as a step";
}

}  // namespace
}  // namespace sluice::controller
