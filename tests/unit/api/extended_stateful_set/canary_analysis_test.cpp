#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/analysis/decide.hpp"
#include "tests/unit/api/extended_stateful_set/extended.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

using namespace testing;
using analysis::Phase;
using engine::Action;
using engine::Decision;
using engine::Reason;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using Verb = Action::Verb;
namespace json = boost::json;

constexpr const char* call =
    R"({"templates":[{"templateName":"errors"}],"args":[{"name":"old","valueFrom":)"
    R"({"podTemplateHashValue":"Stable"}},{"name":"new","valueFrom":{"podTemplateHashValue":)"
    R"("Latest"}},{"name":"of","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}]})";
constexpr const char* template_spec =
    R"({"args":[{"name":"old"},{"name":"new"},{"name":"of"}],"metrics":[{"name":"rate",)"
    R"("successCondition":"result[0] < 1","provider":{"prometheus":{"address":)"
    R"("http://prometheus.example","query":)"
    R"("errors{pod=~\"{{args.of}}-v{{args.new}}-.*\",old=\"{{args.old}}\"}"}}}]})";

std::string spec_with(const std::string& strategy) {
    return small_spec.substr(0, small_spec.size() - 1) + R"(,"updateStrategy":)" + strategy + "}";
}

// A version that serves, another template, and an analysis of its canaries.
struct Analysed : Known {
    explicit Analysed(const std::string& more = "") {
        object.spec = spec_with(fmt::format(R"({{"gates":{{"analysis":{}}}{}}})", call, more));
        add_version({1}, 2, digest());
        settled();
        object.spec.replace(object.spec.find("x:1"), 3, "x:2");
        ++object.meta.generation;
    }

    // Until something else is to be looked at or written than the status.
    Decision looking() {
        for (int i = 0; i < 10; ++i) {
            Decision decision = decided();
            if (!decision.rests_on.empty() || !apply_status(decision)) return decision;
        }
        return {};
    }
    // Who looks at the template finds it.
    Decision settled() {
        Decision decision = looking();
        if (decision.rests_on.empty()) return decision;
        seen.fetched = {{decision.rests_on.front(), found()}};
        return looking();
    }
    std::optional<model::CustomObject> found() const {
        model::CustomObject one;
        one.meta = {{"shop", "errors"}, "uid-errors", 3, 1, false};
        one.spec = template_spec;
        return one;
    }
    // The canary is there and ready; the write that makes the run.
    Action canary_is_ready() {
        settled();
        add_version({2}, 1, digest());
        const Decision decision = settled();
        EXPECT_EQ(decision.report.reason, Reason::AnalysisRunning);
        EXPECT_EQ(decision.actions.size(), 1u);
        return decision.actions.at(0);
    }
    model::CustomObject& add_run(const Action& creation, const std::string& status) {
        model::CustomObject run;
        run.meta = {creation.object.ref.key(), "uid-" + creation.object.ref.name, 9, 1, false};
        run.owner_uid = "uid-x";
        run.spec = json::serialize(json::parse(creation.body).at("spec"));
        run.status = status;
        seen.owned.push_back(std::move(run));
        return seen.owned.back();
    }
    model::CustomObject& run() { return seen.owned.back(); }
    // The run of the canary has come to this.
    Decision judged(const std::string& status) {
        add_run(canary_is_ready(), status);
        return settled();
    }
};

bool makes_run(const Decision& decision) {
    return std::ranges::any_of(decision.actions, [](const Action& one) {
        return one.object.ref.resource == &analysis::resource && one.verb == Verb::Create;
    });
}

TEST(CanaryAnalysis, ARunIsMadeWhenTheCanaryIsReady) {
    Analysed known;
    const Action creation = known.canary_is_ready();
    EXPECT_EQ(creation.verb, Verb::Create);
    EXPECT_EQ(creation.object.ref.resource, &analysis::resource);
    EXPECT_THAT(creation.object.ref.name, MatchesRegex("x-v2-[0-9a-f]+"));
    const json::value run = json::parse(creation.body);
    const json::value& meta = run.at("metadata");
    EXPECT_EQ(meta.at("labels").at("sluice.dev/extendedstatefulset"), "x");
    EXPECT_EQ(meta.at("labels").at("fissile.cloudfoundry.org/version"), "2");
    EXPECT_EQ(meta.at("ownerReferences").at(0).at("uid"), "uid-x");
    EXPECT_EQ(meta.at("ownerReferences").at(0).at("kind"), "ExtendedStatefulSet");
    EXPECT_EQ(run.at("spec").at("args"),
              json::parse(R"([{"name":"old","value":"1"},{"name":"new","value":"2"},)"
                          R"({"name":"of","value":"x"}])"));
}

