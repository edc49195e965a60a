#include "api/rollout_plugin/decide.hpp"

#include <gmock/gmock.h>

#include "tests/unit/api/steered.hpp"

namespace sluice::api::rollout_plugin {
namespace {

using namespace api::testing;
using ::testing::Contains;
using ::testing::HasSubstr;

const Instant now = parse_rfc3339("2026-01-01T00:01:00Z").value();
const std::string steps = R"("plugin": {"name": "statefulset"}, "strategy": {"canary": {"steps":
    [{"setWeight": 20}, {"pause": {"duration": "5m"}}, {"setWeight": 60}, {"pause": {}}]}})";
const std::string ref =
    R"("workloadRef": {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web"}, )";

Steered rollout(const std::string& status, bool paused = false) {
    return steered(dialect,
                   custom("x", "{" + ref + steps + (paused ? R"(, "paused": true)" : "") + "}",
                          "{" + status + "}"));
}

const std::string under_way =
    R"("phase": "Progressing", "currentStepIndex": 2, "currentRevision": "web-a",
       "updatedRevision": "web-b", "rolloutInProgress": true)";
const std::string at_pause =
    R"("phase": "Paused", "currentStepIndex": 1, "currentRevision": "web-a",
       "updatedRevision": "web-b", "controllerPause": true, "rolloutInProgress": true,
       "pauseConditions": [{"reason": "CanaryPauseStep", "startTime": "2026-01-01T00:00:00Z"}])";
const std::string healthy =
    R"("phase": "Healthy", "currentRevision": "web-b", "updatedRevision": "web-b")";
const std::string aborted =
    R"("phase": "Failed", "currentRevision": "web-a", "updatedRevision": "web-b",
       "aborted": true, "abortedRevision": "web-b", "abortedAt": "2026-01-01T00:00:00Z")";

std::string ask(Verb verb, const Steered& one) {
    return written(reply(dialect, verb, one, now));
}

TEST(RolloutPluginVerbs, the_standing_tells_the_step_and_the_pause) {
    const Standing standing = dialect.standing(rollout(at_pause));
    EXPECT_EQ(standing.workload, "sts/web");
    EXPECT_EQ(standing.step, "2/4");
    EXPECT_EQ(standing.phase, "Paused");
    EXPECT_EQ(standing.reason, "CanaryPauseStep");
    EXPECT_EQ(standing.since, parse_rfc3339("2026-01-01T00:00:00Z"));
    EXPECT_EQ(standing.mood, Mood::Stuck);
    EXPECT_EQ(dialect.standing(rollout(under_way)).mood, Mood::Moving);
    EXPECT_EQ(dialect.standing(rollout(healthy)).mood, Mood::Resting);
    EXPECT_THAT(dialect.facts(rollout(at_pause), now),
                Contains(Fact{"step", "2 of 4: pause for 5m, then setWeight 60"}));
    EXPECT_THAT(dialect.facts(rollout(aborted), now), Contains(Fact{"aborted", "web-b 1m ago"}));
}

TEST(RolloutPluginVerbs, a_workload_of_another_kind_is_named_and_not_read) {
    const Steered one =
        steered(dialect, custom("x", R"({"workloadRef": {"kind": "Cache", "name": "web"}})", "{}"));
    EXPECT_EQ(dialect.workload_of(one.object), "");
    EXPECT_EQ(dialect.standing(one).workload, "Cache/web");
}

TEST(RolloutPluginVerbs, promote_ends_the_pause_of_a_step_and_nothing_else) {
    EXPECT_EQ(ask(Verb::Promote, rollout(at_pause)),
              R"(status {"status":{"pauseConditions":null,"paused":false}})");
    EXPECT_EQ(ask(Verb::Promote, rollout(R"("phase": "Paused", "paused": true)")),
              R"(status {"status":{"pauseConditions":null,"paused":false}})");
    EXPECT_EQ(ask(Verb::Promote, rollout(under_way)),
              "refused: rolloutplugin/x is not paused at a step, so there is nothing to promote: "
              "its phase is Progressing.");
    EXPECT_EQ(ask(Verb::Promote, rollout(under_way, true)), ask(Verb::Promote, rollout(under_way)));
    const auto held = reply(dialect, Verb::Promote, rollout(at_pause, true), now);
    EXPECT_THAT(held->done, HasSubstr("spec.paused still holds"));
}

