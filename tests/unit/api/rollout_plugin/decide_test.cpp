// Who steers a set that RolloutPlugins name, and what each of them is told.
#include "api/rollout_plugin/decide.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/rollout_plugin/plugin_state.hpp"
#include "engine/steering.hpp"
#include "model/annotations.hpp"
#include "tests/unit/engine/actions.hpp"
#include "tests/unit/engine/seen.hpp"

namespace sluice::api::rollout_plugin {
namespace {

namespace key = model::key;
using namespace engine::testing;
using engine::Decision;
using engine::Reason;
using engine::Snapshot;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string weights = R"json({
  "workloadRef": {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web"},
  "plugin": {"name": "statefulset-plugin"},
  "strategy": {"type": "Canary", "canary": {"steps": [{"setWeight": 40}, {"setWeight": 100}]}}
})json";

model::CustomObject object(const std::string& name, const std::string& spec = weights) {
    model::CustomObject one;
    one.meta = {{"shop", name}, name + "-uid", 20, 1, false};
    one.created = noon - 2h;
    one.spec = spec;
    return one;
}

// The pods from `partition` up were let go, on behalf of "gentle".
Snapshot open_at(int partition, std::vector<model::CustomObject> objects) {
    Snapshot look = rolling(3, partition);
    look.workload.labels.clear();
    look.objects = std::move(objects);
    engine::Memory memory;
    memory.uid = "set";
    memory.id = 3;
    memory.revision = "web-B";
    memory.template_hash = 0xB;
    memory.partition = Partition{partition};
    memory.open = true;
    memory.started = noon - 10min;
    memory.generation = look.workload.meta.generation;
    look.workload.has_annotations = true;
    look.workload.annotations = {{key::claim, "rolloutplugin/gentle"},
                                 {key::rollout, engine::encode(memory)},
                                 {key::phase, "Rolling"}};
    return look;
}

const engine::Action* status_of(const Decision& decision, const std::string& name) {
    for (const engine::Action& write : decision.actions)
        if (write.of_status && write.object.ref.name == name) return &write;
    return nullptr;
}

TEST(PluginDecision, LetsThePodsOfAStepGoAndTellsOfThemInItsOwnWords) {
    const Decision decision = decide(open_at(2, {object("gentle")}), noon);
    ASSERT_TRUE(patch_in(decision));
    EXPECT_EQ(patch_in(decision)->partition, Partition{0});
    EXPECT_THAT(patch_in(decision)->body, Not(HasSubstr("sluice.dev~1reason")))
        << "the report is in the status of the RolloutPlugin";
    ASSERT_EQ(decision.notices.size(), 1u);
    EXPECT_EQ(decision.notices[0].reason, Reason::StepTaken);
}

TEST(PluginDecision, WhoTakesASetThatNobodyHoldsLooksFirst) {
    Snapshot free = seen(3);
    free.workload.labels.clear();
    free.objects = {object("gentle")};
    const Decision adopts = decide(free, noon);
    ASSERT_TRUE(patch_in(adopts));
    EXPECT_TRUE(adopts.needs_live);
    EXPECT_FALSE(decide(open_at(2, {object("gentle")}), noon).needs_live);
    Snapshot known = open_at(2, {object("gentle")});
    known.workload.annotations[key::claim] = "rolloutplugin/one-that-is-gone";
    const Decision inherits = decide(known, noon);
    ASSERT_TRUE(patch_in(inherits));
    EXPECT_FALSE(inherits.needs_live);
}

// A rollout of web-B with an analysis in the background, of which nothing is there yet; the
// template was changed again, and Kubernetes has not counted all of it.
Decision told_once(const std::string& revision) {
    std::string measured = weights;
    measured.replace(measured.find(R"("steps")"), 0,
                     R"("analysis": {"templates": [{"templateName": "errors"}]}, )");
    Snapshot look = open_at(2, {object("gentle", measured)});
    look.workload.update_revision = revision;
    look.workload.observed_generation = look.workload.meta.generation - 1;
    if (const auto* told = status_of(decide(look, noon), "gentle"))
        for (const boost::json::value& one : boost::json::parse(told->body).as_array())
            if (one.at("op") == "add")
                look.objects[0].status = boost::json::serialize(one.at("value"));
    return decide(look, noon);
}

TEST(PluginDecision, AsksForNoAnalysisOfARevisionThatItsRolloutIsNotAbout) {
    EXPECT_EQ(told_once("web-B").rests_on.size(), 1u) << "the template of the analysis";
    EXPECT_TRUE(told_once("web-C").rests_on.empty());
}

TEST(PluginDecision, TheOthersThatNameTheSetAreToldWhoSteersIt) {
    model::CustomObject leaving = object("leaving");
    leaving.meta.deleting = true;
    const Decision decision =
        decide(open_at(2, {object("gentle"), object("other"), leaving}), noon);
    const auto* told = status_of(decision, "other");
    ASSERT_NE(told, nullptr);
    EXPECT_THAT(told->body, HasSubstr("rolloutplugin/gentle steers StatefulSet web."));
    EXPECT_EQ(status_of(decision, "leaving"), nullptr);
}

TEST(PluginDecision, OneThatIsBeingDeletedDoesNothingAndIsSpokenOf) {
    model::CustomObject leaving = object("gentle");
    leaving.meta.deleting = true;
    const Decision decision = decide(open_at(2, {leaving}), noon);
    EXPECT_FALSE(patch_in(decision));
    ASSERT_TRUE(decision.subject.has_value());
    EXPECT_EQ(decision.subject->ref.name, "gentle");
}

TEST(PluginDecision, NamesTheObjectInTheCommandThatHelps) {
    model::CustomObject paused = object("gentle");
    paused.annotations[key::paused] = "true";
    const Decision decision = decide(open_at(2, {paused}), noon);
    EXPECT_EQ(decision.report.reason, Reason::Paused);
    EXPECT_THAT(decision.report.unblock, HasSubstr("sluice resume -n shop rolloutplugin/gentle"));
}

TEST(PluginDecision, APersonMaySayOnEitherObjectThatUnreadyPodsBehindTheGateDoNotMatter) {
    std::string one_by_one = weights;
    one_by_one.replace(one_by_one.find(R"({"setWeight": 100})"), 0, R"({"setWeight": 70}, )");
    Snapshot look = open_at(2, {object("gentle", one_by_one)});
    look.pods[0].ready = false;
    EXPECT_FALSE(patch_in(decide(look, noon)));
    Snapshot by_set = look;
    by_set.workload.annotations[key::allow_unready] = "true";
    EXPECT_TRUE(patch_in(decide(by_set, noon)));
    look.objects[0].annotations[key::allow_unready] = "true";
    EXPECT_TRUE(patch_in(decide(look, noon)));
}

TEST(PluginDecision, PodsThatTheNextStepReplacesMayBeBroken) {
    Snapshot look = open_at(2, {object("gentle")});
    look.pods[0].ready = look.pods[1].ready = false;
    EXPECT_EQ(patch_in(decide(look, noon))->partition, Partition{0});
    look.pods[2].ready = false;
    EXPECT_FALSE(patch_in(decide(look, noon))) << "one that went before";
}

TEST(PluginDecision, APromotionOfAllPodsEndsThePauseOfTheSpecFirst) {
    std::string paused = weights;
    paused.insert(paused.rfind('}'), R"(, "paused": true)");
    Snapshot look = open_at(2, {object("gentle", paused)});
    EXPECT_EQ(decide(look, noon).report.reason, Reason::Paused);
    look.objects[0].status = R"({"promoteFull":true,"rollout":{"id":3,"workloadUID":"set",
        "startedAt":")" + to_rfc3339(noon - 10min) +
                             R"("}})";
    const Decision decision = decide(look, noon);
    EXPECT_FALSE(patch_in(decision));
    ASSERT_EQ(writes_in(decision).size(), 1u);
    EXPECT_FALSE(writes_in(decision)[0].of_status);
    EXPECT_THAT(writes_in(decision)[0].body, HasSubstr(R"("path":"/spec/paused","value":false)"));
}

