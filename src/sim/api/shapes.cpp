#include "sim/api/shapes.hpp"

#include <algorithm>
#include <map>

#include "base/assert.hpp"
#include "sim/api/split.hpp"

namespace sluice::sim {
namespace {

// The fields of a type, a blank between them: "name:type[merge key|apply keys]" and marks. One key
// stands for both ways to merge; "[|x]" and "[x|]" are keyed in one of them only. Marks: "+" is
// always there, "!" is one piece, "=" is replaced. A type that is "!" itself has entries that are
// one piece each.
struct Type {
    std::string_view names;  // those of kinds begin with a capital letter
    std::string_view fields;
};

constexpr Type types[] = {
    {"piece", "!"},
    {"meta", "ownerReferences:piece[uid] finalizers[*]"},
    {"envSource", "configMapKeyRef! secretKeyRef! fieldRef! resourceFieldRef! fileKeyRef!"},
    {"env", "valueFrom:envSource"},
    {"resources", "claims[|name]"},
    {"container",
     "ports[containerPort|containerPort,protocol] env:env[name] volumeMounts[mountPath] "
     "volumeDevices[devicePath] resources:resources"},
    {"claimSpec", "selector! dataSource! resources+"},
    {"claimTemplate", "metadata:meta+ spec:claimSpec+"},
    {"ephemeral", "volumeClaimTemplate:claimTemplate"},
    {"withSecretRef", "secretRef! nodePublishSecretRef!"},
    {"volume",
     "ephemeral:ephemeral csi:withSecretRef cephfs:withSecretRef rbd:withSecretRef "
     "iscsi:withSecretRef flexVolume:withSecretRef scaleIO:withSecretRef storageos:withSecretRef"},
    {"nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution!"},
    {"affinity", "nodeAffinity:nodeAffinity"},
    {"spread", "labelSelector!"},
    {"podSpec",
     "containers:container[name]+ initContainers:container[name] "
     "ephemeralContainers:container[name] volumes:volume[name] imagePullSecrets:piece[name] "
     "hostAliases[ip] topologySpreadConstraints:spread[topologyKey|topologyKey,whenUnsatisfiable] "
     "resourceClaims[name] schedulingGates[name] affinity:affinity nodeSelector!"},
    {"podStatus", "conditions[type] podIPs[ip] hostIPs[ip|] resourceClaimStatuses[name]"},
    {"podTemplate", "metadata:meta+ spec:podSpec+"},
    {"conditions", "conditions[type]"},
    {"mergedConditions", "conditions[type|]"},
    {"appliedConditions", "conditions[|type]"},
    {"workloadSpec", "template:podTemplate+ selector! strategy+ updateStrategy+"},
    {"jobTemplate", "metadata:meta+ spec:workloadSpec+"},
    {"cronSpec", "jobTemplate:jobTemplate+"},
    {"serviceSpec", "ports[port|port,protocol] selector!"},
    {"serviceStatus", "conditions[type] loadBalancer+"},
    {"nodeSpec", "podCIDRs[*]"},
    {"nodeStatus", "conditions[type] addresses[type] daemonEndpoints+ nodeInfo+"},
    {"budgetSpec", "selector=!"},
    {"policySpec", "paramKind! matchConstraints! matchConditions[name] variables[name]"},
    {"policyBindingSpec", "paramRef! matchResources!"},
    {"webhook", "namespaceSelector! objectSelector! matchConditions[name] clientConfig+"},

    {"Pod", "metadata:meta+ spec:podSpec+ status:podStatus+"},
    {"PodTemplate", "metadata:meta+ template:podTemplate+"},
    {"Deployment StatefulSet DaemonSet ReplicaSet ReplicationController",
     "metadata:meta+ spec:workloadSpec+ status:conditions+"},
    {"Job", "metadata:meta+ spec:workloadSpec+ status:mergedConditions+"},
    {"CronJob", "metadata:meta+ spec:cronSpec+ status+"},
    {"Service", "metadata:meta+ spec:serviceSpec+ status:serviceStatus+"},
    {"ServiceAccount", "metadata:meta+ secrets[name]"},
    {"Node", "metadata:meta+ spec:nodeSpec+ status:nodeStatus+"},
    {"PersistentVolumeClaim", "metadata:meta+ spec:claimSpec+ status:conditions+"},
    {"PodDisruptionBudget", "metadata:meta+ spec:budgetSpec+ status:conditions+"},
    {"Namespace HorizontalPodAutoscaler APIService", "metadata:meta+ spec+ status:conditions+"},
    {"CustomResourceDefinition", "metadata:meta+ spec+ status:appliedConditions+"},
    {"ValidatingAdmissionPolicy MutatingAdmissionPolicy",
     "metadata:meta+ spec:policySpec+ status:appliedConditions+"},
    {"ValidatingAdmissionPolicyBinding MutatingAdmissionPolicyBinding",
     "metadata:meta+ spec:policyBindingSpec+"},
    {"ValidatingWebhookConfiguration MutatingWebhookConfiguration",
     "metadata:meta+ webhooks:webhook[name]"},
    {"RoleBinding ClusterRoleBinding", "metadata:meta+ roleRef!"},
    {"ControllerRevision", "metadata:meta+ data!"},
    {"Event", "metadata:meta+ involvedObject! regarding! related!"},
    {"AnyCustomKind", "metadata:meta+"},
    {"AnyBuiltInKind", "metadata:meta+ spec+ status+"},
};

class Shapes {
  public:
    Shapes() {
        for (const Type& type : types)
            for (const std::string_view name : parts_of(type.names, ' '))
                shapes_[name] = read(type.fields);
    }

