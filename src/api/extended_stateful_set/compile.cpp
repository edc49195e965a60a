#include "api/extended_stateful_set/compile.hpp"

#include <algorithm>

namespace sluice::api::extended_stateful_set {
namespace {

// From where the upgrade stands: whoever changes the number of canaries in the middle of it leaves
// out neither a pause nor a question.
std::vector<PodCount> targets(PodCount canaries, const Circumstances& now) {
    if (now.hands_over) {
        std::vector<PodCount> each;
        for (int pods = 1; pods <= now.all().value; ++pods)
            each.push_back({pods});
        return each;
    }
    std::vector<PodCount> all{std::min(now.exposed, now.all()), canaries};
    for (int zone = 1; zone <= now.zones; ++zone)
        all.push_back({now.pods.value * zone});
    return all;
}

// Whether the canaries get their time behind this step. No canaries: all that are made at once are
// so, or the first ordinal that is handed over. Who is past them is not held for them any more.
bool is_of_canaries(PodCount from, PodCount target, PodCount canaries, const Circumstances& now) {
    const PodCount at_once = now.hands_over ? PodCount{1} : now.pods;
    const PodCount wanted = canaries.value > 0 ? canaries : at_once;
    return from < wanted && target >= wanted && (target == wanted || target < now.pods);
}

}  // namespace

engine::Plan compile(const Spec& spec, const Circumstances& now) {
    engine::Plan plan;
    if (now.can_go_back) {
        plan.on_failure = engine::OnFailure::Rollback;
        plan.deadline = now.deadline;
    }
    plan.at_deadline = engine::OnFailure::Rollback;
    if (!now.blocked_by.empty())
        plan.throughout.emplace_back(
            engine::Refused{engine::Reason::ServiceNotSwitched, now.blocked_by});
    const gates::StepGates guards{spec.strategy.gates, now.gates};
    const PodCount canaries{std::min(spec.strategy.canaries, now.pods.value)};
    std::optional<PodIndex> prev;
    PodCount from{0};
    for (const PodCount target : targets(canaries, now)) {
        if (target <= from) continue;
        const PodIndex last{partition_for(target, now.all()).value};
        plan.steps.push_back({target, guards.before(from, {prev, now.old_pod}),
                              guards.after(last, target == now.all())});
        if (is_of_canaries(from, target, canaries, now) && spec.strategy.canary_time > Duration{0})
            plan.steps.back().after.emplace_back(engine::SettleTime{spec.strategy.canary_time});
        // Whoever changes the number of canaries leaves it out at no step.
        if (now.analysis && target >= canaries) plan.steps.back().after.emplace_back(*now.analysis);
        prev = last;
        from = target;
    }
    if (plan.steps.empty()) return plan;
    // A Job runs once everybody else agrees.
    if (now.job_before) plan.steps.front().before.emplace_back(*now.job_before);
    if (now.job_after) plan.steps.back().after.emplace_back(*now.job_after);
    return plan;
}

// What failed stays where it is: a pod that went back would read the same.
engine::Plan compile_restart(const Spec& spec, const gates::Circumstances& now, PodCount pods,
                             const RestartHolds& holds) {
    engine::Plan plan;
    const gates::StepGates guards{spec.strategy.gates, now};
    if (holds.elsewhere) plan.throughout.emplace_back(*holds.elsewhere);
    std::optional<PodIndex> prev;
    for (PodCount target{1}; target <= pods; ++target.value) {
        const PodIndex next{partition_for(target, pods).value};
        plan.steps.push_back({target, guards.before({target.value - 1}, {prev, next, next}),
                              guards.after(next, target == pods)});
        if (holds.last_ready && holds.last_ready->pod == next)
            plan.steps.back().before.emplace_back(holds.last_ready->why);
        prev = next;
    }
    if (!plan.steps.empty()) plan.steps.back().after.emplace_back(engine::RevisionSettled{});
    return plan;
}

}  // namespace sluice::api::extended_stateful_set
