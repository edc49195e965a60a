#include "sim/actors/statefulset/claims.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::sim {
namespace {

const std::string claim_resource = "persistentvolumeclaims";

// Who may stand in the owner references of a claim.
struct Owner {
    std::string_view api_version;
    std::string_view kind;
    std::string name;
    std::string uid;  // empty: not in the API yet

    bool is_named_by(const json::object& reference) const {
        return text(reference, "apiVersion") == api_version && text(reference, "kind") == kind &&
               text(reference, "name") == name;
    }
};

Owner owner(const Set& set) {
    return {"apps/v1", "StatefulSet", set.name, set.uid};
}

Owner owner(const Set& set, const SetPod& pod) {
    return {"v1", "Pod", set.pod_name(pod.ordinal),
            pod.is_created() ? std::string{uid_of(pod.object())} : ""};
}

const json::array& references(const json::object& claim) {
    return children(metadata(claim), "ownerReferences");
}

bool belongs_to(const json::object& claim, const Owner& owner) {
    return std::ranges::any_of(references(claim), [&](const json::value& reference) {
        return text(reference.get_object(), "uid") == owner.uid;
    });
}

// A reference with the owner's name and somebody else's UID.
bool belongs_to_namesake(const json::object& claim, const Owner& owner) {
    return std::ranges::any_of(references(claim), [&](const json::value& entry) {
        const json::object& reference = entry.get_object();
        return owner.is_named_by(reference) && text(reference, "uid") != owner.uid;
    });
}

json::object new_claim(const Set& set, const json::object& model, const std::string& name) {
    json::object claim = model;
    claim["apiVersion"] = "v1";
    claim["kind"] = "PersistentVolumeClaim";
    claim.erase("status");
    json::object& meta = object_in(claim, "/metadata");
    meta["name"] = name;
    meta["namespace"] = set.ns;
    json::object& labels = object_in(claim, "/metadata/labels");
    for (const auto& [key, value] : child(child(set.spec(), "selector"), "matchLabels"))
        labels[key] = value;
    return claim;
}

}  // namespace

Claims::Claims(const Surroundings& at, Recorder& recorder, const Set& set)
    : at_(at),
      recorder_(recorder),
      set_(set),
      templates_(children(set.spec(), "volumeClaimTemplates")) {
    const json::object& policy = child(set.spec(), "persistentVolumeClaimRetentionPolicy");
    deletes_when_scaled_ = text(policy, "whenScaled") == "Delete";
    deletes_when_deleted_ = text(policy, "whenDeleted") == "Delete";
}

std::string Claims::name(const json::value& model, const SetPod& pod) const {
    return std::string{name_of(model.get_object())} + "-" + set_.pod_name(pod.ordinal);
}

ObjectPtr Claims::find(const json::value& model, const SetPod& pod) const {
    return at_.api.find(claim_resource, set_.ns, name(model, pod));
}

bool Claims::create_missing(const SetPod& pod) {
    for (const json::value& model : templates_) {
        const std::string claim = name(model, pod);
        if (const ObjectPtr there = find(model, pod)) {
            if (is_terminating(there->object())) return false;
            continue;
        }
        const Response made = at_.api.create(new_claim(set_, model.get_object(), claim),
                                             statefulset_controller, at_.now());
        const std::string what = fmt::format("create Claim {} Pod {} in StatefulSet {}", claim,
                                             set_.pod_name(pod.ordinal), set_.name);
        if (!went(made)) {
            const std::string_view why =
                made.body.is_object() ? text(made.body.get_object(), "message") : "";
            recorder_.post(set_.object(), {"Warning", "FailedCreate",
                                           fmt::format("{} failed error: {}", what, why)});
            return false;
        }
        recorder_.post(set_.object(), {"Normal", "SuccessfulCreate", what + " success"});
    }
    return true;
}

bool Claims::is_stale(const SetPod& pod) const {
    if (!deletes_when_scaled_) return false;
    return std::ranges::any_of(templates_, [&](const json::value& model) {
        const ObjectPtr claim = find(model, pod);
        return claim && belongs_to_namesake(claim->object(), owner(set_, pod));
    });
}

bool Claims::has_foreign_controller(const json::object& claim, const SetPod& pod) const {
    if (keeps_everything()) return false;
    return std::ranges::any_of(references(claim), [&](const json::value& entry) {
        const json::object& reference = entry.get_object();
        for (const Owner& ours : {owner(set_), owner(set_, pod)})
            if (ours.is_named_by(reference)) return text(reference, "uid") != ours.uid;
        return is_set(reference, "controller");
    });
}

bool Claims::is_up_to_date(const json::object& claim, const SetPod& pod) const {
    const Owner set = owner(set_), itself = owner(set_, pod);
    // What belongs to an earlier set or pod is left to the garbage collector.
    if (belongs_to_namesake(claim, set) || belongs_to_namesake(claim, itself)) return true;
    const bool is_of_set = belongs_to(claim, set), is_of_pod = belongs_to(claim, itself);
    if (has_foreign_controller(claim, pod)) return !is_of_set && !is_of_pod;
    const bool is_scaled_down = !set_.has_ordinal(pod.ordinal);
    const bool wants_pod = deletes_when_scaled_ && is_scaled_down;
    const bool wants_set = deletes_when_deleted_ && !wants_pod;
    return is_of_set == wants_set && is_of_pod == wants_pod;
}

bool Claims::match_policy(const SetPod& pod) const {
    return std::ranges::all_of(templates_, [&](const json::value& model) {
        const ObjectPtr claim = find(model, pod);
        return !claim || is_up_to_date(claim->object(), pod);
    });
}

bool Claims::apply_policy(const SetPod& pod) {
    for (const json::value& model : templates_) {
        const ObjectPtr there = find(model, pod);
        if (!there || is_up_to_date(there->object(), pod)) continue;
        json::object claim = there->object();
        const bool is_foreign = has_foreign_controller(claim, pod);
        const Owner set = owner(set_), itself = owner(set_, pod);
        drop_owners(claim, [&](const json::object& reference) {
            return set.is_named_by(reference) || itself.is_named_by(reference);
        });
        const bool wants_pod = deletes_when_scaled_ && !set_.has_ordinal(pod.ordinal);
        if (!is_foreign && wants_pod && pod.is_created())
            add_owner(claim, controller_reference(pod.object()));
        else if (!is_foreign && deletes_when_deleted_)
            add_owner(claim, controller_reference(set_.object()));
        if (!went(at_.api.update(std::move(claim), statefulset_controller, at_.now())))
            return false;
    }
    return true;
}

}  // namespace sluice::sim
