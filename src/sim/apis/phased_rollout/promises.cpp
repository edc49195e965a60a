// What PhasedRollouts promise: no step without the checks that they ask for, and no set that is
// left behind.
#include <fmt/format.h>

#include <algorithm>

#include "sim/api/admission.hpp"
#include "sim/apis/phased_rollout/api.hpp"
#include "sim/apis/phased_rollout/checks.hpp"
#include "sim/apis/phased_rollout/objects.hpp"

namespace sluice::sim::phased_rollout {
namespace {

// A pass is acted on within a minute, and requests take some time.
constexpr Duration age_max = 80s;

// Of a step that a PhasedRollout lets happen.
class CheckPromise : public Promise {
  public:
    CheckPromise(std::string_view name, const Inspection& inspection, const Checks& checks)
        : Promise(name, inspection), checks_(checks) {}

    void on_step(const SetWrite& step) final {
        const Api* api = api_of_claim(text_at(step.now(), claim_at));
        if (!step.read || !api || api->resource != rollouts) return;
        tested();
        judge(step, checks_.of_step(step));
    }

  private:
    virtual void judge(const SetWrite& step, const std::optional<Checked>& checked) = 0;

    const Checks& checks_;
};

// S1: the last answers of Prometheus that an operator can know of were passes.
class ChecksPassed final : public CheckPromise {
  public:
    using CheckPromise::CheckPromise;

  private:
    void judge(const SetWrite& step, const std::optional<Checked>& checked) override {
        const std::string& set = step.change.place.name;
        if (!checked)
            broken(fmt::format("the gate of {} was lowered, and no PhasedRollout says how", set));
        else if (checked->failed)
            broken(fmt::format("the gate of {} was lowered, and the check at {} failed", set,
                               to_rfc3339(*checked->failed)));
    }
};

// S6: and lately.
class ChecksAreFresh final : public CheckPromise {
  public:
    using CheckPromise::CheckPromise;

  private:
    void judge(const SetWrite&, const std::optional<Checked>& checked) override {
        if (checked && !checked->failed && checked->passes >= checked->threshold && checked->last &&
            now() - *checked->last > age_max)
            broken("the gate was lowered on a check that is too old");
    }
};

// S7: so often and no less, about this very step, once the pods had been available for the initial
// delay.
class ChecksAreOfThisStep final : public CheckPromise {
  public:
    using CheckPromise::CheckPromise;

  private:
    void judge(const SetWrite& step, const std::optional<Checked>& checked) override {
        if (checked && !checked->failed && checked->passes < checked->threshold)
            broken(fmt::format("the gate of {} was lowered after {} of {} checks of this step",
                               step.change.place.name, checked->passes, checked->threshold));
    }
};

// S24
class RestsWhilePaused final : public CheckPromise {
  public:
    using CheckPromise::CheckPromise;

  private:
    void judge(const SetWrite&, const std::optional<Checked>& checked) override {
        if (checked && has(*checked->rollout, paused_at))
            broken("the gate was lowered while the PhasedRollout is paused");
    }
};

// S26: the finalizer goes last: as long as it is there, somebody will let the set go.
class FinalizerGoesLast final : public Promise {
  public:
    using Promise::Promise;

    void on_change(const Change& change) override {
        if (change.place.resource != rollouts || change.user != operator_user) return;
        const bool goes =
            change.before && carries(change.before->object()) &&
            (change.type == Change::Type::Deleted || !carries(change.object->object()));
        if (!goes) return;
        tested();
        const ObjectPtr set =
            in_.cluster.api().find("statefulsets.apps", change.place.ns,
                                   text_at(change.object->object(), "/spec/targetRef"));
        if (set && text_at(set->object(), claim_at) == "phasedrollout/" + change.place.name)
            broken(fmt::format("the finalizer of {} is gone, and {} still carries its claim",
                               change.place.name, name_in(set->object())));
    }

  private:
    static bool carries(const json::object& object) {
        return std::ranges::any_of(array_at(object, "/metadata/finalizers"), [](const auto& one) {
            return one == json::value("sts.plus/finalizer");
        });
    }
};

}  // namespace

Observers promises(const Inspection& inspection) {
    Observers all;
    auto checks = std::make_unique<Checks>(inspection);
    add<ChecksPassed>(all, "S1", inspection, *checks);
    add<ChecksAreFresh>(all, "S6", inspection, *checks);
    add<ChecksAreOfThisStep>(all, "S7", inspection, *checks);
    add<RestsWhilePaused>(all, "S24", inspection, *checks);
    add<FinalizerGoesLast>(all, "S26", inspection);
    all.push_back(std::move(checks));
    return all;
}

}  // namespace sluice::sim::phased_rollout
