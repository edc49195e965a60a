#include "api/phased_rollout/decide.hpp"

#include <gmock/gmock.h>

#include "tests/unit/api/steered.hpp"

namespace sluice::api::phased_rollout {
namespace {

using namespace api::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Instant now = parse_rfc3339("2026-01-01T00:01:00Z").value();
const std::string spec = R"json({"targetRef": "web", "check": {"successThreshold": 3,
    "query": {"expr": "up == 0", "url": "http://prom:9090", "secretRef": "prom-login"}}})json";

std::string status(const std::string& phase, const std::string& reason) {
    return R"({"phase": ")" + phase + R"(", "reason": ")" + reason +
           R"(", "message": "so it is", "unblock": "patience", "since": "2026-01-01T00:00:00Z",
               "rollout": {"step": "1/3", "pod": "web-1"},
               "check": {"successOn": "Data", "tries": 4, "triesLeft": 6, "successes": 1, "lastResult": "Failed",
                         "lastValue": "7", "lastTime": "2026-01-01T00:00:48Z",
                         "nextTime": "2026-01-01T00:01:18Z"}})";
}

Steered careful(const std::string& phase, const std::string& reason,
                const std::string& annotations = "{}", const std::string& of_set = "{}") {
    return steered(dialect, custom("careful", spec, status(phase, reason), annotations),
                   web_set(of_set));
}

Reply ask(Verb verb, const Steered& one) {
    return reply(dialect, verb, one, now);
}

TEST(PhasedRolloutVerbs, the_standing_is_what_the_status_says) {
    const Steered one = careful("Rolling", "CheckFailed");
    EXPECT_EQ(one.title, "phasedrollout/careful");
    const Standing standing = dialect.standing(one);
    EXPECT_EQ(standing.workload, "sts/web");
    EXPECT_EQ(standing.phase, "Rolling");
    EXPECT_EQ(standing.step, "1/3 pods");
    EXPECT_EQ(standing.reason, "CheckFailed");
    EXPECT_EQ(standing.mood, Mood::Stuck);
    EXPECT_EQ(dialect.standing(careful("Updated", "RolloutCompleted")).mood, Mood::Resting);
    EXPECT_EQ(dialect.workload_of(one.object), "web");
}

TEST(PhasedRolloutVerbs, the_facts_tell_of_the_checks_and_of_no_secret) {
    EXPECT_THAT(
        dialect.facts(careful("Rolling", "CheckFailed"), now),
        ElementsAre(Fact{"next pod", "web-1"}, Fact{"query", "up == 0"}, Fact{"passes on", "data"},
                    Fact{"checks",
                         "1 of 3 passes in a row; 4 of at most 10 checks used; the last one: "
                         "Failed (7), 12s ago; the next one in 18s"},
                    Fact{"on failure", "everything stays, and waits for a person"}));
}

std::string passes_on(const std::string& query, const std::string& of_status) {
    const auto object =
        custom("careful", R"({"targetRef": "web", "check": {"query": )" + query + "}}", of_status);
    for (const Fact& fact : dialect.facts(steered(dialect, object), now))
        if (fact.name == "passes on") return fact.text;
    return {};
}

TEST(PhasedRolloutVerbs, the_answer_that_passes_is_that_of_the_spec_or_else_of_the_operator) {
    const std::string unsaid = R"({"expr": "up", "url": "http://prom:9090"})";
    const std::string said = R"({"expr": "up", "url": "http://prom:9090", "successOn": "NoData"})";
    const std::string told = R"({"check": {"successOn": "Data"}})";
    EXPECT_EQ(passes_on(said, told), "no data");
    EXPECT_EQ(passes_on(unsaid, told), "data");
    EXPECT_THAT(passes_on(unsaid, "{}"), HasSubstr("unless the operator was started with"));
}

TEST(PhasedRolloutVerbs, an_object_without_a_status_has_no_phase) {
    const Steered one = steered(dialect, custom("careful", spec, "{}"));
    EXPECT_EQ(dialect.standing(one).phase, "");
    EXPECT_EQ(refusal(ask(Verb::Resume, one)),
              "phasedrollout/careful is not paused; the operator has not reported on it yet.");
}

TEST(PhasedRolloutVerbs, resume_takes_the_annotation_away_wherever_it_is) {
    const std::string paused = R"({"sluice.dev/paused": "true"})";
    const std::string removal = R"({"metadata":{"annotations":{"sluice.dev/paused":null}}})";
    EXPECT_EQ(written(ask(Verb::Resume, careful("Rolling", "Paused", paused))),
              "object " + removal);
    EXPECT_EQ(written(ask(Verb::Resume, careful("Rolling", "Paused", "{}", paused))),
              "workload " + removal);
    EXPECT_EQ(written(ask(Verb::Resume, careful("Rolling", "Paused", paused, paused))),
              "object " + removal + "; workload " + removal);
    EXPECT_FALSE(ask(Verb::Pause, careful("Rolling", "Paused", "{}", paused)));
    EXPECT_EQ(written(ask(Verb::Pause, careful("Rolling", "CheckFailed"))),
              R"(object {"metadata":{"annotations":{"sluice.dev/paused":"true"}}})");
}

TEST(PhasedRolloutVerbs, retry_is_for_a_rollout_that_failed) {
    for (const char* reason : {"ChecksExhausted", "ProgressDeadlineExceeded", "RolledBack"})
        EXPECT_TRUE(ask(Verb::Retry, careful("Failed", reason))) << reason;
    EXPECT_FALSE(ask(Verb::Retry, careful("Rolling", "CheckFailed")));
    EXPECT_FALSE(ask(Verb::Retry, careful("Updated", "RolloutCompleted")));
}

TEST(PhasedRolloutVerbs, promote_and_abort_say_what_to_do_instead) {
    const Steered one = careful("Rolling", "CheckFailed");
    EXPECT_THAT(refusal(ask(Verb::Promote, one)), HasSubstr(R"('{"spec":{"skipCheck":true}}')"));
    EXPECT_THAT(refusal(ask(Verb::PromoteFull, one)), HasSubstr("skipCheck"));
    EXPECT_THAT(refusal(ask(Verb::Abort, one)), HasSubstr("onFailure: Rollback"));
}

TEST(PhasedRolloutVerbs, one_that_steers_nothing_holds_nothing) {
    const Steered other = careful("ErrorCannotManage", "ClaimedByOther");
    for (const Verb verb : {Verb::Pause, Verb::Resume, Verb::Retry})
        EXPECT_EQ(refusal(ask(verb, other)), "phasedrollout/careful has no say here: so it is");
}

}  // namespace
}  // namespace sluice::api::phased_rollout
