#include "engine/probe.hpp"

#include <gtest/gtest.h>

namespace sluice::engine {
namespace {

TEST(Probe, IsOpenedByWhoKnowsItsTypeOnly) {
    const auto question = question_of(MetricQuery{.expr = "up", .url = "prom"});
    ASSERT_TRUE(opened<MetricQuery>(*question));
    EXPECT_EQ(opened<MetricQuery>(*question)->expr, "up");
    EXPECT_FALSE(opened<HookQuestion>(*question));
    const auto answer = answer_of(HookAnswer{true, "go on"});
    ASSERT_TRUE(opened<HookAnswer>(*answer));
    EXPECT_EQ(opened<HookAnswer>(*answer)->message, "go on");
    EXPECT_FALSE(opened<MetricAnswer>(*answer));
}

TEST(Probe, OfAllEvidenceThatOfOneTypeIsFound) {
    const AllEvidence all{{"hook", answer_of(HookAnswer{true}), {}},
                          {"metric", answer_of(MetricAnswer{}), {}}};
    EXPECT_EQ(last_of<HookAnswer>(all)->key, "hook");
    EXPECT_EQ(last_of<MetricAnswer>(all)->key, "metric");
    EXPECT_FALSE(last_of<MetricQuery>(all));
    EXPECT_FALSE(last_of<HookAnswer>({}));
}

}  // namespace
}  // namespace sluice::engine
