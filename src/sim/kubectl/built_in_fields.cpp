#include "sim/kubectl/built_in_fields.hpp"

#include <string>

namespace sluice::sim {
namespace {

// `owner` is the kind and the path below it. Types: a JSON type, "[]" before it for a list, "map"
// for strings by strings.
struct Field {
    std::string_view owner;
    std::string_view name;
    std::string_view type;
    std::string_view description;
};

constexpr Field fields[] = {
    {"ObjectMeta", "name", "string", "Unique within the namespace; cannot be changed."},
    {"ObjectMeta", "generateName", "string", "The server makes a name that starts with this."},
    {"ObjectMeta", "namespace", "string", "Where the object lives."},
    {"ObjectMeta", "labels", "map", "Keys and values to select objects by."},
    {"ObjectMeta", "annotations", "map", "Keys and values that tools leave here."},
    {"ObjectMeta", "uid", "string",
     "Unique over all objects, also those that are gone. Set by the server."},
    {"ObjectMeta", "resourceVersion", "string", "Changes with every write. Set by the server."},
    {"ObjectMeta", "generation", "integer", "Counts the changes of the desired state."},
    {"ObjectMeta", "creationTimestamp", "string",
     "When the object was created. Set by the server."},
    {"ObjectMeta", "deletionTimestamp", "string", "When the object was, or will be, deleted."},
    {"ObjectMeta", "deletionGracePeriodSeconds", "integer", "How long it has to end."},
    {"ObjectMeta", "finalizers", "[]string", "Who must let go of the object before it disappears."},
    {"ObjectMeta", "ownerReferences", "[]object", "The objects that this one depends on."},
    {"ObjectMeta", "managedFields", "[]object", "Which manager owns which fields."},
    {"StatefulSet", "spec", "object", "The desired identities of the pods in this set."},
    {"StatefulSet", "status", "object", "What the controller last saw; may lag behind."},
    {"StatefulSet.spec", "replicas", "integer", "How many pods; 1 if not set."},
    {"StatefulSet.spec", "selector", "object", "Labels of the pods; must match the template."},
    {"StatefulSet.spec", "serviceName", "string", "The service that governs the set."},
    {"StatefulSet.spec", "template", "object", "What every pod of the set is made from."},
    {"StatefulSet.spec", "updateStrategy", "object", "How pods get a new template."},
    {"StatefulSet.spec", "podManagementPolicy", "string", "OrderedReady or Parallel."},
    {"StatefulSet.spec", "minReadySeconds", "integer", "How long a pod is ready until available."},
    {"StatefulSet.spec", "ordinals", "object", "Where the numbers of the pods start."},
    {"StatefulSet.spec", "revisionHistoryLimit", "integer", "How many old revisions are kept."},
    {"StatefulSet.spec", "volumeClaimTemplates", "[]object", "Claims that every pod gets."},
    {"StatefulSet.spec", "persistentVolumeClaimRetentionPolicy", "object",
     "What happens to the claims when the set is deleted or scaled down."},
    {"StatefulSet.spec.updateStrategy", "type", "string", "RollingUpdate or OnDelete."},
    {"StatefulSet.spec.updateStrategy", "rollingUpdate", "object", "Details of RollingUpdate."},
    {"StatefulSet.spec.updateStrategy.rollingUpdate", "partition", "integer",
     "Pods with a smaller number keep their revision."},
    {"StatefulSet.spec.updateStrategy.rollingUpdate", "maxUnavailable", "string",
     "How many pods may be unavailable during an update."},
    {"StatefulSet.status", "replicas", "integer", "Pods that were created."},
    {"StatefulSet.status", "readyReplicas", "integer", "Pods that are ready."},
    {"StatefulSet.status", "availableReplicas", "integer", "Ready for minReadySeconds."},
    {"StatefulSet.status", "currentReplicas", "integer", "Pods of the current revision."},
    {"StatefulSet.status", "updatedReplicas", "integer", "Pods of the update revision."},
    {"StatefulSet.status", "currentRevision", "string", "The revision that pods come from."},
    {"StatefulSet.status", "updateRevision", "string", "The revision that pods go to."},
    {"StatefulSet.status", "observedGeneration", "integer", "What the controller has seen."},
    {"StatefulSet.status", "collisionCount", "integer", "Collisions of revision names."},
    {"StatefulSet.status", "conditions", "[]object", "The latest observations of the state."},
    {"Pod", "spec", "object", "What the pod should be."},
    {"Pod", "status", "object", "What was last seen of the pod."},
    {"Pod.spec", "containers", "[]object", "The containers of the pod; at least one."},
    {"Pod.spec", "initContainers", "[]object", "Containers that run before the others."},
    {"Pod.spec", "nodeName", "string", "The node that the pod is bound to."},
    {"Pod.spec", "restartPolicy", "string", "Always, OnFailure or Never."},
    {"Pod.spec", "terminationGracePeriodSeconds", "integer", "How long the pod has to end."},
    {"Pod.spec", "volumes", "[]object", "Volumes that containers can mount."},
    {"Pod.status", "phase", "string", "Pending, Running, Succeeded, Failed or Unknown."},
    {"Pod.status", "conditions", "[]object", "The latest observations of the state."},
    {"Pod.status", "containerStatuses", "[]object", "One entry per container."},
    {"Pod.status", "podIP", "string", "The address of the pod."},
    {"ConfigMap", "data", "map", "The configuration, as text."},
    {"ConfigMap", "binaryData", "map", "The configuration, as base64."},
    {"ConfigMap", "immutable", "boolean", "If true, data cannot be changed."},
    {"Secret", "data", "map", "The secret, as base64."},
    {"Secret", "stringData", "map", "The secret as text, for writing only."},
    {"Secret", "type", "string", "What the secret is for."},
    {"Secret", "immutable", "boolean", "If true, data cannot be changed."},
    {"Event", "involvedObject", "object", "What the event is about."},
    {"Event", "type", "string", "Normal or Warning."},
    {"Event", "reason", "string", "Why, in one word for machines."},
    {"Event", "message", "string", "What happened, for people."},
    {"Event", "count", "integer", "How often it happened."},
    {"Event", "firstTimestamp", "string", "When it happened first."},
    {"Event", "lastTimestamp", "string", "When it happened last."},
    {"Event", "source", "object", "Who reports it."},
    {"ControllerRevision", "data", "object", "The state that this revision stands for."},
    {"ControllerRevision", "revision", "integer", "The number of the state."},
    {"StorageClass", "provisioner", "string", "Who makes the volumes."},
    {"StorageClass", "parameters", "map", "What the provisioner is told."},
    {"StorageClass", "reclaimPolicy", "string", "Delete or Retain."},
    {"StorageClass", "volumeBindingMode", "string", "Immediate or WaitForFirstConsumer."},
    {"StorageClass", "allowVolumeExpansion", "boolean", "Whether volumes can grow."},
    {"Role", "rules", "[]object", "What the role allows."},
    {"ClusterRole", "rules", "[]object", "What the role allows."},
    {"ClusterRole", "aggregationRule", "object", "Other roles that this one is made of."},
    {"RoleBinding", "roleRef", "object", "The role that is given."},
    {"RoleBinding", "subjects", "[]object", "Who gets it."},
    {"ClusterRoleBinding", "roleRef", "object", "The role that is given."},
    {"ClusterRoleBinding", "subjects", "[]object", "Who gets it."},
    {"ServiceAccount", "secrets", "[]object", "Secrets that pods of the account may use."},
    {"ServiceAccount", "imagePullSecrets", "[]object", "Secrets to pull images with."},
    {"ServiceAccount", "automountServiceAccountToken", "boolean", "Whether pods get a token."},
    {"Lease", "spec", "object", "Who holds the lease, and since when."},
    {"Lease.spec", "holderIdentity", "string", "Who holds the lease."},
    {"Lease.spec", "leaseDurationSeconds", "integer", "How long others wait after a renewal."},
    {"Lease.spec", "acquireTime", "string", "When it was taken."},
    {"Lease.spec", "renewTime", "string", "When it was last renewed."},
    {"Lease.spec", "leaseTransitions", "integer", "How often it changed hands."},
};

json::object open_object() {
    return {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
}

json::object type_schema(std::string_view type) {
    if (type.starts_with("[]")) return {{"type", "array"}, {"items", type_schema(type.substr(2))}};
    if (type == "map") return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
    if (type == "object") return open_object();
    return {{"type", std::string{type}}};
}

json::object described(const std::string& owner) {
    json::object properties;
    for (const Field& field : fields) {
        if (field.owner != owner) continue;
        json::object schema = type_schema(field.type);
        schema["description"] = std::string{field.description};
        json::object inner = described(owner + "." + std::string{field.name});
        if (!inner.empty()) schema["properties"] = std::move(inner);
        properties[std::string{field.name}] = std::move(schema);
    }
    return properties;
}

}  // namespace

json::object built_in_schema(std::string_view kind, bool has_status) {
    json::object properties = described(std::string{kind});
    if (properties.empty()) {
        properties["spec"] = open_object();
        set(properties, "/spec/description", "What this object should be.");
    }
    if (has_status && !properties.contains("status")) {
        properties["status"] = open_object();
        set(properties, "/status/description", "What was last seen of it.");
    }
    json::object schema = open_object();
    schema["description"] = "A " + std::string{kind} + " of the embedded cluster.";
    schema["properties"] = std::move(properties);
    return schema;
}

json::object object_meta_schema() {
    return {{"type", "object"},
            {"description", "What all objects have."},
            {"properties", described("ObjectMeta")}};
}

}  // namespace sluice::sim
