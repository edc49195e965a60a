#include "api/pilot/decide.hpp"

#include <gmock/gmock.h>

#include "tests/unit/api/steered.hpp"

namespace sluice::api::pilot {
namespace {

using namespace api::testing;
using ::testing::HasSubstr;

constexpr Instant now{1'800'000'000'000};
const std::string label = R"({"dd-statefulset-pilot": "careful"})";

Steered web(const std::string& annotations) {
    return steered(dialect, web_set(annotations, label));
}

std::string waiting(const std::string& reason, const std::string& more = "") {
    return R"({"sluice.dev/claim": "pilot/web", "sluice.dev/phase": "Rolling",
               "sluice.dev/message": "because", "sluice.dev/unblock": "patience",
               "sluice.dev/since": "2026-01-01T00:00:00Z",)" +
           more + R"("sluice.dev/reason": ")" + reason + R"("})";
}

Reply ask(Verb verb, const Steered& one) {
    return reply(dialect, verb, one, now);
}

TEST(PilotVerbs, a_set_is_steered_by_its_label_or_by_what_the_operator_wrote) {
    EXPECT_TRUE(dialect.is_steered(web("{}")));
    EXPECT_TRUE(dialect.is_steered(
        steered(dialect, web_set(R"({"sluice.dev/claim": "pilot/web"})", "{}"))));
    EXPECT_FALSE(dialect.is_steered(steered(dialect, web_set("{}", "{}"))));
    EXPECT_FALSE(dialect.is_steered(
        steered(dialect, web_set(R"({"sluice.dev/claim": "phasedrollout/x"})", "{}"))));
}

TEST(PilotVerbs, the_standing_is_what_the_annotations_say) {
    const Standing standing = dialect.standing(web(waiting("HookRefused")));
    EXPECT_EQ(standing.workload, "sts/web");
    EXPECT_EQ(standing.phase, "Rolling");
    EXPECT_EQ(standing.step, "1/3 pods");
    EXPECT_EQ(standing.reason, "HookRefused");
    EXPECT_EQ(standing.message, "because");
    EXPECT_EQ(standing.unblock, "patience");
    EXPECT_EQ(standing.since, parse_rfc3339("2026-01-01T00:00:00Z"));
    EXPECT_EQ(standing.mood, Mood::Stuck);
    EXPECT_EQ(dialect.standing(web(waiting("AskingHook"))).mood, Mood::Moving);
    EXPECT_EQ(dialect.standing(web(waiting("Idle"))).mood, Mood::Resting);
}

TEST(PilotVerbs, a_set_that_another_one_holds_is_not_told_in_the_others_words) {
    const Steered one =
        web(R"({"sluice.dev/claim": "phasedrollout/x", "sluice.dev/phase": "Rolling"})");
    const Standing standing = dialect.standing(one);
    EXPECT_EQ(standing.phase, "Blocked");
    EXPECT_EQ(standing.reason, "ClaimedByOther");
    EXPECT_EQ(refusal(ask(Verb::Pause, one)),
              "sts/web has no say here: phasedrollout/x steers this StatefulSet.");
}

TEST(PilotVerbs, pause_and_resume_set_and_remove_the_annotation) {
    const Steered running = web(waiting("HookRefused"));
    EXPECT_EQ(written(ask(Verb::Pause, running)),
              R"(object {"metadata":{"annotations":{"sluice.dev/paused":"true"}}})");
    EXPECT_EQ(refusal(ask(Verb::Resume, running)),
              "sts/web is not paused; it waits for HookRefused.");
    const Steered paused = web(waiting("Paused", R"("sluice.dev/paused": "yes",)"));
    EXPECT_EQ(refusal(ask(Verb::Pause, paused)),
              "sts/web is paused already; resume lets it go on.");
    EXPECT_EQ(written(ask(Verb::Resume, paused)),
              R"(object {"metadata":{"annotations":{"sluice.dev/paused":null}}})");
    const Steered said_no = web(waiting("Paused", R"("sluice.dev/paused": "false",)"));
    EXPECT_TRUE(ask(Verb::Pause, said_no));
}

TEST(PilotVerbs, retry_is_for_what_waits_for_it) {
    EXPECT_EQ(written(ask(Verb::Retry, web(waiting("PartitionRaised")))),
              R"(object {"metadata":{"annotations":{"sluice.dev/retry":"1800000000000"}}})");
    EXPECT_EQ(refusal(ask(Verb::Retry, web(waiting("HookRefused")))),
              "There is nothing to retry at sts/web: it waits for HookRefused.");
    EXPECT_EQ(refusal(ask(Verb::Retry, web(waiting("Idle")))),
              "There is nothing to retry at sts/web: nothing is pending.");
}

TEST(PilotVerbs, promote_and_abort_say_what_to_do_instead) {
    const Steered one = web(waiting("HookRefused"));
    EXPECT_THAT(refusal(ask(Verb::Promote, one)),
                HasSubstr("kubectl -n shop label --overwrite statefulset web "
                          "dd-statefulset-pilot=noop"));
    EXPECT_EQ(refusal(ask(Verb::PromoteFull, one)), refusal(ask(Verb::Promote, one)));
    EXPECT_THAT(refusal(ask(Verb::Abort, one)),
                HasSubstr("kubectl -n shop rollout undo statefulset web"));
}

TEST(PilotVerbs, the_hook_is_a_fact) {
    EXPECT_EQ(dialect.facts(web("{}"), now), (std::vector<Fact>{{"hook", "careful"}}));
}

}  // namespace
}  // namespace sluice::api::pilot
