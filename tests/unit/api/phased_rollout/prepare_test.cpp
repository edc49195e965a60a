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
    EXPECT_EQ(look("the step before", 0, "step", 2).progress->successes, 2);
}

TEST(Prepare, OfTimesAndFailuresTheWorseCounts) {
    const Instant noon{1'790'000'000'000};
    const auto sober = [&](int ours, int theirs) {
        engine::Snapshot seen = look("step", 0, "step", 0);
        Status status = read_status(seen.objects.back());
        status.rollout->step_started = status.check->last = noon + theirs * 1s;
        status.check->failures = status.rolling_pod->failures = theirs;
        seen.objects.back().status = write_status(status);
        seen.progress->since = seen.progress->last = noon + ours * 1s;
        seen.progress->failures = seen.progress->failed = ours;
        prepare(seen);
        return *seen.progress;
    };
    for (const auto& [ours, theirs] : {std::pair{1, 2}, std::pair{2, 1}}) {
        EXPECT_EQ(sober(ours, theirs).since, noon + 2s);
        EXPECT_EQ(sober(ours, theirs).last, noon + 2s);
        EXPECT_EQ(sober(ours, theirs).failures, 2);
        EXPECT_EQ(sober(ours, theirs).failed, 2);
    }
}

TEST(Prepare, WhoRemembersNothingBelievesTheStatus) {
    engine::Snapshot seen = look("step", 2, "step", 2);
    seen.progress.reset();
    prepare(seen);
    ASSERT_TRUE(seen.progress.has_value());
    EXPECT_EQ(seen.progress->successes, 2);
}

}  // namespace
}  // namespace sluice::api::phased_rollout
