#include "sim/api/admission.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/api/state.hpp"

namespace sluice::sim {

bool is_in_force(const Storage& storage, const std::string& kind, const std::string& name) {
    const std::string group = ".admissionregistration.k8s.io";
    return storage.find({kind + "admissionpolicies" + group, {}, name}) &&
           storage.find({kind + "admissionpolicybindings" + group, {}, name});
}

namespace {

constexpr std::int64_t closed = 1'000'000;
constexpr const char* claim = "/metadata/annotations/sluice.dev~1claim";
constexpr const char* refused = "/metadata/annotations/sluice.dev~1refused";
constexpr const char* phase = "/metadata/annotations/sluice.dev~1phase";
constexpr const char* before_at = "/metadata/annotations/sluice.dev~1partition-before";
constexpr const char* zero_allowed = "/metadata/annotations/sluice.dev~1allow-scale-to-zero";

// The labels by which sets ask for an API.
std::vector<std::string> subscriptions() {
    std::vector<std::string> keys;
    for (const Api& api : apis())
        if (!api.label.key.empty()) keys.emplace_back(api.label.key);
    return keys;
}

bool is_subscribed(const json::object& set) {
    const json::object& labels = object_at(set, "/metadata/labels");
    return std::ranges::any_of(apis(),
                               [&](const Api& api) { return labels.contains(api.label.key); });
}

bool is_on_delete(const json::object& set) {
    return text_at(set, "/spec/updateStrategy/type") == "OnDelete";
}

bool is_steered(const json::object& object, const json::object& before) {
    return has(before, claim) || is_subscribed(object);
}

std::int64_t gate_of(const json::object& set) {
    return is_on_delete(set) ? closed : partition_of(set);
}

bool template_changes(const json::object& object, const json::object& before) {
    return object_at(object, "/spec/template") != object_at(before, "/spec/template");
}

std::int64_t least_gate(const json::object& object, const json::object& before) {
    const std::int64_t was = gate_of(before);
    return template_changes(object, before) && was < closed ? closed : was;
}

bool loses_claim(const json::object& object, const json::object& before) {
    return has(before, claim) && !has(object, claim) &&
           object_at(object, "/spec") != object_at(before, "/spec");
}

std::string note_of(const AdmissionRequest& request, const json::object& object) {
    const std::int64_t asked = partition_of(object);
    std::vector<std::string> wishes;
    if (asked < gate_of(*request.before)) wishes.push_back(fmt::format("partition {}", asked));
    if (loses_claim(object, *request.before))
        wishes.emplace_back("a change of the spec without the claim");
    if (wishes.empty()) return {};
    return fmt::format("{}, by {}, at generation {}", fmt::join(wishes, ", "), request.user,
                       number_at(*request.before, "/metadata/generation"));
}

// gate-mutating.yaml
void keep_gate(const AdmissionRequest& request, json::object& object) {
    if (is_on_delete(object)) return;
    const std::string note = note_of(request, object);
    const std::int64_t least = least_gate(object, *request.before);
    if (loses_claim(object, *request.before)) {
        for (const char* key : {"claim", "fence", "paused", "phase", "rollout"}) {
            const std::string pointer = fmt::format("/metadata/annotations/sluice.dev~1{}", key);
            const json::value* kept = find(*request.before, pointer);
            if (kept && !has(object, pointer)) set(object, pointer, *kept);
        }
    }
    if (!note.empty()) set(object, refused, note);
    if (partition_of(object) < least) set(object, partition_pointer, least);
}

// gate-create.yaml
bool is_closed_at_birth(const AdmissionRequest& request, const json::object& object) {
    const auto is_named_by = [&](const Api& api) {
        const std::string ns = text_at(object, "/metadata/namespace");
        return !api.target.empty() &&
               is_in_force(request.storage, "mutating", create_gate_of(api)) &&
               std::ranges::any_of(request.storage.list(std::string{api.resource}, ns),
                                   [&](const auto& one) {
                                       return text_at(one->object(), api.target) ==
                                              text_at(object, "/metadata/name");
                                   });
    };
    const bool is_ours = is_subscribed(object) || has(object, claim);
    return (is_ours && is_in_force(request.storage, "mutating", "sluice-gate-create")) ||
           std::ranges::any_of(apis(), is_named_by);
}

void begin_closed(json::object& object) {
    const std::int64_t replicas = number_at(object, "/spec/replicas", 1);
    const std::int64_t asked = partition_of(object);
    if (is_on_delete(object)) return;
    if (asked > 0 && asked >= replicas) return;
    const std::int64_t gate = replicas > 0 ? replicas : closed;
    const std::string before =
        has(object, partition_pointer) ? std::to_string(asked) : std::string{"absent"};
    set(object, before_at, fmt::format("{}@{}", before, gate));
    set(object, partition_pointer, gate);
}

bool has_open_rollout(const json::object& before) {
    const std::string said = text_at(before, phase);
    return said == "Waiting" || said == "Rolling" || said == "Held" ||
           text_at(before, "/status/currentRevision") !=
               text_at(before, "/status/updateRevision") ||
           number_at(before, "/status/observedGeneration") <
               number_at(before, "/metadata/generation");
}

constexpr const char* zero_refused =
    "Sluice has an open rollout of this StatefulSet. Scaled to zero, all pods would come back on "
    "the new revision, past every gate. Wait for the end of the rollout, or set the annotation "
    "sluice.dev/allow-scale-to-zero: \"true\" {}if you mean it.";

// gate-validating.yaml
std::optional<std::string> refused_by_gate(const json::object& object, const json::object& before) {
    if (is_on_delete(object) && !is_on_delete(before))
        return fmt::format(
            "Sluice steers this StatefulSet through its partition, which the strategy OnDelete "
            "does not have. Take the set out of Sluice's hands first: remove the annotation "
            "sluice.dev/claim and the label {} in a write of their own.",
            fmt::join(subscriptions(), " and the label "));
    const bool becomes_zero =
        number_at(object, "/spec/replicas", 1) == 0 && number_at(before, "/spec/replicas", 1) > 0;
    const bool open =
        !is_on_delete(before) && (has_open_rollout(before) || template_changes(object, before));
    if (becomes_zero && open && text_at(object, zero_allowed) != "true")
        return fmt::format(fmt::runtime(zero_refused), "");
    return std::nullopt;
}

// scale-to-zero.yaml: `before` is the StatefulSet, `object` the Scale.
std::optional<std::string> refused_by_scale(const json::object& object,
                                            const json::object& before) {
    const bool becomes_zero =
        number_at(object, "/spec/replicas") == 0 && number_at(before, "/spec/replicas", 1) > 0;
    const bool steered = !is_on_delete(before) && (has(before, claim) || is_subscribed(before));
    if (!becomes_zero || !steered || !has_open_rollout(before) ||
        text_at(before, zero_allowed) == "true")
        return std::nullopt;
    return fmt::format(fmt::runtime(zero_refused), "on the StatefulSet ");
}

bool is_own_annotation(std::string_view key) {
    return key.starts_with("sluice.dev/") || std::ranges::any_of(apis(), [&](const Api& api) {
               return key == api.annotation || key == api.pod_annotation;
           });
}

json::object without_own(json::object annotations) {
    std::vector<std::string> own;
    for (const auto& [key, value] : annotations)
        if (is_own_annotation(key)) own.emplace_back(key);
    for (const std::string& key : own)
        annotations.erase(key);
    return annotations;
}

// The API that has made this set; null: none has.
const Api* maker_of(const json::object& set) {
    return api_of_owner(text_at(set, "/metadata/ownerReferences/0/kind"));
}

// operator-limits.yaml
std::optional<std::string> beyond_limits(const AdmissionRequest& request,
                                         const json::object& object) {
    if (!request.subresource.empty())
        return "The operator writes neither the scale nor the status of a StatefulSet.";
    const json::object& before = *request.before;
    json::object made = object, was = before;
    const Api* maker = maker_of(before);
    for (json::object* set : {&made, &was})
        if (maker) erase_pod_annotation(*set, *maker);
    json::object now = object_at(made, "/spec");
    json::object then = object_at(was, "/spec");
    for (json::object* spec : {&now, &then}) {
        if (maker) spec->erase("replicas");
        if (maker) spec->erase("ordinals");
        erase(*spec, "/updateStrategy/rollingUpdate/partition");
        if (object_at(*spec, "/updateStrategy/rollingUpdate").empty())
            erase(*spec, "/updateStrategy/rollingUpdate");
    }
    json::object rest_now = now;
    json::object rest_then = then;
    rest_now.erase("updateStrategy");
    rest_then.erase("updateStrategy");
    if (rest_now != rest_then)
        return "The operator may change the partition and nothing else in the spec of a "
               "StatefulSet.";
    if (now != then)
        return "The operator may change the partition and nothing else in the update strategy of "
               "a StatefulSet.";
    if (without_own(object_at(object, "/metadata/annotations")) !=
        without_own(object_at(before, "/metadata/annotations")))
        return "The operator may change its own annotations on a StatefulSet and no others.";
    for (const char* field : {"labels", "finalizers", "ownerReferences"}) {
        const std::string pointer = std::string{"/metadata/"} + field;
        const json::value* left = find(object, pointer);
        const json::value* right = find(before, pointer);
        if ((left == nullptr) != (right == nullptr) || (left && *left != *right))
            return "The operator may not change labels, finalizers or owners of a StatefulSet.";
    }
    return std::nullopt;
}

// notice.yaml
std::optional<std::string> notice(const AdmissionRequest& request, const json::object& object) {
    const std::string note = text_at(object, refused);
    const json::object& before = *request.before;
    const bool mine = note.ends_with(fmt::format(", by {}, at generation {}", request.user,
                                                 number_at(before, "/metadata/generation")));
    const bool is_new = text_at(before, refused) != note;
    const bool changes_nothing =
        object_at(object, "/spec") == object_at(before, "/spec") &&
        object_at(object, "/metadata/annotations") == object_at(before, "/metadata/annotations") &&
        object_at(object, "/metadata/labels") == object_at(before, "/metadata/labels");
    if (!mine || (!is_new && !changes_nothing)) return std::nullopt;
    const std::string where =
        fmt::format("-n {} statefulset/{}", text_at(before, "/metadata/namespace"),
                    text_at(before, "/metadata/name"));
    std::string unlabel;
    if (is_subscribed(object))
        unlabel = fmt::format("kubectl label {} {}- && ", where, fmt::join(subscriptions(), "- "));
    return fmt::format(
        "Sluice steers this StatefulSet. Its partition stays at {}; only Sluice lowers it. Not "
        "granted: {}. To steer by hand, first take the set out of the hands of Sluice, in writes "
        "of "
        "their own: {}kubectl annotate {} sluice.dev/claim-",
        partition_of(object), note, unlabel, where);
}

std::string denied(const std::string& policy, const std::string& why) {
    return fmt::format("ValidatingAdmissionPolicy '{0}' with binding '{0}' denied request: {1}",
                       policy, why);
}

bool is_statefulset(const AdmissionRequest& request) {
    return request.resource.id() == "statefulsets.apps";
}

// A claim grows only where its class says so.
std::optional<std::string> refused_growth(const AdmissionRequest& request,
                                          const json::object& wanted) {
    if (request.resource.id() != "persistentvolumeclaims" || !request.before ||
        !request.subresource.empty())
        return std::nullopt;
    constexpr const char* size_at = "/spec/resources/requests/storage";
    if (text_at(wanted, size_at) == text_at(*request.before, size_at)) return std::nullopt;
    const ObjectPtr type =
        request.storage.find({"storageclasses.storage.k8s.io",
                              {},
                              std::string{text_at(wanted, "/spec/storageClassName")}});
    if (type && flag_at(type->object(), "/allowVolumeExpansion")) return std::nullopt;
    return "only dynamically provisioned pvc can be resized and the storageclass that provisions "
           "the pvc must support resize";
}

bool is_gated(const AdmissionRequest& request, const json::object& object) {
    return is_statefulset(request) && request.subresource.empty() && request.before &&
           request.user != operator_user && is_steered(object, *request.before);
}

}  // namespace

// gate-create-named.yaml
std::string create_gate_of(const Api& api) {
    return fmt::format("sluice-gate-create-{}", api.name);
}

json::object mutated(const AdmissionRequest& request, json::object object) {
    if (is_gated(request, object) && is_in_force(request.storage, "mutating", "sluice-gate"))
        keep_gate(request, object);
    if (is_statefulset(request) && !request.before && is_closed_at_birth(request, object))
        begin_closed(object);
    for (const Api& api : apis())
        if (api.mutate) api.mutate(request, object);
    return object;
}

Admitted admitted(const AdmissionRequest& request, json::object object) {
    Admitted result{std::move(object)};
    const auto judge = [&](const std::string& policy, std::optional<std::string> why) {
        if (why && !result.refusal && is_in_force(request.storage, "validating", policy))
            result.refusal = denied(policy, *why);
    };
    if (auto why = refused_growth(request, result.object)) result.refusal = std::move(why);
    for (const Api& api : apis())
        if (auto said = api.judge ? api.judge(request, result.object) : std::nullopt)
            judge(said->policy, std::move(said->why));
    if (!is_statefulset(request)) return result;
    if (request.user == operator_user && request.before)
        judge("sluice-operator-limits", beyond_limits(request, result.object));
    // <api>-limits.yaml
    for (const Api& api : apis())
        if (request.user == operator_user && !request.before && api.owns_sets &&
            !maker_of(result.object))
            judge(fmt::format("sluice-{}-versions", api.name),
                  fmt::format("The operator makes and deletes only StatefulSets that an {} "
                              "controls.",
                              api.kind));
    if (request.subresource == "scale" && request.before)
        judge("sluice-scale-to-zero", refused_by_scale(result.object, *request.before));
    if (!is_gated(request, result.object)) return result;
    judge("sluice-gate", refused_by_gate(result.object, *request.before));
    auto said = notice(request, result.object);
    if (said && is_in_force(request.storage, "validating", "sluice-notice"))
        result.warnings.push_back(fmt::format(
            "Validation failed for ValidatingAdmissionPolicy 'sluice-notice' with binding "
            "'sluice-notice': {}",
            *said));
    return result;
}

}  // namespace sluice::sim
