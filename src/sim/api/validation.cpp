#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/api/defaults.hpp"
#include "sim/api/problems.hpp"
#include "sim/api/selectors.hpp"

namespace sluice::sim {

void required(Problems& problems, std::string field, const std::string& hint) {
    problems.push_back({std::move(field), "FieldValueRequired",
                        hint.empty() ? "Required value" : "Required value: " + hint});
}

void invalid_value(Problems& problems, std::string field, const std::string& value,
                   const std::string& why) {
    problems.push_back(
        {std::move(field), "FieldValueInvalid", fmt::format("Invalid value: {}: {}", value, why)});
}

void forbidden_field(Problems& problems, std::string field, const std::string& why) {
    problems.push_back({std::move(field), "FieldValueForbidden", "Forbidden: " + why});
}

void check_supported(Problems& problems, std::string field, const std::string& value,
                     std::span<const std::string_view> supported) {
    if (std::ranges::count(supported, value) > 0) return;
    problems.push_back({std::move(field), "FieldValueNotSupported",
                        fmt::format("Unsupported value: \"{}\": supported values: \"{}\"", value,
                                    fmt::join(supported, "\", \""))});
}

void check_supported(Problems& problems, const json::object& object, const std::string& field,
                     std::span<const std::string_view> supported) {
    const std::string pointer = pointer_to(field);
    if (has(object, pointer)) check_supported(problems, field, text_at(object, pointer), supported);
}

namespace {

void check_not_negative(Problems& problems, const json::object& object, const std::string& field) {
    const std::int64_t value = number_at(object, pointer_to(field));
    if (value < 0)
        invalid_value(problems, field, std::to_string(value), "must be greater than or equal to 0");
}

// `forget` takes out of a spec what may change.
void check_rest(Problems& problems, const json::object& object, const json::object& before,
                const auto& forget, const std::string& why) {
    json::object now = object_at(object, "/spec");
    json::object then = object_at(before, "/spec");
    forget(now);
    forget(then);
    if (now != then) forbidden_field(problems, "spec", why);
}

constexpr std::string_view always[] = {"Always"};
constexpr std::string_view retentions[] = {"Retain", "Delete"};
constexpr std::string_view access_modes[] = {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
                                             "ReadWriteOncePod"};
constexpr std::string_view scopes[] = {"Cluster", "Namespaced"};
constexpr std::string_view service_types[] = {"ClusterIP", "ExternalName", "LoadBalancer",
                                              "NodePort"};

// A field of a template that a workload fills with one value only.
void check_immutable(Problems& problems, const json::object& object, const json::object* before,
                     const std::string& field) {
    const json::value* now = find(object, pointer_to(field));
    const json::value* then = before ? find(*before, pointer_to(field)) : now;
    if (now == then || (now && then && *now == *then)) return;
    invalid_value(problems, field, now ? json::serialize(*now) : "null", "field is immutable");
}

void check_selector(Problems& problems, const json::object& object) {
    const json::object& selector = object_at(object, "/spec/selector");
    const json::object& labels = object_at(object, "/spec/template/metadata/labels");
    const bool is_there = has(object, "/spec/selector");
    const bool empty = object_at(selector, "/matchLabels").empty() &&
                       array_at(selector, "/matchExpressions").empty();
    if (!is_there)
        required(problems, "spec.selector");
    else if (empty)
        invalid_value(problems, "spec.selector", json::serialize(selector),
                      "empty selector is invalid for statefulset");
    if (!is_there || (!empty && !selects(selector, labels)))
        invalid_value(problems, "spec.template.metadata.labels",
                      labels.empty() ? "null" : json::serialize(labels),
                      "`selector` does not match template `labels`");
}

// The server shows some values as it holds them, with the names that Go gives them.
std::string rolling_update_in_go(const json::object& set) {
    const json::value* rolling = find(set, "/spec/updateStrategy/rollingUpdate");
    if (!rolling || !rolling->is_object()) return "null";
    const auto shown = [&](const char* key) {
        const json::value* value = rolling->get_object().if_contains(key);
        return value ? json::serialize(*value) : "null";
    };
    return fmt::format("{{\"Partition\":{},\"MaxUnavailable\":{}}}", shown("partition"),
                       shown("maxUnavailable"));
}

void check_statefulset_status(Problems& problems, const json::object& set) {
    const std::int64_t replicas = number_at(set, "/status/replicas");
    for (const char* count :
         {"replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"}) {
        const std::string field = std::string{"status."} + count;
        const std::int64_t value = number_at(set, pointer_to(field));
        check_not_negative(problems, set, field);
        if (value > replicas)
            invalid_value(problems, field, std::to_string(value),
                          "cannot be greater than status.replicas");
    }
}

void check_statefulset(Problems& problems, const json::object& set, const json::object* before) {
    const std::string policy = text_at(set, "/spec/podManagementPolicy");
    if (policy != "OrderedReady" && policy != "Parallel")
        invalid_value(problems, "spec.podManagementPolicy", fmt::format("\"{}\"", policy),
                      "must be 'OrderedReady' or 'Parallel'");
    const std::string type = text_at(set, "/spec/updateStrategy/type");
    if (type != "RollingUpdate" && type != "OnDelete")
        invalid_value(problems, "spec.updateStrategy",
                      fmt::format("{{\"Type\":\"{}\",\"RollingUpdate\":{}}}", type,
                                  rolling_update_in_go(set)),
                      "must be 'RollingUpdate' or 'OnDelete'");
    if (type == "OnDelete" && has(set, "/spec/updateStrategy/rollingUpdate"))
        invalid_value(problems, "spec.updateStrategy.rollingUpdate", rolling_update_in_go(set),
                      "only allowed for updateStrategy 'RollingUpdate'");
    for (const char* field : {"spec.replicas", "spec.minReadySeconds",
                              "spec.updateStrategy.rollingUpdate.partition", "spec.ordinals.start"})
        check_not_negative(problems, set, field);
    for (const char* field : {"spec.persistentVolumeClaimRetentionPolicy.whenDeleted",
                              "spec.persistentVolumeClaimRetentionPolicy.whenScaled"})
        check_supported(problems, set, field, retentions);
    check_selector(problems, set);
    check_pod_spec(problems, set, "spec.template.spec");
    check_supported(problems, set, "spec.template.spec.restartPolicy", always);
    if (has(set, "/spec/template/spec/activeDeadlineSeconds"))
        forbidden_field(problems, "spec.template.spec.activeDeadlineSeconds",
                        "activeDeadlineSeconds in StatefulSet is not Supported");
    if (!before) return;
    check_statefulset_status(problems, set);
    const auto forget = [](json::object& spec) {
        for (const char* key :
             {"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
              "persistentVolumeClaimRetentionPolicy", "minReadySeconds"})
            spec.erase(key);
    };
    check_rest(problems, set, *before, forget,
               "updates to statefulset spec for fields other than 'replicas', 'ordinals', "
               "'template', 'updateStrategy', 'revisionHistoryLimit', "
               "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden");
}

void check_pod(Problems& problems, const json::object& pod, const json::object* before) {
    check_pod_spec(problems, pod, "spec");
    if (!before) return;
    const auto forget = [](json::object& spec) {
        for (const char* key : {"activeDeadlineSeconds", "tolerations"})
            spec.erase(key);
        for (const char* list : {"/containers", "/initContainers"})
            for (json::value& one : array_in(spec, list))
                if (one.is_object()) one.get_object().erase("image");
    };
    check_rest(problems, pod, *before, forget,
               "pod updates may not change fields other than "
               "`spec.containers[*].image`,`spec.initContainers[*].image`,"
               "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing "
               "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it "
               "was previously negative)");
}

// Before it is bound nothing may change; then a claim may only ask for more.
void check_claim(Problems& problems, const json::object& claim, const json::object* before) {
    const json::array& modes = array_at(claim, "/spec/accessModes");
    if (modes.empty()) required(problems, "spec.accessModes", "at least 1 access mode is required");
    for (const json::value& mode : modes)
        if (mode.is_string())
            check_supported(problems, "spec.accessModes", std::string{mode.get_string()},
                            access_modes);
    const std::string size = text_at(claim, "/spec/resources/requests/storage");
    if (size.empty())
        required(problems, "spec.resources[storage]");
    else if (size.starts_with('-') || size == "0")
        invalid_value(problems, "spec.resources[storage]", fmt::format("\"{}\"", size),
                      "must be greater than zero");
    if (!before) return;
    const auto forget = [&](json::object& spec) {
        spec.erase("volumeName");
        if (text_at(*before, "/status/phase") == "Bound") erase(spec, "/resources/requests");
    };
    check_rest(problems, claim, *before, forget,
               "spec is immutable after creation except resources.requests and "
               "volumeAttributesClassName for bound claims");
}

void check_job(Problems& problems, const json::object& job, const json::object* before) {
    for (const char* field : {"spec.parallelism", "spec.completions", "spec.backoffLimit",
                              "spec.activeDeadlineSeconds", "spec.ttlSecondsAfterFinished"})
        check_not_negative(problems, job, field);
    const json::object& selector = object_at(job, "/spec/selector");
    const json::object& labels = object_at(job, "/spec/template/metadata/labels");
    if (!flag_at(job, "/spec/manualSelector") && object_at(selector, "/matchLabels").size() > 1)
        invalid_value(problems, "spec.selector", json::serialize(selector),
                      "`selector` not auto-generated");
    if (!selects(selector, labels))
        invalid_value(problems, "spec.template.metadata.labels", json::serialize(labels),
                      "`selector` does not match template `labels`");
    check_pod_spec(problems, job, "spec.template.spec");
    if (text_at(job, "/spec/template/spec/restartPolicy") == "Always")
        required(problems, "spec.template.spec.restartPolicy",
                 "valid values: \"OnFailure\", \"Never\"");
    for (const char* field : {"spec.completions", "spec.selector", "spec.template"})
        check_immutable(problems, job, before, field);
}

void check_service(Problems& problems, const json::object& service, const json::object*) {
    const json::array& ports = array_at(service, "/spec/ports");
    if (ports.empty() && text_at(service, "/spec/clusterIP") != "None")
        required(problems, "spec.ports");
    for (std::size_t i = 0; i < ports.size() && ports.size() > 1; ++i)
        if (ports[i].is_object() && text_at(ports[i].get_object(), "/name").empty())
            required(problems, fmt::format("spec.ports[{}].name", i));
    check_supported(problems, "spec.type", text_at(service, "/spec/type"), service_types);
}

// What has no namespace has its events in the default one.
void check_event(Problems& problems, const json::object& event, const json::object*) {
    const std::string about = text_at(event, "/involvedObject/namespace");
    const std::string ns = text_at(event, "/metadata/namespace");
    if (about == ns || (about.empty() && ns == "default")) return;
    invalid_value(problems, "involvedObject.namespace", fmt::format("\"{}\"", about),
                  "does not match event.namespace");
}

void check_definition(Problems& problems, const json::object& definition, const json::object*) {
    const std::string name =
        text_at(definition, "/spec/names/plural") + "." + text_at(definition, "/spec/group");
    if (text_at(definition, "/metadata/name") != name)
        invalid_value(problems, "metadata.name",
                      fmt::format("\"{}\"", text_at(definition, "/metadata/name")),
                      "must be spec.names.plural+\".\"+spec.group");
    check_supported(problems, "spec.scope", text_at(definition, "/spec/scope"), scopes);
    const json::array& versions = array_at(definition, "/spec/versions");
    for (std::size_t i = 0; i < versions.size(); ++i)
        if (versions[i].is_object() && !has(versions[i].get_object(), "/schema/openAPIV3Schema"))
            required(problems, fmt::format("spec.versions[{}].schema.openAPIV3Schema", i));
    if (!array_at(definition, "/status/storedVersions").empty()) return;
    invalid_value(problems, "spec.versions", "[]",
                  "must have exactly one version marked as storage version");
    invalid_value(problems, "status.storedVersions", "null",
                  "must have at least one stored version");
}

struct Checking {
    std::string_view resource;
    void (*check)(Problems&, const json::object&, const json::object*);
};
constexpr Checking checkings[] = {
    {"statefulsets.apps", check_statefulset},
    {"pods", check_pod},
    {"persistentvolumeclaims", check_claim},
    {"jobs.batch", check_job},
    {"services", check_service},
    {"configmaps", check_config_map},
    {"events", check_event},
    {"customresourcedefinitions.apiextensions.k8s.io", check_definition},
};

}  // namespace

std::vector<std::string> advice(const Resource& resource, const json::object& object) {
    std::vector<std::string> said;
    if (resource.kind != "StatefulSet") return said;
    if (number_at(object, "/spec/template/spec/terminationGracePeriodSeconds") < 0)
        said.push_back(
            "spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are "
            "invalid and will be treated as 1");
    if (number_at(object, "/spec/revisionHistoryLimit") < 0)
        said.push_back(
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value "
            ">= 0 is recommended");
    return said;
}

std::vector<FieldProblem> wrong(const Resource& resource, const json::object& object,
                                const json::object* before) {
    Problems found;
    check_metadata(found, resource, object, before);
    if (resource.is_custom()) {
        for (FieldProblem& problem : problems(*resource.schema, object))
            found.push_back(std::move(problem));
        return found;
    }
    const std::string id = resource.id();
    for (const Checking& one : checkings)
        if (one.resource == id) one.check(found, object, before);
    return found;
}

}  // namespace sluice::sim
