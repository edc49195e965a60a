// Which answers of Prometheus open the gate, and which never do.
#include <gtest/gtest.h>

#include "engine/gates.hpp"
#include "tests/unit/engine/seen.hpp"

namespace sluice::engine {
namespace {

using testing::noon;

const Instant now = noon + 10min;

MetricCheck check() {
    MetricCheck gate;
    gate.initial_delay = 0s;
    gate.success_threshold = 1;
    gate.next = PodIndex{2};
    return gate;
}

// A step that has waited since noon, and the answer to the question that is due.
Snapshot answered(const MetricCheck& gate, CheckProgress progress, MetricAnswer answer) {
    Snapshot look = testing::pending(3);
    progress.about = check_subject(look, gate.definition);
    progress.since = progress.window = noon;
    look.evidence = {{progress.about + " " + to_rfc3339(noon), answer_of(std::move(answer)), now}};
    look.progress = std::move(progress);
    return look;
}

using Kind = MetricAnswer::Kind;

MetricAnswer evidence(Kind kind, bool is_number = true) {
    MetricAnswer answer;
    answer.kind = kind;
    answer.is_number = is_number;
    return answer;
}

TEST(MetricCheck, NoDataOpensTheGate) {
    EXPECT_TRUE(std::holds_alternative<Pass>(
        judge(check(), answered(check(), {}, evidence(Kind::NoData)), now)));
}

TEST(MetricCheck, AValueThatIsNoNumberDoesNotPassWhereDataIsToPass) {
    MetricCheck gate = check();
    gate.passes_on_data = true;
    EXPECT_TRUE(
        std::holds_alternative<Pass>(judge(gate, answered(gate, {}, evidence(Kind::Data)), now)));
    const Verdict verdict = judge(gate, answered(gate, {}, evidence(Kind::Data, false)), now);
    const Hold* hold = std::get_if<Hold>(&verdict);
    ASSERT_NE(hold, nullptr);
    EXPECT_EQ(hold->reason, Reason::PrometheusError);
    EXPECT_EQ(hold->progress->tries, 0);
}

TEST(MetricCheck, WhatFailedIsNotSavedByAnAnswerThatComesLater) {
    MetricCheck gate = check();
    gate.max_tries = 2;
    CheckProgress used;
    used.tries = used.failures = 1;
    used.last = now - 60s;
    EXPECT_TRUE(std::holds_alternative<Pass>(
        judge(gate, answered(gate, used, evidence(Kind::NoData)), now)));
    used.tries = 2;
    EXPECT_TRUE(std::holds_alternative<Fail>(
        judge(gate, answered(gate, used, evidence(Kind::NoData)), now)));
}

}  // namespace
}  // namespace sluice::engine