TEST(RolloutPluginVerbs, a_pause_that_a_person_has_ended_cannot_be_ended_again) {
    const std::string ended =
        R"("phase": "Paused", "controllerPause": true, "paused": false, "currentStepIndex": 1)";
    EXPECT_THAT(ask(Verb::Promote, rollout(ended)), HasSubstr("refused"));
    EXPECT_THAT(ask(Verb::Resume, rollout(ended)), HasSubstr("refused"));
}

TEST(RolloutPluginVerbs, promote_in_full_needs_a_rollout) {
    EXPECT_EQ(ask(Verb::PromoteFull, rollout(under_way)),
              R"(status {"status":{"promoteFull":true}})");
    EXPECT_EQ(ask(Verb::PromoteFull, rollout(at_pause)),
              R"(status {"status":{"promoteFull":true}})");
    EXPECT_EQ(ask(Verb::PromoteFull, rollout(healthy)),
              "refused: rolloutplugin/x has no rollout under way: its phase is Healthy.");
    EXPECT_EQ(ask(Verb::PromoteFull, rollout("")),
              "refused: rolloutplugin/x has no rollout under way: the operator has not reported on "
              "it yet.");
    EXPECT_THAT(ask(Verb::PromoteFull, rollout(aborted)), HasSubstr("was aborted; retry it first"));
    EXPECT_THAT(ask(Verb::PromoteFull, rollout(under_way + R"(, "promoteFull": true)")),
                HasSubstr("already"));
    EXPECT_THAT(ask(Verb::PromoteFull, rollout(under_way + R"(, "abort": true)")),
                HasSubstr("is about to be aborted"));
}

TEST(RolloutPluginVerbs, pause_and_resume_are_a_field_of_the_spec) {
    EXPECT_EQ(ask(Verb::Pause, rollout(under_way)), R"(object {"spec":{"paused":true}})");
    EXPECT_THAT(ask(Verb::Pause, rollout(under_way, true)), HasSubstr("is paused already"));
    EXPECT_EQ(ask(Verb::Resume, rollout(under_way, true)), R"(object {"spec":{"paused":false}})");
    EXPECT_EQ(ask(Verb::Resume, rollout(under_way)),
              "refused: rolloutplugin/x is not paused: its phase is Progressing.");
}

TEST(RolloutPluginVerbs, resume_also_ends_the_pause_of_a_step) {
    const std::string end = R"(status {"status":{"pauseConditions":null,"paused":false}})";
    EXPECT_EQ(ask(Verb::Resume, rollout(at_pause)), end);
    EXPECT_EQ(ask(Verb::Resume, rollout(at_pause, true)),
              end + R"(; object {"spec":{"paused":false}})");
}

TEST(RolloutPluginVerbs, abort_needs_a_rollout_and_is_asked_for_once) {
    EXPECT_EQ(ask(Verb::Abort, rollout(under_way)), R"(status {"status":{"abort":true}})");
    EXPECT_EQ(ask(Verb::Abort, rollout(at_pause, true)), R"(status {"status":{"abort":true}})");
    EXPECT_THAT(ask(Verb::Abort, rollout(healthy)), HasSubstr("has no rollout under way"));
    EXPECT_THAT(ask(Verb::Abort, rollout(aborted)), HasSubstr("was aborted already"));
    EXPECT_THAT(ask(Verb::Abort, rollout(under_way + R"(, "abort": true)")),
                HasSubstr("was asked to abort already"));
}

TEST(RolloutPluginVerbs, retry_is_for_what_was_aborted) {
    EXPECT_EQ(ask(Verb::Retry, rollout(aborted)), R"(status {"status":{"restart":true}})");
    EXPECT_THAT(ask(Verb::Retry, rollout(under_way)), HasSubstr("was not aborted"));
    EXPECT_THAT(ask(Verb::Retry, rollout(aborted + R"(, "restart": true)")), HasSubstr("already"));
}

}  // namespace
}  // namespace sluice::api::rollout_plugin
