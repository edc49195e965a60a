// Rollouts through a plugin outside of the operator: what is asked, what is believed, and what is
// written before anything is asked.
#include "api/rollout_plugin/plugin_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/rollout_plugin/decide.hpp"
#include "api/rollout_plugin/declarations.hpp"
#include "api/rollout_plugin/plugin.hpp"
#include "api/rollout_plugin/status.hpp"
#include "tests/unit/engine/actions.hpp"

namespace sluice::api::rollout_plugin {
namespace {

using engine::Decision;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Instant noon{1'790'000'000'000};
const std::string spec_text = R"json({
  "workloadRef": {"apiVersion": "example.com/v1", "kind": "Split", "name": "shop"},
  "plugin": {"name": "weights", "config": {"size": "big"}},
  "strategy": {"canary": {"steps": [{"setWeight": 20}, {"pause": {}}, {"setWeight": 60}]}}
})json";

// A RolloutPlugin, what its plugin said last, and the time.
struct Desk {
    Desk() {
        seen.subject = {&outside_workloads, "shop", "weights/example.com/v1/Split/shop"};
        seen.workload.meta.key.ns = "shop";
        seen.settings =
            read_settings({{"rolloutPlugins", "- {name: weights, location: 'unix:///run/w'}"}})
                .values;
        model::CustomObject object;
        object.meta.key = {"shop", "gentle"};
        object.meta.uid = "uid-1";
        object.meta.generation = 1;
        object.spec = spec_text;
        seen.objects = {object};
    }

    Decision look() {
        Decision decision = decide(seen, now);
        for (const engine::Action& write : writes_in(decision)) {
            const auto operations = boost::json::parse(write.body).as_array();
            for (const boost::json::value& one : operations)
                if (one.at("op") == "add" && one.at("path") == "/status")
                    seen.objects[0].status = boost::json::serialize(one.at("value"));
        }
        return decision;
    }

    // PluginEvidence until nothing is written any more.
    Decision settle() {
        Decision decision = look();
        for (int i = 0; i < 10 && !writes_in(decision).empty(); ++i)
            decision = look();
        return decision;
    }

    const PluginQuestion& asked(const Decision& decision) {
        key = decision.probe.value().key;
        question = decision.probe->question;
        return *engine::opened<PluginQuestion>(*question);
    }

    // The answer to the last question that was looked at.
    void answer(PluginObservation sight) {
        seen.evidence = {{key, engine::answer_of(std::move(sight)), now}};
    }

    Status status() const { return read_status(seen.objects[0]); }
    void command(const Commands& commands) {
        Status told = status();
        told.commands = commands;
        seen.objects[0].status = write_status(told);
    }

    engine::Snapshot seen;
    Instant now = noon;
    std::string key;
    std::shared_ptr<const engine::Question> question;
};

PluginObservation at(int percent, const std::string& updated, bool verified,
                     std::string message = "") {
    return {.status = {100, percent, 100, 100, "v1", updated, true},
            .verified = verified,
            .message = std::move(message)};
}

// A rollout to v2 whose first weight was asked for.
void begin(Desk& desk) {
    desk.asked(desk.settle());
    desk.answer(at(0, "v2", false));
    desk.asked(desk.settle());  // weight 0 is to be verified
    desk.answer(at(0, "v2", true));
    desk.asked(desk.settle());  // and now 20
}

TEST(OutsideLooks, AreMadeOfAsFewCallsAsTheyNeed) {
    using enum PluginMethod;
    struct Row {
        PluginQuestion look;
        std::string speaks_of;
        std::vector<PluginMethod> calls;
    };
    const std::vector<Row> rows = {
        {{.call = {}}, "v1", {GetResourceStatus}},
        {{.call = {}, .inits = true}, "v1", {Init, GetResourceStatus}},
        {{.call = {}, .revision = "v2", .act = SetWeight, .verifies = true},
         "v2",
         {GetResourceStatus, SetWeight, VerifyWeight}},
        {{.call = {}, .revision = "v2", .verifies = true}, "v2", {GetResourceStatus, VerifyWeight}},
        {{.call = {}, .revision = "v2", .act = SetWeight, .verifies = true},
         "v3",
         {GetResourceStatus}},
    };
    for (const Row& row : rows) {
        PluginTalk so_far;
        std::vector<PluginMethod> calls;
        while (const auto method = next_method(row.look, so_far)) {
            calls.push_back(*method);
            take_answer(so_far, *method,
                        PluginAnswer{.status = at(0, row.speaks_of, false).status});
        }
        EXPECT_EQ(calls, row.calls);
    }
}

