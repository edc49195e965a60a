// What an upgrade waits for, and for how long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/hooks/hook.hpp"
#include "model/annotations.hpp"
#include "tests/unit/api/extended_stateful_set/hand_over.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

using namespace testing;
using engine::Decision;
using engine::Reason;
using ::testing::HasSubstr;

TEST(UpgradeWaits, ForAPodThatIsMissing) {
    Known known = upgrading();
    known.lose_pod("x-v1-1");
    EXPECT_THAT(known.settled().report.message, HasSubstr("pod x-v1-1"));
    EXPECT_EQ(known.status().exposed, PodCount{0});
}

// Whom the hook is asked about: the pod in whose place the next one comes.
std::string asked_about(const Decision& decision) {
    const auto* call =
        decision.probe ? engine::opened<hooks::HookCall>(*decision.probe->question) : nullptr;
    return call && call->transition.next ? call->transition.next->name : "nobody";
}

TEST(UpgradeWaits, ForTheHookThatHearsOfTheLastPodOfTheVersionBefore) {
    Known known = upgrading("", 3);
    known.edit(R"("template")", R"("updateStrategy":{"gates":{"hook":"noop"}},"template")");
    known.seen.settings = std::make_shared<const hooks::HookCatalogue>();
    EXPECT_EQ(asked_about(known.settled()), "x-v1-2");
    known.object.annotations[model::key::allow_unready] = "true";
    known.lose_pod("x-v1-2");
    EXPECT_EQ(asked_about(known.settled()), "x-v1-1") << "of those that are there";
    known.lose_pod("x-v1-1");
    EXPECT_EQ(asked_about(known.settled()), "x-v1-0");
}

TEST(UpgradeWaits, UntilACanaryHasBeenReadyForItsTime) {
    Known known = serving();
    known.edit(R"("serviceName")", R"("minReadySeconds":30,"serviceName")");
    known.settled();
    known.add_version({2}, 1, known.digest());
    known.seen.pods.back().ready_since = noon;
    known.now = noon + 29s;
    known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{1});
    known.now = noon + 30s;
    known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{2});
}

// Version 1 has never had a pod, for a quota is in the way, or a webhook.
TEST(UpgradeWaits, NotForAVersionThatNeverHadAPod) {
    Known known;
    known.add_version({1}, 0, known.digest()).replicas = PodCount{2};
    known.settled();
    known.edit("x:1", "x:2");
    known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{1});
    known.add_version({2}, 1, known.digest());
    known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{2});
}

TEST(UpgradeWaits, NotForAVersionWithClaimsThatNeverHadAPod) {
    HandOver known{0};
    known.add(1, 0, 3);
    known.seen.pods.clear();
    known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{1});
}

// That it has no pods then says nothing of whether it has ever served.
TEST(UpgradeWaits, ForTheOrdinalsThatAVersionHasLeftOnceItHasGivenOneUp) {
    HandOver known{1};
    known.add(1, 0, 2);
    known.add(2, 2, 1);
    for (const char* pod : {"x-v1-0", "x-v1-1"})
        known.lose_pod(pod);
    EXPECT_THAT(known.settled().report.message, HasSubstr("x-v1-1"));
    EXPECT_EQ(known.status().exposed, PodCount{1});
}

constexpr const char* job =
    R"({"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"a"}]}}})";

TEST(UpgradeWaits, LongerThanForPodsForTheJobBehindThem) {
    Known known =
        upgrading(fmt::format(R"("updateStrategy":{{"canaries":0,"postUpgrade":{}}},)", job));
    known.settled();
    known.add_version({2}, 2, known.digest());
    known.settled();
    ASSERT_TRUE(known.status().job);
    known.pod("x-v2-0").ready = false;
    known.now = noon + 1h;
    EXPECT_EQ(known.settled().report.reason, Reason::PodsNotReady);
    EXPECT_EQ(known.status().exposed, PodCount{2}) << "they have been ready in time";
}

TEST(UpgradeWaits, NotForEverForACanaryBecauseAJobHasEnded) {
    Known known = upgrading(fmt::format(R"("updateStrategy":{{"preUpgrade":{}}},)", job));
    known.settled();
    Status status = known.status();
    status.job->stage = jobs::Stage::Succeeded;
    known.object.status = write_status(status);
    known.settled();
    known.add_version({2}, 1, known.digest());
    known.seen.pods.back().ready = false;
    known.now = noon + 10min;
    EXPECT_EQ(known.settled().report.reason, Reason::RollingBack);
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