TEST(CanaryAnalysis, TheSameAttemptAsksForTheSameRun) {
    Analysed known;
    const Action first = known.canary_is_ready();
    const Decision again = known.settled();
    ASSERT_EQ(again.actions.size(), 1u);
    EXPECT_EQ(again.actions[0].object, first.object);
    EXPECT_TRUE(again.needs_live);
}

TEST(CanaryAnalysis, NothingGoesOnWhileItRuns) {
    Analysed known;
    const Decision decision = known.judged(R"({"phase":"Running"})");
    EXPECT_EQ(decision.report.reason, Reason::AnalysisRunning);
    EXPECT_THAT(decision.report.message, HasSubstr("is under way"));
    EXPECT_FALSE(makes_run(decision));
    EXPECT_EQ(known.status().exposed, PodCount{1});
    EXPECT_FALSE(known.status().gates.pause.has_value()) << "it is no pause";
}

TEST(CanaryAnalysis, AGoodOneLetsTheOthersFollow) {
    Analysed known;
    known.judged(R"({"phase":"Successful"})");
    EXPECT_EQ(known.status().exposed, PodCount{2});
    EXPECT_EQ(known.status().analysis->phase, Phase::Successful);
    known.seen.owned.clear();
    EXPECT_FALSE(makes_run(known.settled())) << "what it came to is written down";
}

TEST(CanaryAnalysis, ABadOneTakesTheCanaryBack) {
    for (const char* phase : {"Failed", "Error"}) {
        Analysed known;
        known.judged(fmt::format(R"({{"phase":"{}","message":"too many"}})", phase));
        EXPECT_EQ(known.status().exposed, PodCount{0});
        EXPECT_THAT(known.status().failure, HasSubstr("too many"));
        EXPECT_EQ(known.status().attempts, 1);
    }
}

TEST(CanaryAnalysis, ABadOneTakesNothingBackToAVersionThatDoesNotServe) {
    Analysed known{R"(,"updateNotReady":true)"};
    const Action creation = known.canary_is_ready();
    for (model::Pod& pod : known.seen.pods)
        if (pod.owner == "x-v1") pod.ready = false;
    known.add_run(creation, R"({"phase":"Failed","message":"too many"})");
    const Decision decision = known.settled();
    EXPECT_EQ(decision.report.reason, Reason::AnalysisRunFailed);
    EXPECT_EQ(decision.report.phase, engine::Phase::Held);
    EXPECT_EQ(known.status().exposed, PodCount{1});
}

TEST(CanaryAnalysis, EachAttemptHasARunOfItsOwn) {
    Analysed known{R"(,"retryCount":1)"};
    const Action first = known.canary_is_ready();
    known.add_run(first, R"({"phase":"Failed"})");
    known.settled();
    std::erase_if(known.seen.pods, [](const model::Pod& pod) { return pod.owner == "x-v2"; });
    known.seen.sets.back().replicas = PodCount{0};
    known.now = known.now + 1min;
    known.settled();
    EXPECT_EQ(known.status().attempts, 2);
    known.seen.sets.back().replicas = PodCount{1};
    known.add_pod({2}, 0);
    const Decision decision = known.settled();
    ASSERT_TRUE(makes_run(decision));
    EXPECT_NE(decision.actions.at(0).object.ref.name, first.object.ref.name);
}

