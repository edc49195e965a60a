#include "sim/api/resource.hpp"

#include <algorithm>

#include "base/text.hpp"

#include <map>

namespace sluice::sim {
namespace {

// All of version v1. Marks: "n" has a namespace, "s" has a status, "g" counts its generation, "c"
// can be scaled, "a" is of the category "all".
struct Row {
    const char* group;
    const char* plural;
    const char* kind;
    const char* short_name;
    std::string_view marks;
};

constexpr Row table[] = {
    {"", "namespaces", "Namespace", "ns", "s"},
    {"", "nodes", "Node", "no", "s"},
    {"", "persistentvolumes", "PersistentVolume", "pv", "s"},
    {"", "pods", "Pod", "po", "nsga"},
    {"", "configmaps", "ConfigMap", "cm", "n"},
    {"", "secrets", "Secret", "", "n"},
    {"", "services", "Service", "svc", "nsa"},
    {"", "serviceaccounts", "ServiceAccount", "sa", "n"},
    {"", "persistentvolumeclaims", "PersistentVolumeClaim", "pvc", "ns"},
    {"", "events", "Event", "ev", "n"},
    {"events.k8s.io", "events", "Event", "ev", "n"},
    {"apps", "statefulsets", "StatefulSet", "sts", "nsgca"},
    {"apps", "controllerrevisions", "ControllerRevision", "", "n"},
    {"apps", "deployments", "Deployment", "deploy", "nsgca"},
    {"batch", "jobs", "Job", "", "nsga"},
    {"policy", "poddisruptionbudgets", "PodDisruptionBudget", "pdb", "nsg"},
    {"coordination.k8s.io", "leases", "Lease", "", "n"},
    {"storage.k8s.io", "storageclasses", "StorageClass", "sc", ""},
    {"rbac.authorization.k8s.io", "roles", "Role", "", "n"},
    {"rbac.authorization.k8s.io", "rolebindings", "RoleBinding", "", "n"},
    {"rbac.authorization.k8s.io", "clusterroles", "ClusterRole", "", ""},
    {"rbac.authorization.k8s.io", "clusterrolebindings", "ClusterRoleBinding", "", ""},
    {"apiextensions.k8s.io", "customresourcedefinitions", "CustomResourceDefinition", "crd", "sg"},
    {"admissionregistration.k8s.io", "mutatingadmissionpolicies", "MutatingAdmissionPolicy", "",
     "g"},
    {"admissionregistration.k8s.io", "mutatingadmissionpolicybindings",
     "MutatingAdmissionPolicyBinding", "", "g"},
    {"admissionregistration.k8s.io", "validatingadmissionpolicies", "ValidatingAdmissionPolicy", "",
     "sg"},
    {"admissionregistration.k8s.io", "validatingadmissionpolicybindings",
     "ValidatingAdmissionPolicyBinding", "", "g"},
    {"flowcontrol.apiserver.k8s.io", "flowschemas", "FlowSchema", "", "sg"},
    {"flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations", "PriorityLevelConfiguration",
     "", "sg"},
};

// ".spec.replicas" as "/spec/replicas".
std::string pointer_at(const json::object& definition, std::string_view where) {
    std::string path = text_at(definition, where);
    std::ranges::replace(path, '.', '/');
    return path;
}

std::vector<Resource> made_of_table() {
    std::vector<Resource> resources;
    for (const Row& row : table) {
        Resource one{row.group, "v1", row.plural, in_lower_case(row.kind), row.kind};
        if (*row.short_name) one.short_names = {row.short_name};
        one.namespaced = row.marks.contains('n');
        one.has_status = row.marks.contains('s');
        one.counts_generation = row.marks.contains('g');
        one.has_scale = row.marks.contains('c');
        if (row.marks.contains('a')) one.categories = {"all"};
        resources.push_back(std::move(one));
    }
    return resources;
}

std::vector<std::string> texts(const json::array& array) {
    std::vector<std::string> found;
    for (const json::value& one : array)
        if (one.is_string()) found.emplace_back(one.get_string());
    return found;
}

}  // namespace

std::span<const Resource> built_in_resources() {
    static const std::vector<Resource> resources = made_of_table();
    return resources;
}

const Resource* built_in_resource(const std::string& id) {
    static const std::map<std::string, const Resource*> by_id = [] {
        std::map<std::string, const Resource*> found;
        for (const Resource& one : built_in_resources())
            found.emplace(one.id(), &one);
        return found;
    }();
    const auto at = by_id.find(id);
    return at == by_id.end() ? nullptr : at->second;
}

const Resource* built_in_kind(const std::string& api_version, const std::string& kind) {
    using Name = std::pair<std::string, std::string>;
    static const std::map<Name, const Resource*> by_kind = [] {
        std::map<Name, const Resource*> found;
        for (const Resource& one : built_in_resources())
            found.emplace(Name{one.api_version(), one.kind}, &one);
        return found;
    }();
    const auto at = by_kind.find({api_version, kind});
    return at == by_kind.end() ? nullptr : at->second;
}

std::vector<Resource> resources_of(const json::object& definition) {
    std::vector<Resource> resources;
    for (const json::value& entry : array_at(definition, "/spec/versions")) {
        const json::object* version = entry.if_object();
        if (!version || !flag_at(*version, "/served")) continue;
        Resource one{text_at(definition, "/spec/group"), text_at(*version, "/name"),
                     text_at(definition, "/spec/names/plural"),
                     text_at(definition, "/spec/names/singular"),
                     text_at(definition, "/spec/names/kind")};
        if (one.singular.empty()) one.singular = in_lower_case(one.kind);
        one.short_names = texts(array_at(definition, "/spec/names/shortNames"));
        one.categories = texts(array_at(definition, "/spec/names/categories"));
        one.namespaced = text_at(definition, "/spec/scope") == "Namespaced";
        one.has_status = has(*version, "/subresources/status");
        one.has_scale = has(*version, "/subresources/scale");
        if (one.has_scale) {
            one.replicas_at = pointer_at(*version, "/subresources/scale/specReplicasPath");
            one.scaled_at = pointer_at(*version, "/subresources/scale/statusReplicasPath");
            one.selector_at = pointer_at(*version, "/subresources/scale/labelSelectorPath");
        }
        one.counts_generation = true;
        one.schema = std::make_shared<const Schema>(object_at(*version, "/schema/openAPIV3Schema"));
        one.columns = array_at(*version, "/additionalPrinterColumns");
        resources.push_back(std::move(one));
    }
    return resources;
}

}  // namespace sluice::sim