TEST(OutsideLooks, EndWithTheFirstErrorAndVerifyNothingThen) {
    const PluginQuestion look{
        .call = {}, .revision = "v2", .act = PluginMethod::SetWeight, .verifies = true};
    PluginTalk so_far;
    take_answer(so_far, PluginMethod::GetResourceStatus,
                PluginAnswer{.status = at(20, "v2", true).status});
    EXPECT_EQ(next_method(look, so_far), PluginMethod::SetWeight);
    take_answer(so_far, PluginMethod::SetWeight, failure(ErrorKind::Timeout, "too slow"));
    EXPECT_EQ(next_method(look, so_far), std::nullopt);
    EXPECT_EQ(so_far.observation, (PluginObservation{.error = "too slow"}));
}

TEST(Outside, TheFirstLookAsksWhetherThePluginCanDoIt) {
    Desk desk;
    const Decision decision = desk.look();
    EXPECT_THAT(writes_in(decision), IsEmpty());
    const PluginQuestion& look = desk.asked(decision);
    EXPECT_TRUE(look.inits);
    EXPECT_EQ(look.act, std::nullopt);
    EXPECT_EQ(look.call.name, "shop");
    EXPECT_EQ(look.call.config, R"({"size":"big"})");
    desk.answer(at(0, "v1", false));
    const Decision rests = desk.settle();
    EXPECT_EQ(desk.status().phase, phase::healthy);
    EXPECT_EQ(rests.probe, std::nullopt);
    EXPECT_GT(rests.wake_at, desk.now);
}

TEST(Outside, WhatIsAskedForIsToldFirst) {
    Desk desk;
    desk.asked(desk.settle());
    desk.answer(at(0, "v2", false));
    const Decision started = desk.look();
    ASSERT_THAT(writes_in(started), SizeIs(1));
    EXPECT_EQ(started.probe, std::nullopt);
    EXPECT_TRUE(desk.status().in_progress);
    EXPECT_EQ(desk.status().rollout->weight, 0);
    const Decision asks = desk.settle();
    EXPECT_TRUE(asks.needs_live);
    const PluginQuestion& first = desk.asked(asks);
    EXPECT_EQ(first.revision, "v2");
    EXPECT_EQ(first.act, PluginMethod::SetWeight);
    EXPECT_EQ(first.call.weight, 0);
    desk.answer(at(0, "v2", true));
    desk.look();
    EXPECT_EQ(desk.status().rollout->weight, 20);
    EXPECT_EQ(desk.asked(desk.settle()).call.weight, 20);
}

TEST(Outside, OnlyAFreshVerifiedLookAtThisWeightTakesAStep) {
    struct Row {
        const char* what;
        PluginObservation sight;
        Duration age;
    };
    for (const Row& row : {Row{"an error", {.error = "down"}, 0s},
                           Row{"not verified", at(20, "v2", false, "It is at 3 %."), 0s},
                           Row{"too old", at(20, "v2", true), 6s}}) {
        Desk desk;
        desk.seen.objects[0].spec = R"json({
          "workloadRef": {"apiVersion": "example.com/v1", "kind": "Split", "name": "shop"},
          "plugin": {"name": "weights"},
          "strategy": {"canary": {"steps": [{"setWeight": 20}, {"setWeight": 60}]}}})json";
        begin(desk);
        desk.answer(row.sight);
        desk.now = desk.now + row.age;
        desk.settle();
        EXPECT_EQ(desk.status().rollout->weight, 20) << row.what;
        // The same words about another weight are no evidence either.
        desk.key += "0";
        desk.answer(at(20, "v2", true));
        desk.settle();
        EXPECT_EQ(desk.status().rollout->weight, 20) << row.what;
    }
}