TEST(CanaryAnalysis, AnUnclearOneWaitsForAPersonWhoHasSeenIt) {
    Analysed known;
    const Action creation = known.canary_is_ready();
    known.object.annotations["sluice.dev/promote"] = "early";
    known.add_run(creation, R"({"phase":"Inconclusive"})");
    const Decision decision = known.settled();
    EXPECT_EQ(decision.report.reason, Reason::AnalysisRunInconclusive);
    EXPECT_THAT(decision.report.unblock, HasSubstr("sluice promote ests/x"));
    EXPECT_EQ(known.status().exposed, PodCount{1});
    known.object.annotations["sluice.dev/promote"] = "now";
    known.settled();
    EXPECT_TRUE(known.status().analysis->accepted);
    EXPECT_EQ(known.status().exposed, PodCount{2});
}

// Version 1 is away: nothing goes back to it, whatever was measured.
TEST(CanaryAnalysis, WhoRetriesWhereNothingGoesBackGetsAnotherRun) {
    Analysed known{R"(,"updateNotReady":true)"};
    known.add_run(known.canary_is_ready(), R"({"phase":"Error","message":"no answer"})");
    for (model::Pod& pod : known.seen.pods)
        if (pod.owner == "x-v1") pod.ready = false;
    EXPECT_FALSE(makes_run(known.settled()));
    known.object.annotations["sluice.dev/retry"] = "1";
    const Decision decision = known.settled();
    ASSERT_TRUE(makes_run(decision));
    EXPECT_NE(decision.actions.at(0).object.ref.name, known.run().meta.key.name);
}

TEST(CanaryAnalysis, WhoeverTakesTheAnalysisAwayDoesNotEndItsRun) {
    Analysed known;
    known.add_run(known.canary_is_ready(), R"({"phase":"Running"})");
    known.object.annotations["sluice.dev/paused"] = "true";
    known.object.spec.replace(known.object.spec.find(R"("analysis")"), 10, R"("analysed")");
    for (const Action& one : known.settled().actions)
        EXPECT_NE(one.object.ref.resource, &analysis::resource);
}

TEST(CanaryAnalysis, TakingTheWordOfAPersonAwayIsNone) {
    Analysed known;
    known.object.annotations["sluice.dev/promote"] = "1";
    known.judged(R"({"phase":"Inconclusive"})");
    known.object.annotations.erase("sluice.dev/promote");
    known.settled();
    EXPECT_FALSE(known.status().analysis->accepted);
    known.object.annotations["sluice.dev/promote"] = "2";
    known.settled();
    EXPECT_TRUE(known.status().analysis->accepted);
}

TEST(CanaryAnalysis, ATemplateThatIsMissingKeepsTheFirstPodFromBeingMade) {
    Analysed known;
    const Decision wants = known.looking();
    ASSERT_EQ(wants.rests_on.size(), 1u);
    EXPECT_EQ(wants.rests_on[0].name, "errors");
    EXPECT_FALSE(wants.rereads_subject);
    known.seen.fetched = {{wants.rests_on[0], std::nullopt}};
    Decision decision = known.looking();
    EXPECT_EQ(decision.report.phase, engine::Phase::Held);
    EXPECT_EQ(decision.report.reason, Reason::InvalidSpec);
    EXPECT_EQ(decision.report.message, "AnalysisTemplate errors: does not exist.");
    EXPECT_TRUE(decision.wake_at.has_value());
    known.seen.fetched = {{wants.rests_on[0], std::nullopt, engine::Refusal{403, "no"}}};
    decision = known.looking();
    EXPECT_EQ(decision.report.message, "AnalysisTemplate errors cannot be read: no.");
    EXPECT_EQ(known.status().exposed, PodCount{0});
}

TEST(CanaryAnalysis, OneThatNeverEndsIsRefused) {
    Analysed known;
    const Decision wants = known.looking();
    auto found = known.found();
    found->spec.replace(found->spec.find(R"("provider")"), 0, R"("interval":"1m",)");
    known.seen.fetched = {{wants.rests_on.at(0), found}};
    const Decision decision = known.looking();
    EXPECT_THAT(decision.report.message, HasSubstr("metrics.rate.count: must be given"));
}

