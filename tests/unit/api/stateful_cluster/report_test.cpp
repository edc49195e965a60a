// What people find in the status and in events, and when it is looked at again for that.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/api/stateful_cluster/cluster.hpp"

namespace sluice::api::stateful_cluster {
namespace {

using namespace testing;
using engine::Decision;
using engine::Reason;
using ::testing::Contains;

TEST(ClusterReport, SaysHowAnAutoscalerFindsThePods) {
    const auto selector = [](const std::string& wanted) {
        Known known;
        known.edit("/selector", wanted);
        look(known);
        return known.status.selector;
    };
    EXPECT_EQ(selector(R"({"matchLabels":{"tier":"data","app":"db"}})"), "app=db,tier=data");
    EXPECT_EQ(selector("{}"), "sluice.dev/statefulcluster=db") << "all pods of the cluster have it";
}

TEST(ClusterReport, SaysHowToLookAtAMemberThatIsNotReady) {
    Known known = at_rest();
    known.pods[0].ready = false;
    look(known);
    EXPECT_EQ(known.status.reason, "PodsNotReady");
    EXPECT_EQ(known.status.unblock, "kubectl -n shop get pods -l sluice.dev/statefulcluster=db");
}

TEST(ClusterReport, AnOutageIsAWarning) {
    Known known = at_rest();
    lose_most(known);
    EXPECT_THAT(told_of(decided(known)), Contains(Reason::TooManyUnready));
}

TEST(ClusterReport, WhoHasBeenReadyForMinReadySecondsIsAvailableAndNothingIsLeftToWaitFor) {
    Known known = at_rest();
    known.edit("/minReadySeconds", "30");
    known.pods[0].ready_since = noon - 29s;
    Decision decision = look(known);
    EXPECT_EQ(known.status.available, PodCount{2});
    EXPECT_EQ(decision.wake_at, noon + 1s);
    known.now = noon + 1s;
    decision = look(known);
    EXPECT_EQ(known.status.available, PodCount{3});
    EXPECT_FALSE(decision.wake_at.has_value());
}

TEST(ClusterReport, AnAutoscalerGetsAllOfALongSelector) {
    Known known = three();
    std::string labels;
    for (int i = 0; i < 30; ++i)
        labels += fmt::format(R"({}"label-{}":"{}")", i ? "," : "", i, std::string(63, 'a'));
    known.edit("/selector", R"({"matchLabels":{)" + labels + "}}");
    known.keep(known.status);
    settle(known);
    EXPECT_EQ(known.status.selector, known.spec.selector);
    EXPECT_FALSE(apply_status(known, decided(known))) << "it says so already";
}

}  // namespace
}  // namespace sluice::api::stateful_cluster
