#include "sim/world/inspector.hpp"

#include "sim/api/admission.hpp"
#include "sim/api/state.hpp"
#include "sim/apis/registry.hpp"

namespace sluice::sim {

Inspector::Inspector(Cluster& cluster, Egress& egress, Duration skew) : history_(cluster) {
    const Inspection inspection{cluster, egress, history_, skew, findings_, observers_};
    for (const auto add : {add_write_promises, add_set_promises, add_step_promises,
                           add_removal_promises, add_view_promises})
        add(observers_, inspection);
    for (const Api& api : apis())
        if (api.promises) api.promises(observers_, inspection);
    cluster.api().on_change([this](const Change& change) { on_change(change); });
}

HostWitness Inspector::witness() {
    HostWitness witness;
    witness.writes = [this](const std::string& who, const engine::Action& action) {
        using Verb = engine::Action::Verb;
        const model::Ref& ref = action.object.ref;
        if (action.verb == Verb::Create)
            history_.on_create(who);
        else if (action.verb == Verb::Delete)
            history_.on_delete(who, action.object.uid);
        else if (ref.resource == &model::statefulsets)
            history_.on_patch(who, action.body, ref.key());
        else
            history_.on_object_patch(who);
    };
    witness.reads = [this](const std::string& who, const model::ObjectKey& key) {
        history_.on_read(who, key);
    };
    witness.logs = [this](const std::string&, const controller::Log& line) {
        show(&Observer::on_log, line);
    };
    witness.starts = [this](const std::string& who) {
        show(&Observer::on_start, who);
        history_.on_start(who);
    };
    return witness;
}

// A deletion that waits for what the object owns.
bool Inspector::begins_to_go(const Change& change) {
    return is_terminating(change.object->object()) &&
           !(change.before && is_terminating(change.before->object()));
}

void Inspector::end(const OperatorHost& host) {
    show(&Observer::on_end, host);
}

void Inspector::on_change(const Change& change) {
    show(&Observer::on_change, change);
    const bool is_own = change.user == operator_user;
    if (is_own && change.place.resource == "statefulsets.apps" &&
        change.type == Change::Type::Modified && !begins_to_go(change))
        on_set_write(change);
    if (is_own && change.place.resource == "pods")
        if (const auto removal = history_.removal(change)) {
            show(&Observer::on_removal, *removal);
            history_.end(*removal);
        }
    history_.end(change);
}

void Inspector::on_set_write(const Change& change) {
    const SetWrite write = history_.begin(change);
    show(&Observer::on_set_write, write);
    if (write.is_lowered() && !has(write.now(), claim_at)) show(&Observer::on_release, write);
    if (write.is_lowered() && has(write.now(), claim_at)) {
        show(&Observer::on_lowered, write);
        if (history_.lets_pods_go(write)) show(&Observer::on_step, write);
    }
    history_.end(write);
}

}  // namespace sluice::sim