TEST(Outside, APauseHoldsUntilSomebodyGoesOnAndThePluginIsAskedAgain) {
    Desk desk;
    begin(desk);
    desk.answer(at(20, "v2", true));
    desk.settle();
    EXPECT_EQ(desk.status().phase, phase::paused);
    EXPECT_EQ(desk.status().step, 1);
    Status told = desk.status();
    told.pause.conditions.clear();
    desk.seen.objects[0].status = write_status(told);
    desk.now = desk.now + 10s;
    const Decision again = desk.look();
    EXPECT_THAT(writes_in(again), IsEmpty());
    EXPECT_EQ(desk.asked(again).act, std::nullopt);
    desk.answer(at(20, "v2", true));
    desk.settle();
    EXPECT_EQ(desk.status().rollout->weight, 60);
}

TEST(Outside, AnAbortWinsOverAPauseAndIsToldBeforeItIsAsked) {
    Desk desk;
    begin(desk);
    desk.answer(at(20, "v2", true));
    desk.settle();
    desk.command({.abort = true});
    const Decision decision = desk.settle();
    EXPECT_TRUE(desk.status().abort.aborted);
    EXPECT_FALSE(desk.status().commands.abort);
    EXPECT_EQ(desk.asked(decision).act, PluginMethod::Abort);
    desk.answer(at(0, "v2", true));
    desk.settle();
    EXPECT_FALSE(desk.status().in_progress);
    EXPECT_EQ(desk.status().phase, phase::failed);
    // The same revision is left alone, until somebody asks for it.
    desk.now = desk.now + 1min;
    EXPECT_EQ(desk.asked(desk.settle()).act, std::nullopt);
    desk.answer(at(0, "v2", false));
    desk.settle();
    EXPECT_FALSE(desk.status().in_progress);
    desk.command({.restart = true});
    EXPECT_EQ(desk.asked(desk.settle()).act, PluginMethod::Restart);
    EXPECT_TRUE(desk.status().in_progress);
    EXPECT_EQ(desk.status().restart.count, 1);
}

TEST(Outside, ANewRevisionBeginsFromTheTop) {
    Desk desk;
    begin(desk);
    desk.answer(at(20, "v3", true));
    const PluginQuestion& look = desk.asked(desk.settle());
    EXPECT_EQ(look.revision, "v3");
    EXPECT_EQ(look.call.weight, 0);
    EXPECT_EQ(desk.status().rollout->id, 2);
}

TEST(Outside, WhatCannotBeReadForgetsNothing) {
    Desk desk;
    begin(desk);
    const Status before = desk.status();
    desk.seen.settings = read_settings({}).values;
    const Decision refused = desk.settle();
    EXPECT_EQ(refused.probe, std::nullopt);
    EXPECT_EQ(desk.status().reason, "InvalidSpec");
    EXPECT_THAT(desk.status().message, HasSubstr("spec.plugin.name: no plugin weights"));
    EXPECT_TRUE(desk.status().in_progress);
    EXPECT_EQ(desk.status().rollout->weight, before.rollout->weight);
    EXPECT_EQ(desk.status().rollout->definition, before.rollout->definition);
    EXPECT_EQ(desk.status().step, before.step);
}

TEST(Outside, AStatefulSetThatIsAwayForAMomentForgetsNothing) {
    Desk desk;
    std::string& spec = desk.seen.objects[0].spec;
    spec.replace(spec.find("example.com/v1"), 14, "apps/v1");
    spec.replace(spec.find("Split"), 5, "StatefulSet");
    desk.seen.workload.meta = {.key = {"shop", "shop"}, .uid = "set-1"};
    desk.seen.subject = ref_to(model::statefulsets, desk.seen.workload.meta.key);
    begin(desk);
    const Status before = desk.status();
    ASSERT_EQ(before.rollout->weight, 20);
    desk.seen.workload.meta.uid.clear();
    const Decision decision = desk.settle();
    EXPECT_EQ(decision.probe, std::nullopt);
    EXPECT_EQ(desk.status().reason, "TargetMissing");
    EXPECT_TRUE(desk.status().in_progress);
    EXPECT_EQ(desk.status().rollout, before.rollout);
}

