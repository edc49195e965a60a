// Which AnalysisRuns belong to a rollout, and which of them are ended.
#include "api/rollout_plugin/runs.hpp"

#include <gtest/gtest.h>

#include "api/rollout_plugin/position.hpp"
#include "api/rollout_plugin/run_object.hpp"
#include "tests/unit/engine/actions.hpp"

namespace sluice::api::rollout_plugin {
namespace {

constexpr Instant noon{1'790'000'000'000};
constexpr std::uint64_t list = 7;

engine::Memory rollout(Instant started = noon) {
    engine::Memory memory;
    memory.uid = "set";
    memory.id = 1;
    memory.open = true;
    memory.started = started;
    return memory;
}

// What make_run writes on a run, as it comes back from the API.
model::CustomObject run_of(const engine::Memory& memory, const std::string& step) {
    model::CustomObject run;
    run.meta.key = {"shop", "gentle-b-" + step};
    run.meta.uid = "run " + step;
    run.owner_uid = "plugin";
    run.annotations = {{"sluice.dev/made-for", memory.uid + " 1 " + to_rfc3339(memory.started) +
                                                   " " + definition_text(list)},
                       {"sluice.dev/step", step}};
    run.spec = R"({"metrics":[{"name":"rate","provider":{"prometheus":{"query":"up"}}}]})";
    run.status = R"({"phase":"Running"})";
    return run;
}

model::CustomObject plugin() {
    model::CustomObject object;
    object.meta.key = {"shop", "gentle"};
    object.meta.uid = "plugin";
    return object;
}

engine::Decision tended(const engine::Snapshot& seen, int reached, bool is_open) {
    RunsWanted wanted;
    wanted.reached = reached;
    wanted.is_open = is_open;
    Spec spec;
    spec.steps = {SetWeight{20}, AnalysisCall{}, SetWeight{40}};
    engine::Decision decision;
    const model::CustomObject object = plugin();
    EXPECT_FALSE(add_run_action(decision, {seen, object, spec, "", ""}, rollout(), list, wanted));
    return decision;
}

TEST(PluginRuns, CountForTheRolloutThatTheyWereMadeIn) {
    engine::Snapshot seen;
    seen.owned = {run_of(rollout(), "1")};
    EXPECT_TRUE(runs_of(seen, plugin(), rollout(), list).steps.contains(1));
    // Ids come back where somebody took our memory away.
    EXPECT_TRUE(runs_of(seen, plugin(), rollout(noon + 1h), list).steps.empty());
}

TEST(PluginRuns, GoOnWhileTheirStepRestsForAnotherReason) {
    engine::Snapshot seen;
    seen.owned = {run_of(rollout(), "1"), run_of(rollout(), "background")};
    EXPECT_TRUE(writes_in(tended(seen, 1, true)).empty());
}

TEST(PluginRuns, AreEndedBehindTheirStepAndWithTheirRolloutAfterALook) {
    engine::Snapshot seen;
    seen.owned = {run_of(rollout(), "1")};
    for (const auto& [reached, is_open] : {std::pair{2, true}, std::pair{1, false}}) {
        const engine::Decision decision = tended(seen, reached, is_open);
        ASSERT_EQ(writes_in(decision).size(), 1u);
        EXPECT_NE(writes_in(decision).front().body.find("/spec/terminate"), std::string::npos);
        EXPECT_TRUE(decision.needs_live);
    }
}

TEST(PluginRuns, ThatThereIsNoRoomToReadAreNamedAndLeftAlone) {
    model::CustomObject unread = run_of(rollout(), "1");
    const RunPurpose purpose{.ns = "shop",
                             .rollout = "gentle",
                             .rollout_uid = "plugin",
                             .revision = {},
                             .step = 1,
                             .occasion = unread.annotations["sluice.dev/made-for"],
                             .labels = {},
                             .annotations = {}};
    unread.meta.key.name = run_name(purpose);
    unread.annotations.clear();
    unread.spec.clear();
    unread.status.clear();
    engine::Snapshot seen;
    seen.owned = {unread};
    Spec spec;
    spec.steps = {SetWeight{20}, AnalysisCall{}, SetWeight{40}};
    engine::Decision decision;
    const RunsWanted waiting{.step = 1, .reached = 1, .background = false, .is_open = true};
    const model::CustomObject object = plugin();
    const auto refused =
        add_run_action(decision, {seen, object, spec, "", ""}, rollout(), list, waiting);
    ASSERT_TRUE(refused.has_value());
    EXPECT_EQ(refused->reason, engine::Reason::TooManyBytes);
    EXPECT_NE(refused->message.find(unread.meta.key.name), std::string::npos);
    EXPECT_TRUE(writes_in(decision).empty());
    EXPECT_TRUE(writes_in(tended(seen, 0, true)).empty()) << "it may be the one that is waited for";
}

Status told_of(const engine::Memory& memory) {
    Status told;
    told.rollout.emplace();
    told.rollout->id = memory.id;
    told.rollout->workload_uid = memory.uid;
    told.rollout->definition = definition_text(list);
    told.rollout->started = memory.started;
    return told;
}

TEST(PluginStatus, IsAboutTheRolloutThatBeganWhenItSays) {
    EXPECT_TRUE(is_about(told_of(rollout()), rollout(), list));
    EXPECT_FALSE(is_about(told_of(rollout()), rollout(noon + 1h), list));
}

TEST(PluginOrders, PromoteFullyOnlyTheRolloutThatTheStatusSpeaksOf) {
    Status told = told_of(rollout());
    told.commands.promote_full = true;
    EXPECT_TRUE(orders_of(told, nullptr, rollout(), 1).promotes_fully);
    engine::Memory next = rollout();
    ++next.id;
    EXPECT_FALSE(orders_of(told, nullptr, next, 1).promotes_fully);
}

TEST(PluginOrders, PromoteFullyUnlessAPauseCameAfterThem) {
    Status told = told_of(rollout());
    told.commands.promote_full = true;
    Spec spec;
    spec.paused = true;
    EXPECT_TRUE(orders_of(told, &spec, rollout(), 5).promotes_fully) << "seen for the first time";
    told.commands.promoted_at = 4;
    EXPECT_TRUE(orders_of(told, &spec, rollout(), 4).promotes_fully);
    EXPECT_FALSE(orders_of(told, &spec, rollout(), 5).promotes_fully);
    spec.paused = false;
    EXPECT_TRUE(orders_of(told, &spec, rollout(), 5).promotes_fully) << "no pause, only a change";
}

}  // namespace
}  // namespace sluice::api::rollout_plugin
