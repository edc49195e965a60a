#include "engine/probe.hpp"

#include <gtest/gtest.h>

namespace sluice::engine {
namespace {

TEST(Probe, IsTheSameQuestionIfItAsksForTheSameThing) {
    const HookProbe hook{"key", "binding", "careful", {}, {}};
    HookProbe renamed = hook;
    renamed.hook = "other";
    EXPECT_TRUE(is_same_question(hook, renamed)) << "the key and the binding say it all";
    EXPECT_FALSE(is_same_question(hook, HookProbe{"other", "binding", "careful", {}, {}}));
    EXPECT_FALSE(is_same_question(hook, HookProbe{"key", "other", "careful", {}, {}}));

    const MetricProbe metric{"key", {.expr = "up", .url = "prom"}};
    EXPECT_TRUE(is_same_question(metric, MetricProbe{metric}));
    EXPECT_FALSE(is_same_question(metric, MetricProbe{"key", {.expr = "down", .url = "prom"}}));
    EXPECT_FALSE(is_same_question(metric, MetricProbe{"other", metric.query}));

    EXPECT_TRUE(is_same_question(OwnProbe{"key", {}}, OwnProbe{"key", {}}));
    EXPECT_FALSE(is_same_question(OwnProbe{"key", {}}, OwnProbe{"other", {}}));
    EXPECT_FALSE(is_same_question(OwnProbe{"key", {}}, hook));
    EXPECT_FALSE(is_same_question(metric, hook));
}

}  // namespace
}  // namespace sluice::engine