TEST(Outside, AWaitWhoseWordsChangeIsNotWrittenAtEveryLook) {
    Desk desk;
    begin(desk);
    int writes = 0;
    for (int percent = 1; percent < 15; ++percent) {
        desk.now = desk.now + 2s;
        desk.seen.waiting_for = engine::Reason::PluginWorking;
        desk.seen.waiting_since = noon;
        desk.answer(at(percent, "v2", false, std::to_string(percent) + " % so far."));
        for (Decision decision = desk.look(); !writes_in(decision).empty(); decision = desk.look())
            ++writes;
    }
    EXPECT_LE(writes, 3);
    EXPECT_GE(writes, 1);
}

TEST(Outside, AnErrorDuringALongPauseIsNotLate) {
    Desk desk;
    desk.seen.objects[0].spec.insert(desk.seen.objects[0].spec.rfind('}'),
                                     R"(, "onFailure": "Rollback")");
    begin(desk);
    desk.answer(at(20, "v2", true));
    desk.settle();
    ASSERT_EQ(desk.status().phase, phase::paused);
    desk.now = desk.now + 2h;
    desk.asked(desk.settle());
    desk.answer({.error = "down"});
    desk.settle();
    EXPECT_FALSE(desk.status().abort.aborted);
    desk.answer(at(20, "v2", false, "It is at 3 %."));
    desk.settle();
    EXPECT_FALSE(desk.status().abort.aborted);
}

TEST(Outside, WithoutStepsNothingIsPromotedBeforeItIsVerifiedAndNoneWhilePaused) {
    Desk desk;
    desk.seen.objects[0].spec = R"json({
      "workloadRef": {"apiVersion": "example.com/v1", "kind": "Split", "name": "shop"},
      "plugin": {"name": "weights"}, "paused": true, "strategy": {"canary": {"steps": []}}})json";
    desk.asked(desk.settle());
    desk.answer(at(0, "v2", false));
    EXPECT_EQ(desk.asked(desk.settle()).act, PluginMethod::SetWeight);
    desk.answer(at(0, "v2", true));
    desk.settle();
    EXPECT_EQ(desk.status().reason, "Paused");
    EXPECT_EQ(desk.status().rollout->weight, 0);
}

TEST(Outside, AnotherWorkloadIsAnotherRollout) {
    Desk desk;
    begin(desk);
    desk.answer(at(20, "v2", true));
    desk.settle();
    std::string& spec = desk.seen.objects[0].spec;
    spec.replace(spec.find("\"shop\""), 6, "\"other\"");
    ++desk.seen.objects[0].meta.generation;
    EXPECT_EQ(desk.asked(desk.settle()).act, std::nullopt);
    desk.answer(at(0, "v2", false));
    const PluginQuestion& look = desk.asked(desk.settle());
    EXPECT_EQ(look.call.name, "other");
    EXPECT_EQ(look.call.weight, 0);
}

TEST(Outside, ALongRevisionIsOneRevision) {
    const std::string revision = "sha256:" + std::string(200, 'a');
    Desk desk;
    desk.asked(desk.settle());
    desk.answer(at(0, revision, false));
    EXPECT_EQ(desk.asked(desk.settle()).revision, revision);
    EXPECT_EQ(desk.status().updated_revision, revision);
}

TEST(Outside, AnAbortThatComesTooLateEndsWithTheNewRevision) {
    Desk desk;
    begin(desk);
    desk.command({.promote_full = true});
    EXPECT_EQ(desk.asked(desk.settle()).act, PluginMethod::Promote);
    PluginObservation promoted = at(100, "v2", false);
    promoted.status.current_revision = "v2";
    promoted.status.ready = false;
    desk.answer(promoted);
    desk.settle();
    desk.command({.abort = true});
    EXPECT_EQ(desk.asked(desk.settle()).act, PluginMethod::Abort);
    EXPECT_TRUE(desk.status().abort.aborted);
    desk.answer(promoted);
    desk.settle();
    EXPECT_FALSE(desk.status().in_progress);
    EXPECT_EQ(desk.status().current_revision, "v2");
}