TEST(CanaryAnalysis, WhatNobodyWaitsForIsEnded) {
    Analysed known;
    known.judged(R"({"phase":"Running"})");
    known.object.annotations["sluice.dev/abort"] = "2";
    model::StatefulSet& canary = known.seen.sets.back();
    canary.replicas = PodCount{0};
    canary.annotations[std::string{stale_key}] = "It failed.";
    std::erase_if(known.seen.pods, [](const model::Pod& pod) { return pod.owner == "x-v2"; });
    const Decision decision = known.settled();
    EXPECT_EQ(decision.report.reason, Reason::RolledBack);
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].object.ref, ref_to(analysis::resource, known.run().meta.key));
    EXPECT_THAT(decision.actions[0].body, HasSubstr("/spec/terminate"));
    EXPECT_TRUE(decision.needs_live);
    known.run().spec.replace(1, 0, R"("terminate":true,)");
    EXPECT_TRUE(known.settled().actions.empty());
}

TEST(CanaryAnalysis, OfRunsThatAreOverTheLatestStay) {
    Analysed known;
    const Action creation = known.canary_is_ready();
    for (int i = 0; i < 7; ++i) {
        auto& run = known.add_run(creation, R"({"phase":"Failed"})");
        run.meta.key.name = fmt::format("x-v1-{}", i);
        run.created = noon - 1h + std::chrono::minutes{i};
    }
    known.add_run(creation, R"({"phase":"Running"})");
    const Decision decision = known.settled();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].verb, Verb::Delete);
    EXPECT_EQ(decision.actions[0].object.ref.name, "x-v1-0");
}

TEST(CanaryAnalysis, ARunThatIsRefusedIsTold) {
    Analysed known;
    const Action creation = known.canary_is_ready();
    known.seen.attempt = engine::Attempt{Verb::Create, creation.object.ref, std::nullopt,
                                         engine::Refusal{403, "no such right"}};
    const Decision decision = known.settled();
    EXPECT_EQ(decision.report.reason, Reason::RunHeld);
    EXPECT_THAT(decision.report.message, HasSubstr("no such right"));
    EXPECT_TRUE(decision.wake_at.has_value());
}

TEST(CanaryAnalysis, ARunOfSomebodyElseIsNotTakenForOurs) {
    Analysed known;
    const Action creation = known.canary_is_ready();
    known.seen.attempt = engine::Attempt{Verb::Create, creation.object.ref, std::nullopt,
                                         engine::Refusal{409, "exists"}};
    const Decision look = known.decided();
    ASSERT_THAT(look.rests_on, ElementsAre(creation.object.ref));
    model::CustomObject theirs;
    theirs.meta = {creation.object.ref.key(), "uid-theirs", 3, 1, false};
    theirs.owner_uid = "somebody";
    theirs.status = R"({"phase":"Successful"})";
    known.seen.fetched.push_back({creation.object.ref, theirs});
    EXPECT_EQ(known.settled().report.reason, Reason::RunHeld);
    known.seen.fetched.back().object->owner_uid = "uid-x";
    const Decision ours = known.decided();
    EXPECT_FALSE(makes_run(ours));
    EXPECT_TRUE(ours.wake_at.has_value());
}

TEST(CanaryAnalysis, WhatCannotBeReadIsRefusedWithItsPath) {
    const std::pair<std::string, std::string> all[] = {
        {"{}", "spec.updateStrategy.gates.analysis.templates"},
        {R"({"templates":[]})", "spec.updateStrategy.gates.analysis.templates"},
        {R"({"templates":[{"templateName":"A_B"}]})",
         "spec.updateStrategy.gates.analysis.templates[0].templateName"},
        {R"({"templates":[{"templateName":"a"}],"args":[{"name":"b","valueFrom":{}}]})",
         "spec.updateStrategy.gates.analysis.args[0].valueFrom"},
        {R"({"templates":[{"templateName":"a"}],"measurementRetention":[{"limit":1}]})",
         "spec.updateStrategy.gates.analysis.measurementRetention[0].metricName"}};
    for (const auto& [text, path] : all) {
        model::CustomObject object;
        object.meta = {{"shop", "x"}, "uid-x", 7, 1, false};
        object.spec = spec_with(R"({"gates":{"analysis":)" + text + "}}");
        const auto spec = read_spec(object);
        ASSERT_FALSE(spec) << text;
        EXPECT_THAT(to_text(spec.error()), HasSubstr(path));
    }
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