TEST(PluginDecision, ThatNothingIsPendingDoesNotHideAPause) {
    std::string paused = weights;
    paused.insert(paused.rfind('}'), R"(, "paused": true)");
    Snapshot look = open_at(3, {object("gentle", paused)});
    engine::Memory memory = engine::recall(look.workload).value();
    memory.open = false;
    memory.revision = look.workload.update_revision = look.workload.current_revision;
    look.workload.annotations[key::rollout] = engine::encode(memory);
    look.workload.annotations[key::phase] = "Idle";
    const std::string status = status_of(decide(look, noon), "gentle")->body;
    EXPECT_THAT(status, HasSubstr(R"("phase":"Paused")"));
    EXPECT_THAT(status, HasSubstr(R"("reason":"Paused")"));
}

// What the status will be.
std::string status_after(const Decision& decision) {
    const auto operations = boost::json::parse(status_of(decision, "gentle")->body).as_array();
    return boost::json::serialize(operations.back().at("value"));
}

TEST(PluginDecision, ARunThatThereIsNoRoomForIsToldOfOnceAndNotMadeAgain) {
    std::string analysed = weights;
    analysed.replace(analysed.find(R"({"setWeight": 100})"), 18,
                     R"({"analysis": {"templates": [{"templateName": "errors"}]}})");
    Snapshot look = open_at(2, {object("gentle", analysed)});
    look.objects[0].status = status_after(decide(look, noon));
    Decision decision = decide(look, noon);
    ASSERT_EQ(decision.rests_on.size(), 1u);
    model::CustomObject recipe;
    recipe.spec = R"({"metrics":[{"name":"ok","provider":{"web":{"url":"http://shop/"}}}]})";
    look.fetched = {{decision.rests_on[0], recipe}};
    decision = decide(look, noon);
    ASSERT_EQ(writes_in(decision).size(), 1u);
    ASSERT_EQ(writes_in(decision)[0].verb, engine::Action::Verb::Create);
    model::CustomObject unread;
    unread.meta.key = writes_in(decision)[0].object.ref.key();
    unread.owner_uid = "gentle-uid";
    look.owned = {unread};
    look.objects[0].status = status_after(decide(look, noon));
    EXPECT_THAT(look.objects[0].status, HasSubstr(R"("reason":"TooManyBytes")"));
    EXPECT_THAT(look.objects[0].status, HasSubstr(unread.meta.key.name));
    EXPECT_TRUE(writes_in(decide(look, noon + 1s)).empty());
}