TEST(Outside, ARevisionThatIsTakenBackIsFollowedAtAPaceAndToTheEnd) {
    Desk desk;
    begin(desk);
    desk.answer(at(20, "v2", true));
    desk.settle();
    desk.now = desk.now + 20s;
    desk.asked(desk.settle());
    desk.answer(at(20, "v1", false));
    EXPECT_EQ(desk.asked(desk.settle()).act, PluginMethod::Abort);
    desk.answer({.error = "busy"});
    const Decision waits = desk.settle();
    EXPECT_EQ(waits.probe, std::nullopt);
    EXPECT_GT(waits.wake_at, desk.now);
    desk.now = desk.now + 5s;
    desk.asked(desk.settle());
    desk.answer(at(20, "v1", false));
    desk.asked(desk.settle());
    desk.answer(at(20, "v1", false));  // ready, and a fifth of it still where it was
    desk.settle();
    EXPECT_TRUE(desk.status().in_progress);
    desk.answer(at(0, "v1", true));
    desk.settle();
    EXPECT_FALSE(desk.status().in_progress);
}

TEST(Outside, OfTwoThatNameOneWorkloadOneSteers) {
    Desk desk;
    model::CustomObject second = desk.seen.objects[0];
    second.meta.key.name = "younger";
    second.meta.uid = "uid-2";
    EXPECT_EQ(target_of(second), target_of(desk.seen.objects[0]));
    desk.seen.objects.push_back(second);
    const Decision decision = decide(desk.seen, desk.now);
    ASSERT_THAT(writes_in(decision), SizeIs(1));
    EXPECT_EQ(writes_in(decision)[0].object.ref.name, "younger");
    EXPECT_THAT(writes_in(decision)[0].body,
                HasSubstr("rolloutplugin/gentle steers this workload"));
}

// Whom the only status that the decision writes to others is about.
std::string told_by(const engine::Snapshot& seen) {
    const Decision decision = decide(seen, noon);
    for (const engine::Action& write : writes_in(decision))
        if (write.body.find("steers this workload") != std::string::npos)
            return write.object.ref.name;
    return "nobody";
}

TEST(Outside, WhoIsInTheMiddleOfARolloutSteersAndNotTheOldest) {
    Desk desk;
    begin(desk);
    model::CustomObject older = desk.seen.objects[0];
    older.meta.key.name = "older";
    older.meta.uid = "uid-2";
    desk.seen.objects.insert(desk.seen.objects.begin(), older);
    EXPECT_EQ(told_by(desk.seen), "older") << "its status is of somebody else's rollout";
    desk.seen.objects[0].status = "";
    EXPECT_EQ(told_by(desk.seen), "older");
    desk.seen.objects[1].status = "";
    EXPECT_EQ(told_by(desk.seen), "gentle") << "neither is: the first of them";
    desk.seen.objects[0].meta.deleting = true;
    EXPECT_EQ(told_by(desk.seen), "nobody") << "one that goes steers nothing and is told nothing";
    desk.seen.objects[1].meta.deleting = true;
    EXPECT_TRUE(writes_in(decide(desk.seen, noon)).empty());
}

TEST(OutsidePlugins, AreFoundOrRefusedWithTheField) {
    const auto found = [](const std::string& plugin, const std::string& kind = "Split") {
        Desk desk;
        desk.seen.environment.plugin_directory = "/plugins";
        Spec spec;
        spec.workload = {kind == "StatefulSet" ? "apps/v1" : "example.com/v1", kind, "shop"};
        spec.plugin.name = plugin;
        if (plugin.starts_with("file://")) spec.plugin.url = plugin;
        const auto address = plugin_of(spec, desk.seen);
        if (!address) return to_text(address.error());
        return std::string{*address ? "outside" : "built in"};
    };
    EXPECT_EQ(found("weights"), "outside");
    EXPECT_EQ(found("statefulset", "StatefulSet"), "built in");
    EXPECT_THAT(found("statefulset"), HasSubstr("spec.workloadRef: must name a StatefulSet"));
    EXPECT_THAT(found("other"), HasSubstr("spec.plugin.name: no plugin other is declared"));
    EXPECT_EQ(found("file:///plugins/own"), "outside");
    EXPECT_EQ(found("file:///bin/sh"), "spec.plugin.url: must be below /plugins.");
}

}  // namespace
}  // namespace sluice::api::rollout_plugin
