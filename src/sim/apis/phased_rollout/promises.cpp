// What PhasedRollouts promise: no step without the checks that they ask for, and no set that is
// left behind.
#include <algorithm>

#include "sim/apis/phased_rollout/api.hpp"
#include "sim/apis/phased_rollout/checks.hpp"
#include "sim/apis/phased_rollout/objects.hpp"

namespace sluice::sim::phased_rollout {
namespace {

// A pass is acted on within a minute, and requests take some time.
constexpr Duration age_max = 80s;

using Checkings = std::optional<Checked>;  // nothing: no PhasedRollout says how this step is taken

// S1: the last answers of Prometheus that an operator can know of were passes.
void checks_passed(const Promise& promise, const SetWrite& step, const Checkings& checked) {
    const std::string& set = step.change.place.name;
    if (!checked)
        promise.broken("the gate of {} was lowered, and no PhasedRollout says how", set);
    else if (checked->failed)
        promise.broken("the gate of {} was lowered, and the check at {} failed", set,
                       to_rfc3339(*checked->failed));
}

// S6: and lately.
void checks_are_fresh(const Promise& promise, const SetWrite&, const Checkings& checked) {
    if (checked && !checked->failed && checked->passes >= checked->threshold && checked->last &&
        promise.now() - *checked->last > age_max)
        promise.broken("the gate was lowered on a check that is too old");
}

// S7: so often and no less, about this very step, once the pods had been available for the initial
// delay.
void checks_are_of_this_step(const Promise& promise, const SetWrite& step,
                             const Checkings& checked) {
    if (checked && !checked->failed && checked->passes < checked->threshold)
        promise.broken("the gate of {} was lowered after {} of {} checks of this step",
                       step.change.place.name, checked->passes, checked->threshold);
}

// S24
void rests_while_paused(const Promise& promise, const SetWrite&, const Checkings& checked) {
    if (checked && has(*checked->rollout, paused_at))
        promise.broken("the gate was lowered while the PhasedRollout is paused");
}

struct CheckRule {
    std::string_view name;
    void (*judge)(const Promise& promise, const SetWrite& step, const Checkings& checked);
};
constexpr CheckRule check_rules[] = {
    {"S1", checks_passed},
    {"S6", checks_are_fresh},
    {"S7", checks_are_of_this_step},
    {"S24", rests_while_paused},
};

// Of a step that a PhasedRollout lets happen.
class CheckPromise final : public Promise {
  public:
    CheckPromise(const CheckRule& rule, const Inspection& inspection, const Checks& checks)
        : Promise(rule.name, inspection), judge_(rule.judge), checks_(checks) {}

    void on_step(const SetWrite& step) override {
        const Api* api = api_of_claim(text_at(step.now(), claim_at));
        if (!step.read || !api || api->resource != rollouts) return;
        tested();
        judge_(*this, step, checks_.of_step(step));
    }

  private:
    decltype(CheckRule::judge) judge_;
    const Checks& checks_;
};

bool carries_finalizer(const json::object& rollout) {
    const json::array& all = array_at(rollout, "/metadata/finalizers");
    return std::ranges::find(all, json::value(finalizer)) != all.end();
}

// S26: the finalizer goes last: as long as it is there, somebody will let the set go.
void finalizer_goes_last(const Promise& promise, const Change& change) {
    if (change.place.resource != rollouts) return;
    const bool goes =
        change.before && carries_finalizer(change.before->object()) &&
        (change.type == Change::Type::Deleted || !carries_finalizer(change.object->object()));
    if (!goes) return;
    promise.tested();
    const ObjectPtr set = promise.in.cluster.api().find(
        "statefulsets.apps", change.place.ns, text_at(change.object->object(), "/spec/targetRef"));
    if (set && text_at(set->object(), claim_at) == "phasedrollout/" + change.place.name)
        promise.broken("the finalizer of {} is gone, and {} still carries its claim",
                       change.place.name, name_in(set->object()));
}

constexpr Rule<> rules[] = {{.name = "S26", .on_own_change = finalizer_goes_last}};

}  // namespace

void promises(Observers& all, const Inspection& inspection) {
    auto checks = std::make_unique<Checks>(inspection);
    for (const CheckRule& rule : check_rules)
        add<CheckPromise>(all, rule, inspection, *checks);
    add(all, rules, inspection);
    all.push_back(std::move(checks));
}

}  // namespace sluice::sim::phased_rollout
