// Whose counts are believed: those of the status, or those that this process remembers.
#include <gtest/gtest.h>

#include "api/phased_rollout/decide.hpp"
#include "api/phased_rollout/status.hpp"

namespace sluice::api::phased_rollout {
namespace {

engine::Snapshot look(const std::string& told_about, int told, const std::string& known_about,
                      int known) {
    Status status;
    status.check.emplace();
    status.check->definition = told_about;
    status.check->tries = status.check->successes = told;
    status.rollout.emplace();
    status.rolling_pod.emplace();
    engine::Snapshot seen;
    seen.workload.meta.uid = "set";
    seen.objects.emplace_back();
    seen.objects.back().status = write_status(status);
    seen.progress.emplace();
    seen.progress->about = known_about;
    seen.progress->tries = seen.progress->successes = known;
    prepare(seen);
    return seen;
}

TEST(Prepare, BelievesTheStatusOfTheSameStep) {
    EXPECT_EQ(look("step", 0, "step", 2).progress->successes, 0);
}

// An old view of the status knows of fewer passes: they are asked for again, at no cost.
TEST(Prepare, APassThatOnlyOneOfThemKnowsUsesUpNoTry) {
    EXPECT_EQ(look("step", 0, "step", 1).progress->tries, 0);
    EXPECT_EQ(look("step", 2, "step", 1).progress->tries, 1);
}

TEST(Prepare, BelievesItsOwnMemoryOfAStepThatTheStatusDoesNotKnow) {
    EXPECT_EQ(look("the step before", 2, "step", 0).progress->about, "step");
}

}  // namespace
}  // namespace sluice::api::phased_rollout
