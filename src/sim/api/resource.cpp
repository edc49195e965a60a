#include "sim/api/resource.hpp"

#include <map>

namespace sluice::sim {
namespace {

struct Row {
    const char* group;
    const char* version;
    const char* plural;
    const char* singular;
    const char* kind;
    const char* short_name;
    bool namespaced;
    bool has_status;
    bool counts_generation;
};

constexpr Row table[] = {
    {"", "v1", "namespaces", "namespace", "Namespace", "ns", false, true, false},
    {"", "v1", "nodes", "node", "Node", "no", false, true, false},
    {"", "v1", "persistentvolumes", "persistentvolume", "PersistentVolume", "pv", false, true,
     false},
    {"", "v1", "pods", "pod", "Pod", "po", true, true, true},
    {"", "v1", "configmaps", "configmap", "ConfigMap", "cm", true, false, false},
    {"", "v1", "secrets", "secret", "Secret", "", true, false, false},
    {"", "v1", "services", "service", "Service", "svc", true, true, false},
    {"", "v1", "serviceaccounts", "serviceaccount", "ServiceAccount", "sa", true, false, false},
    {"", "v1", "persistentvolumeclaims", "persistentvolumeclaim", "PersistentVolumeClaim", "pvc",
     true, true, false},
    {"", "v1", "events", "event", "Event", "ev", true, false, false},
    {"events.k8s.io", "v1", "events", "event", "Event", "ev", true, false, false},
    {"apps", "v1", "statefulsets", "statefulset", "StatefulSet", "sts", true, true, true},
    {"apps", "v1", "controllerrevisions", "controllerrevision", "ControllerRevision", "", true,
     false, false},
    {"apps", "v1", "deployments", "deployment", "Deployment", "deploy", true, true, true},
    {"batch", "v1", "jobs", "job", "Job", "", true, true, true},
    {"policy", "v1", "poddisruptionbudgets", "poddisruptionbudget", "PodDisruptionBudget", "pdb",
     true, true, true},
    {"coordination.k8s.io", "v1", "leases", "lease", "Lease", "", true, false, false},
    {"storage.k8s.io", "v1", "storageclasses", "storageclass", "StorageClass", "sc", false, false,
     false},
    {"rbac.authorization.k8s.io", "v1", "roles", "role", "Role", "", true, false, false},
    {"rbac.authorization.k8s.io", "v1", "rolebindings", "rolebinding", "RoleBinding", "", true,
     false, false},
    {"rbac.authorization.k8s.io", "v1", "clusterroles", "clusterrole", "ClusterRole", "", false,
     false, false},
    {"rbac.authorization.k8s.io", "v1", "clusterrolebindings", "clusterrolebinding",
     "ClusterRoleBinding", "", false, false, false},
    {"apiextensions.k8s.io", "v1", "customresourcedefinitions", "customresourcedefinition",
     "CustomResourceDefinition", "crd", false, true, true},
    {"admissionregistration.k8s.io", "v1", "mutatingadmissionpolicies", "mutatingadmissionpolicy",
     "MutatingAdmissionPolicy", "", false, false, true},
    {"admissionregistration.k8s.io", "v1", "mutatingadmissionpolicybindings",
     "mutatingadmissionpolicybinding", "MutatingAdmissionPolicyBinding", "", false, false, true},
    {"admissionregistration.k8s.io", "v1", "validatingadmissionpolicies",
     "validatingadmissionpolicy", "ValidatingAdmissionPolicy", "", false, true, true},
    {"admissionregistration.k8s.io", "v1", "validatingadmissionpolicybindings",
     "validatingadmissionpolicybinding", "ValidatingAdmissionPolicyBinding", "", false, false,
     true},
    {"flowcontrol.apiserver.k8s.io", "v1", "flowschemas", "flowschema", "FlowSchema", "", false,
     true, true},
    {"flowcontrol.apiserver.k8s.io", "v1", "prioritylevelconfigurations",
     "prioritylevelconfiguration", "PriorityLevelConfiguration", "", false, true, true},
};

std::vector<Resource> made_of_table() {
    std::vector<Resource> resources;
    for (const Row& row : table) {
        Resource one{row.group, row.version, row.plural, row.singular, row.kind};
        if (*row.short_name) one.short_names = {row.short_name};
        one.namespaced = row.namespaced;
        one.has_status = row.has_status;
        one.counts_generation = row.counts_generation;
        one.has_scale = one.kind == "StatefulSet" || one.kind == "Deployment";
        if (one.kind == "Pod" || one.kind == "StatefulSet" || one.kind == "Service" ||
            one.kind == "Deployment" || one.kind == "Job")
            one.categories = {"all"};
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

std::string lower_case(std::string text) {
    for (char& c : text)
        c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return text;
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
        if (one.singular.empty()) one.singular = lower_case(one.kind);
        one.short_names = texts(array_at(definition, "/spec/names/shortNames"));
        one.categories = texts(array_at(definition, "/spec/names/categories"));
        one.namespaced = text_at(definition, "/spec/scope") == "Namespaced";
        one.has_status = has(*version, "/subresources/status");
        one.has_scale = has(*version, "/subresources/scale");
        one.counts_generation = true;
        one.schema = std::make_shared<const Schema>(object_at(*version, "/schema/openAPIV3Schema"));
        one.columns = array_at(*version, "/additionalPrinterColumns");
        resources.push_back(std::move(one));
    }
    return resources;
}

}  // namespace sluice::sim