    const Shape* find(std::string_view name) const {
        const auto found = shapes_.find(name);
        return found == shapes_.end() ? nullptr : &found->second;
    }

  private:
    Shape read(std::string_view fields) const {
        if (fields == "!") return {.is_whole = true};
        Shape shape;
        for (const std::string_view word : parts_of(fields, ' '))
            shape.fields.push_back(field(word));
        return shape;
    }

    // Types stand above those that are made of them.
    Field field(std::string_view word) const {
        Field field;
        for (; word.ends_with('+') || word.ends_with('!') || word.ends_with('=');
             word.remove_suffix(1)) {
            field.is_always_there |= word.back() == '+';
            field.is_whole |= word.back() == '!';
            field.is_replaced |= word.back() == '=';
        }
        if (const std::size_t open = word.find('['); open != word.npos) {
            const std::string_view keys = word.substr(open + 1, word.size() - open - 2);
            const std::size_t bar = keys.find('|');
            field.merge_key = keys.substr(0, bar);
            field.apply_keys = bar == keys.npos ? keys : keys.substr(bar + 1);
            word = word.substr(0, open);
        }
        const std::size_t colon = word.find(':');
        field.name = word.substr(0, colon);
        if (colon != word.npos) field.shape = find(word.substr(colon + 1));
        SLUICE_ASSERT(colon == word.npos || field.shape);
        return field;
    }

    std::map<std::string_view, Shape> shapes_;
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

const Field* field_of(const Shape* shape, std::string_view name) {
    if (!shape) return nullptr;
    const auto at = std::ranges::find(shape->fields, name, &Field::name);
    return at == shape->fields.end() ? nullptr : &*at;
}

const Shape& shape_of(const json::object& document) {
    static const Shapes all;
    if (!is_built_in(text_at(document, "/apiVersion"))) return *all.find("AnyCustomKind");
    const Shape* known = all.find(text_at(document, "/kind"));
    return known ? *known : *all.find("AnyBuiltInKind");
}

json::value default_of_key(std::string_view key) {
    return key == "protocol" ? json::value("TCP") : json::value{};
}

}  // namespace sluice::sim