TEST(PluginDecision, APodThatIsReplacedIsWorthAWordOnlyIfItTakesLong) {
    Snapshot look = open_at(2, {object("gentle")});
    look.pods[2] = pod(2, "A", false);
    look.waiting_for = Reason::PodsNotReady;
    look.waiting_since = noon;
    const Decision soon = decide(look, noon + 2s);
    EXPECT_TRUE(soon.silent);
    EXPECT_EQ(soon.wake_at, noon + 10s);
    EXPECT_FALSE(decide(look, noon + 10s).silent);
}

TEST(PluginDecision, ASpecThatCannotBeReadHoldsEverything) {
    const std::string odd = R"({"workloadRef":{"apiVersion":"apps/v1","kind":"StatefulSet",)"
                            R"("name":"web"},"plugin":{"name":"statefulset-plugin"}})";
    const Decision decision = decide(open_at(2, {object("gentle", odd)}), noon);
    EXPECT_EQ(decision.report.reason, Reason::InvalidSpec);
    EXPECT_FALSE(patch_in(decision));
    Snapshot bypassed = open_at(2, {object("gentle", odd)});
    bypassed.workload.partition = Partition{0};
    const Decision closes = decide(bypassed, noon);
    ASSERT_TRUE(patch_in(closes)) << "somebody opened the gate: it is closed all the same";
    EXPECT_EQ(patch_in(closes)->partition, Partition{2});
}

TEST(PluginTarget, IsTheSetThatItNamesOrAWorkloadOfItsPlugin) {
    const auto of = [](const std::string& spec) { return target_of(object("gentle", spec)); };
    const model::Ref web{&model::statefulsets, "shop", "web"};
    EXPECT_EQ(of(weights), web);
    for (const char* odd : {"", "{", "7", "{}", R"({"workloadRef":{"name":7}})"})
        EXPECT_EQ(of(odd).name, "") << odd;
    EXPECT_EQ(of(R"({"workloadRef":{"apiVersion":"apps/v1","kind":"StatefulSet","name":"web"},)"
                 R"("plugin":{"name":"other"}})"),
              web);
    EXPECT_EQ(of(R"({"workloadRef":{"apiVersion":"example.com/v1",)"
                 R"("kind":"Cache","name":"web"},"plugin":{"name":"cacher"}})"),
              (model::Ref{&outside_workloads, "shop", "cacher/example.com/v1/Cache/web"}));
}

}  // namespace
}  // namespace sluice::api::rollout_plugin
