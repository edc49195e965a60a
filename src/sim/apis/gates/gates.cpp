#include "sim/apis/gates/gates.hpp"

#include <map>

#include "sim/api/state.hpp"
#include "sim/apis/hooks/hooks.hpp"
#include "sim/promises/promise.hpp"

namespace sluice::sim::gates {
namespace {

// S37: no step of an update that its gates have not agreed to, each lately and about this step.
class GatesAgree final : public Promise {
  public:
    GatesAgree(std::string_view name, const Inspection& inspection, Guarded guarded)
        : Promise(name, inspection), guarded_(guarded) {}

    void on_change(const Change& change) override {
        if (change.place.resource != guarded_.resource || !change.before) return;
        const json::object& now = change.object->object();
        const json::object& before = change.before->object();
        const std::int64_t exposed = number_at(before, "/status/exposed");
        if (number_at(now, "/status/exposed") <= exposed || change.user != operator_user) return;
        judge(before, exposed, is_there(change.place.ns, before, exposed));
    }

    // The same where a step is that of a StatefulSet which the object has made.
    void on_step(const SetWrite& write) override {
        const std::string& ns = write.change.place.ns;
        const ObjectPtr owner = in.cluster.api().find(
            guarded_.resource, ns, text_at(write.now(), "/metadata/ownerReferences/0/name"));
        if (owner) judge(owner->object(), write.exposed_before(), true);
    }

  private:
    static constexpr Duration age_max = 80s;  // 60 s, and the time of the requests

    void judge(const json::object& object, std::int64_t exposed, bool asks_hook) {
        const json::object& gates = object_at(object, "/spec/updateStrategy/gates");
        if (gates.contains("hook") && asks_hook) hook_allowed(name_in(object));
        if (gates.contains("check")) checks_passed(object_at(gates, "/check"), uid_in(object));
        if (gates.contains("pause") && exposed > 0) has_rested(gates, object);
        stepped_[uid_in(object)] = now();
    }

    // The next one has a pod that the step disturbs.
    bool is_there(const std::string& ns, const json::object& before, std::int64_t exposed) const {
        if (!guarded_.pods_of) return true;
        const auto names = guarded_.pods_of(before);
        const auto next = static_cast<std::int64_t>(names.size()) - 1 - exposed;
        return next >= 0 &&
               in.cluster.api().find("pods", ns, names[static_cast<std::size_t>(next)]) != nullptr;
    }

    void hook_allowed(const std::string& name) const {
        tested();
        const hooks::HookCall* last = nullptr;
        for (const hooks::HookCall& call : in.egress.of<hooks::Hooks>().calls())
            if (call.set == name) last = &call;
        if (!last || !last->allowed)
            broken("an update of {} went on, and the hook did not allow it", name);
        else if (now() - last->at > age_max)
            broken("an update of {} went on upon an approval that is too old", name);
    }

    // Since the step before this one.
    void checks_passed(const json::object& check, const std::string& uid) {
        tested();
        const std::int64_t wanted =
            has(check, "/successThreshold") ? number_at(check, "/successThreshold") : 3;
        std::int64_t passes = 0;
        for (const MetricCall& call : in.egress.metric_calls())
            if (call.heard && call.at >= stepped_[uid] &&
                call.query.expr == text_at(check, "/query/expr") &&
                call.reading.kind == engine::MetricAnswer::Kind::NoData)
                ++passes;
        if (passes < wanted) broken("a step was taken after {} of {} checks", passes, wanted);
    }

    void has_rested(const json::object& gates, const json::object& before) const {
        tested();
        const auto since = parse_rfc3339(text_at(before, "/status/pause/since"));
        const bool is_asked = has(before, "/metadata/annotations/sluice.dev~1promote");
        if (!since) return broken("a step was taken without the pause before it");
        const bool is_over = has(gates, "/pause/seconds") &&
                             now() + in.skew >= *since + number_at(gates, "/pause/seconds") * 1s;
        if (!is_over && !is_asked) broken("a step was taken in the middle of a pause");
    }

    Guarded guarded_;
    std::map<std::string, Instant> stepped_;  // by UID
};

}  // namespace

void add_promise(Observers& all, const Inspection& inspection, Guarded guarded) {
    add<GatesAgree>(all, "S37", inspection, guarded);
}

}  // namespace sluice::sim::gates
