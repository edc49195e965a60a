#include "sim/api/shapes.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "sim/api/patching.hpp"

namespace sluice::sim {
namespace {

// A list whose entries have a key: for both ways to merge, or with one of its own for each.
constexpr Field keyed(std::string_view name, std::string_view key, const Shape* shape = nullptr) {
    return {.name = name, .shape = shape, .merge_key = key, .apply_keys = key};
}
constexpr Field keyed(std::string_view name, std::string_view merge_key,
                      std::string_view apply_keys, const Shape* shape = nullptr) {
    return {.name = name, .shape = shape, .merge_key = merge_key, .apply_keys = apply_keys};
}
constexpr Field nested(std::string_view name, const Shape* shape) {
    return {.name = name, .shape = shape};
}
// A struct that Go writes out even when it is empty.
constexpr Field part(std::string_view name, const Shape* shape = nullptr) {
    return {.name = name, .shape = shape, .is_always_there = true};
}
constexpr Field whole(std::string_view name) {
    return {.name = name, .is_whole = true};
}

constexpr Shape one_piece{.fields = {}, .is_whole = true};

constexpr Field object_meta_fields[] = {
    keyed("ownerReferences", "uid", &one_piece),
    keyed("finalizers", "*"),
};
constexpr Shape object_meta{object_meta_fields};

constexpr Field env_source_fields[] = {
    whole("configMapKeyRef"),  whole("secretKeyRef"), whole("fieldRef"),
    whole("resourceFieldRef"), whole("fileKeyRef"),
};
constexpr Shape env_source{env_source_fields};
constexpr Field env_fields[] = {nested("valueFrom", &env_source)};
constexpr Shape env{env_fields};

constexpr Field resources_fields[] = {keyed("claims", "", "name")};
constexpr Shape resources{resources_fields};

constexpr Field container_fields[] = {
    keyed("ports", "containerPort", "containerPort,protocol"),
    keyed("env", "name", &env),
    keyed("volumeMounts", "mountPath"),
    keyed("volumeDevices", "devicePath"),
    nested("resources", &resources),
};
constexpr Shape container{container_fields};

constexpr Field claim_spec_fields[] = {whole("selector"), whole("dataSource"), part("resources")};
constexpr Shape claim_spec{claim_spec_fields};
constexpr Field claim_template_fields[] = {part("metadata", &object_meta),
                                           part("spec", &claim_spec)};
constexpr Shape claim_template{claim_template_fields};
constexpr Field ephemeral_fields[] = {nested("volumeClaimTemplate", &claim_template)};
constexpr Shape ephemeral{ephemeral_fields};
constexpr Field secret_ref_fields[] = {whole("secretRef"), whole("nodePublishSecretRef")};
constexpr Shape with_secret_ref{secret_ref_fields};
constexpr Field volume_fields[] = {
    nested("ephemeral", &ephemeral),     nested("csi", &with_secret_ref),
    nested("cephfs", &with_secret_ref),  nested("rbd", &with_secret_ref),
    nested("iscsi", &with_secret_ref),   nested("flexVolume", &with_secret_ref),
    nested("scaleIO", &with_secret_ref), nested("storageos", &with_secret_ref),
};
constexpr Shape volume{volume_fields};

constexpr Field required_terms[] = {whole("requiredDuringSchedulingIgnoredDuringExecution")};
constexpr Shape node_affinity{required_terms};
constexpr Field affinity_fields[] = {nested("nodeAffinity", &node_affinity)};
constexpr Shape affinity{affinity_fields};

constexpr Field spread_fields[] = {whole("labelSelector")};
constexpr Shape spread{spread_fields};

constexpr Field pod_spec_fields[] = {
    Field{.name = "containers",
          .shape = &container,
          .merge_key = "name",
          .apply_keys = "name",
          .is_always_there = true},
    keyed("initContainers", "name", &container),
    keyed("ephemeralContainers", "name", &container),
    keyed("volumes", "name", &volume),
    keyed("imagePullSecrets", "name", &one_piece),
    keyed("hostAliases", "ip"),
    keyed("topologySpreadConstraints", "topologyKey", "topologyKey,whenUnsatisfiable", &spread),
    keyed("resourceClaims", "name"),
    keyed("schedulingGates", "name"),
    nested("affinity", &affinity),
    whole("nodeSelector"),
};
constexpr Shape pod_spec{pod_spec_fields};

constexpr Field pod_status_fields[] = {
    keyed("conditions", "type"),
    keyed("podIPs", "ip"),
    keyed("hostIPs", "ip", ""),
    keyed("resourceClaimStatuses", "name"),
};
constexpr Shape pod_status{pod_status_fields};
constexpr Field pod_fields[] = {part("metadata", &object_meta), part("spec", &pod_spec),
                                part("status", &pod_status)};
constexpr Shape pod{pod_fields};
constexpr Field pod_template_fields[] = {part("metadata", &object_meta), part("spec", &pod_spec)};
constexpr Shape pod_template{pod_template_fields};
constexpr Field template_holder_fields[] = {part("metadata", &object_meta),
                                            part("template", &pod_template)};
constexpr Shape template_holder{template_holder_fields};

constexpr Field with_conditions_fields[] = {keyed("conditions", "type")};
constexpr Shape with_conditions{with_conditions_fields};
constexpr Field plainly_merged_conditions_fields[] = {keyed("conditions", "type", "")};
constexpr Shape plainly_merged_conditions{plainly_merged_conditions_fields};
constexpr Field only_applied_conditions_fields[] = {keyed("conditions", "", "type")};
constexpr Shape only_applied_conditions{only_applied_conditions_fields};

// Deployments, StatefulSets, DaemonSets, ReplicaSets, Jobs: all of them hold a pod template.
constexpr Field workload_spec_fields[] = {
    part("template", &pod_template),
    whole("selector"),
    part("strategy"),
    part("updateStrategy"),
};
constexpr Shape workload_spec{workload_spec_fields};
constexpr Field workload_fields[] = {part("metadata", &object_meta), part("spec", &workload_spec),
                                     part("status", &with_conditions)};
constexpr Shape workload{workload_fields};
constexpr Field job_fields[] = {part("metadata", &object_meta), part("spec", &workload_spec),
                                part("status", &plainly_merged_conditions)};
constexpr Shape job{job_fields};
constexpr Field job_template_fields[] = {part("metadata", &object_meta),
                                         part("spec", &workload_spec)};
constexpr Shape job_template{job_template_fields};
constexpr Field cron_spec_fields[] = {part("jobTemplate", &job_template)};
constexpr Shape cron_spec{cron_spec_fields};
constexpr Field cron_fields[] = {part("metadata", &object_meta), part("spec", &cron_spec),
                                 part("status")};
constexpr Shape cron{cron_fields};

constexpr Field service_spec_fields[] = {keyed("ports", "port", "port,protocol"),
                                         whole("selector")};
constexpr Shape service_spec{service_spec_fields};
constexpr Field service_status_fields[] = {keyed("conditions", "type"), part("loadBalancer")};
constexpr Shape service_status{service_status_fields};
constexpr Field service_fields[] = {part("metadata", &object_meta), part("spec", &service_spec),
                                    part("status", &service_status)};
constexpr Shape service{service_fields};

constexpr Field account_fields[] = {part("metadata", &object_meta), keyed("secrets", "name")};
constexpr Shape account{account_fields};

constexpr Field node_spec_fields[] = {keyed("podCIDRs", "*")};
constexpr Shape node_spec{node_spec_fields};
constexpr Field node_status_fields[] = {keyed("conditions", "type"), keyed("addresses", "type"),
                                        part("daemonEndpoints"), part("nodeInfo")};
constexpr Shape node_status{node_status_fields};
constexpr Field node_fields[] = {part("metadata", &object_meta), part("spec", &node_spec),
                                 part("status", &node_status)};
constexpr Shape node{node_fields};

constexpr Field claim_fields[] = {part("metadata", &object_meta), part("spec", &claim_spec),
                                  part("status", &with_conditions)};
constexpr Shape claim{claim_fields};

constexpr Field budget_spec_fields[] = {
    Field{.name = "selector", .is_replaced = true, .is_whole = true}};
constexpr Shape budget_spec{budget_spec_fields};
constexpr Field budget_fields[] = {part("metadata", &object_meta), part("spec", &budget_spec),
                                   part("status", &with_conditions)};
constexpr Shape budget{budget_fields};

constexpr Field conditioned_fields[] = {part("metadata", &object_meta), part("spec"),
                                        part("status", &with_conditions)};
constexpr Shape conditioned{conditioned_fields};
constexpr Field definition_fields[] = {part("metadata", &object_meta), part("spec"),
                                       part("status", &only_applied_conditions)};
constexpr Shape definition{definition_fields};

constexpr Field policy_spec_fields[] = {
    whole("paramKind"),
    whole("matchConstraints"),
    keyed("matchConditions", "name"),
    keyed("variables", "name"),
};
constexpr Shape policy_spec{policy_spec_fields};
constexpr Field policy_fields[] = {part("metadata", &object_meta), part("spec", &policy_spec),
                                   part("status", &only_applied_conditions)};
constexpr Shape policy{policy_fields};
constexpr Field policy_binding_spec_fields[] = {whole("paramRef"), whole("matchResources")};
constexpr Shape policy_binding_spec{policy_binding_spec_fields};
constexpr Field policy_binding_fields[] = {part("metadata", &object_meta),
                                           part("spec", &policy_binding_spec)};
constexpr Shape policy_binding{policy_binding_fields};

constexpr Field webhook_fields[] = {whole("namespaceSelector"), whole("objectSelector"),
                                    keyed("matchConditions", "name"), part("clientConfig")};
constexpr Shape webhook{webhook_fields};
constexpr Field webhooks_fields[] = {part("metadata", &object_meta),
                                     keyed("webhooks", "name", &webhook)};
constexpr Shape webhooks{webhooks_fields};

constexpr Field role_binding_fields[] = {part("metadata", &object_meta), whole("roleRef")};
constexpr Shape role_binding{role_binding_fields};
constexpr Field revision_fields[] = {part("metadata", &object_meta), whole("data")};
constexpr Shape revision{revision_fields};

constexpr Field event_fields[] = {part("metadata", &object_meta), whole("involvedObject"),
                                  whole("regarding"), whole("related")};
constexpr Shape event{event_fields};

constexpr Field any_kind_fields[] = {part("metadata", &object_meta)};
constexpr Shape any_kind{any_kind_fields};
constexpr Field any_built_in_fields[] = {part("metadata", &object_meta), part("spec"),
                                         part("status")};
constexpr Shape any_built_in{any_built_in_fields};

struct Kind {
    std::string_view name;
    const Shape* shape;
};
constexpr Kind kinds[] = {
    {"Pod", &pod},
    {"PodTemplate", &template_holder},
    {"Deployment", &workload},
    {"StatefulSet", &workload},
    {"DaemonSet", &workload},
    {"ReplicaSet", &workload},
    {"ReplicationController", &workload},
    {"Job", &job},
    {"CronJob", &cron},
    {"Service", &service},
    {"ServiceAccount", &account},
    {"Node", &node},
    {"Namespace", &conditioned},
    {"PersistentVolumeClaim", &claim},
    {"PodDisruptionBudget", &budget},
    {"HorizontalPodAutoscaler", &conditioned},
    {"APIService", &conditioned},
    {"CustomResourceDefinition", &definition},
    {"ValidatingAdmissionPolicy", &policy},
    {"MutatingAdmissionPolicy", &policy},
    {"ValidatingAdmissionPolicyBinding", &policy_binding},
    {"MutatingAdmissionPolicyBinding", &policy_binding},
    {"ValidatingWebhookConfiguration", &webhooks},
    {"MutatingWebhookConfiguration", &webhooks},
    {"RoleBinding", &role_binding},
    {"ClusterRoleBinding", &role_binding},
    {"ControllerRevision", &revision},
    {"Event", &event},
};

// The group of a custom resource always has a dot in it; those with one that are Kubernetes' own
// end in k8s.io.
bool is_built_in(std::string_view api_version) {
    const std::size_t slash = api_version.find('/');
    if (slash == std::string_view::npos) return true;
    const std::string_view group = api_version.substr(0, slash);
    return group.find('.') == std::string_view::npos || group.ends_with(".k8s.io");
}

}  // namespace

const Field* Shape::find(std::string_view name) const {
    const auto at = std::ranges::find(fields, name, &Field::name);
    return at == fields.end() ? nullptr : &*at;
}

const Field* field_of(const Shape* shape, std::string_view name) {
    return shape ? shape->find(name) : nullptr;
}

const Shape& shape_of_kind(std::string_view kind) {
    const auto at = std::ranges::find(kinds, kind, &Kind::name);
    return at == std::end(kinds) ? any_built_in : *at->shape;
}

const Shape& shape_of(const json::object& document) {
    if (!is_built_in(text_at(document, "/apiVersion"))) return any_kind;
    return shape_of_kind(text_at(document, "/kind"));
}

json::value default_of_key(std::string_view key) {
    return key == "protocol" ? json::value("TCP") : json::value{};
}

std::string merge_key(std::string_view kind, std::string_view path) {
    const Shape* shape = &shape_of_kind(kind);
    const Field* field = nullptr;
    while (!path.empty()) {
        const std::size_t end = std::min(path.find_first_of("./"), path.size());
        const std::string_view name = path.substr(0, end);
        path.remove_prefix(std::min(end + 1, path.size()));
        const bool is_entry =
            name == "*" || name.find_first_not_of("0123456789") == std::string_view::npos;
        if (is_entry) continue;
        field = field_of(shape, name);
        if (!field) return {};
        shape = field->shape;
    }
    return field ? std::string{field->merge_key} : std::string{};
}

}  // namespace sluice::sim
