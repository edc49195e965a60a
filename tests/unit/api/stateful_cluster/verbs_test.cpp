#include <gmock/gmock.h>

#include "api/stateful_cluster/decide.hpp"
#include "api/stateful_cluster/spec.hpp"
#include "tests/unit/api/steered.hpp"

namespace sluice::api::stateful_cluster {
namespace {

using namespace api::testing;
using ::testing::HasSubstr;

constexpr Instant now{1'800'000'000'000};

Steered coder(const std::string& status, const std::string& more = "") {
    Steered one = steered(
        dialect, custom("coder",
                        R"({"selector":{"matchLabels":{"app":"coder"}},"template":{"spec":)"
                        R"({"hostNetwork":true,"containers":[{"name":"app","image":"b"}]}})" +
                            more + "}",
                        status));
    one.object.meta.generation = 0;
    return one;
}

model::CustomObject revision(const std::string& name, const std::string& image) {
    model::CustomObject one;
    one.meta.key = {"shop", name};
    one.spec = R"({"spec":{"template":{"spec":{"containers":[{"name":"app","image":")" + image +
               R"("}]}}}})";
    return one;
}

const std::string two_revisions =
    R"({"updateRevision":"coder-2","revisions":[{"name":"coder-1"},{"name":"coder-2"}]})";

Reply ask(Verb verb, const Steered& one) {
    return reply(dialect, verb, one, now);
}

TEST(ClusterVerbs, undo_puts_the_template_before_back_and_leaves_nothing_of_the_other) {
    Steered one = coder(two_revisions);
    one.history = {revision("coder-1", "a"), revision("coder-2", "b")};
    EXPECT_EQ(written(ask(Verb::Undo, one)),
              R"(object {"spec":{"template":{"spec":{"hostNetwork":null,)"
              R"("containers":[{"name":"app","image":"a"}]}}}})");
}

TEST(ClusterVerbs, undo_waits_until_the_last_change_is_known) {
    Steered one = coder(two_revisions);
    one.object.meta.generation = 3;
    EXPECT_THAT(refusal(ask(Verb::Undo, one)), HasSubstr("has not seen the last change"));
}

TEST(ClusterVerbs, undo_goes_to_the_revision_that_is_named) {
    Steered one = coder(
        R"({"updateRevision":"coder-3",
            "revisions":[{"name":"coder-1"},{"name":"coder-2"},{"name":"coder-3"}]})");
    one.history = {revision("coder-1", "a"), revision("coder-2", "c")};
    EXPECT_THAT(written(ask(Verb::Undo, one)), HasSubstr(R"("image":"c")"));
    one.revision = "coder-1";
    EXPECT_THAT(written(ask(Verb::Undo, one)), HasSubstr(R"("image":"a")"));
    one.revision = "coder-9";
    EXPECT_EQ(refusal(ask(Verb::Undo, one)),
              "statefulcluster/coder keeps no revision coder-9. It keeps: coder-2, coder-1.");
    one.revision = "coder-3";
    EXPECT_THAT(refusal(ask(Verb::Undo, one)), HasSubstr("is at revision coder-3 already"));
}

TEST(ClusterVerbs, undo_of_the_only_template_is_refused) {
    EXPECT_EQ(refusal(ask(Verb::Undo, coder(R"({"updateRevision":"coder-1",
                                          "revisions":[{"name":"coder-1"}]})"))),
              "statefulcluster/coder has had one template only.");
}

TEST(ClusterVerbs, promote_ends_a_pause_and_nothing_else) {
    EXPECT_EQ(written(ask(Verb::Promote, coder(R"({"reason":"StepPaused","phase":"Updating"})"))),
              R"(object {"metadata":{"annotations":{"sluice.dev/promote":"1800000000000"}}})");
    EXPECT_THAT(refusal(ask(Verb::Promote, coder(R"({"reason":"PodsNotReady","phase":"Held"})"))),
                HasSubstr("is not paused at a step"));
    EXPECT_THAT(refusal(ask(Verb::PromoteFull, coder("{}"))), HasSubstr("past its gates"));
}

TEST(ClusterVerbs, an_explanation_tells_of_the_gates_and_of_earlier_templates) {
    const Steered one = coder(
        R"({"updateRevision":"coder-2","revisions":[{"name":"coder-1"},{"name":"coder-2"}],
            "check":{"about":"x","successes":1}})",
        R"(,"updateStrategy":{"gates":{"hook":"careful","pause":{"seconds":90},
            "check":{"query":{"expr":"up","url":"http://prom"}}}})");
    std::string text;
    for (const Fact& fact : dialect.facts(one, now))
        text += fact.name + ": " + fact.text + "\n";
    EXPECT_THAT(text, HasSubstr("earlier: coder-1\n"));
    EXPECT_THAT(text, HasSubstr("pause: 1m30s between two steps\n"));
    EXPECT_THAT(text, HasSubstr("check: 1 of 3 passes in a row\n"));
    EXPECT_THAT(text, HasSubstr("hook: careful\n"));
}

}  // namespace
}  // namespace sluice::api::stateful_cluster
