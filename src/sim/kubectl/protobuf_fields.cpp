#include "sim/kubectl/protobuf_fields.hpp"

#include <algorithm>
#include <charconv>

namespace sluice::sim {
namespace {

// "name=1 generation=7:int": the fields of a message with their numbers and types, a blank between
// them; those without a type are strings.
struct Message {
    std::string_view name;
    std::string_view fields;
};
constexpr Message messages[] = {
    {"ObjectMeta",
     "name=1 generateName=2 namespace=3 selfLink=4:- uid=5 resourceVersion=6 generation=7:- "
     "creationTimestamp=8:- deletionTimestamp=9:- deletionGracePeriodSeconds=10:- labels=11:map "
     "annotations=12:map ownerReferences=13:[]OwnerReference finalizers=14:[]string "
     "managedFields=17:-"},
    {"OwnerReference",
     "kind=1 name=3 uid=4 apiVersion=5 controller=6:bool? blockOwnerDeletion=7:bool?"},
    {"LabelSelector", "matchLabels=1:map matchExpressions=2:[]LabelSelectorRequirement"},
    {"LabelSelectorRequirement", "key=1 operator=2 values=3:[]string"},
    {"DeleteOptions",
     "gracePeriodSeconds=1:int? preconditions=2:Preconditions orphanDependents=3:bool? "
     "propagationPolicy=4 dryRun=5:[]string"},
    {"Preconditions", "uid=1 resourceVersion=2"},
    {"LocalObjectReference", "name=1"},
    {"ObjectReference", "kind=1 namespace=2 name=3"},
    {"Namespace", "metadata=1:ObjectMeta spec=2:NamespaceSpec status=3:-"},
    {"NamespaceSpec", "finalizers=1:[]string"},
    {"ConfigMap", "metadata=1:ObjectMeta data=2:map binaryData=3:bytes immutable=4:bool?"},
    {"Secret", "metadata=1:ObjectMeta data=2:bytes type=3 stringData=4:map immutable=5:bool?"},
    {"ServiceAccount",
     "metadata=1:ObjectMeta secrets=2:[]ObjectReference "
     "imagePullSecrets=3:[]LocalObjectReference automountServiceAccountToken=4:bool?"},
    {"Service", "metadata=1:ObjectMeta spec=2:ServiceSpec status=3:-"},
    {"ServiceSpec",
     "ports=1:[]ServicePort selector=2:map clusterIP=3 type=4 externalIPs=5:[]string "
     "sessionAffinity=7 externalName=10 clusterIPs=18:[]string"},
    {"ServicePort", "name=1 protocol=2 port=3:int targetPort=4:intstr nodePort=5:int"},
    {"Pod", "metadata=1:ObjectMeta spec=2:PodSpec status=3:-"},
    {"PodTemplateSpec", "metadata=1:ObjectMeta spec=2:PodSpec"},
    {"PodSpec",
     "containers=2:[]Container restartPolicy=3 terminationGracePeriodSeconds=4:int? dnsPolicy=6 "
     "nodeSelector=7:map serviceAccountName=8 nodeName=10 "
     "imagePullSecrets=15:[]LocalObjectReference schedulerName=19 initContainers=20:[]Container"},
    {"Container",
     "name=1 image=2 command=3:[]string args=4:[]string workingDir=5 ports=6:[]ContainerPort "
     "env=7:[]EnvVar resources=8:ResourceRequirements terminationMessagePath=13 "
     "imagePullPolicy=14 terminationMessagePolicy=20"},
    {"ContainerPort", "name=1 hostPort=2:int containerPort=3:int protocol=4 hostIP=5"},
    {"EnvVar", "name=1 value=2"},
    {"ResourceRequirements", "limits=1:quantities requests=2:quantities"},
    {"Deployment", "metadata=1:ObjectMeta spec=2:DeploymentSpec status=3:-"},
    {"DeploymentSpec",
     "replicas=1:int? selector=2:LabelSelector template=3:PodTemplateSpec "
     "strategy=4:DeploymentStrategy minReadySeconds=5:int revisionHistoryLimit=6:int? "
     "paused=7:bool progressDeadlineSeconds=9:int?"},
    {"DeploymentStrategy", "type=1 rollingUpdate=2:RollingUpdateDeployment"},
    {"RollingUpdateDeployment", "maxUnavailable=1:intstr maxSurge=2:intstr"},
    {"Job", "metadata=1:ObjectMeta spec=2:JobSpec status=3:-"},
    {"JobSpec",
     "parallelism=1:int? completions=2:int? activeDeadlineSeconds=3:int? "
     "selector=4:LabelSelector manualSelector=5:bool? template=6:PodTemplateSpec "
     "backoffLimit=7:int? ttlSecondsAfterFinished=8:int? completionMode=9 suspend=10:bool?"},
    {"Role", "metadata=1:ObjectMeta rules=2:[]PolicyRule"},
    {"ClusterRole", "metadata=1:ObjectMeta rules=2:[]PolicyRule aggregationRule=3:AggregationRule"},
    {"AggregationRule", "clusterRoleSelectors=1:[]LabelSelector"},
    {"PolicyRule",
     "verbs=1:[]string apiGroups=2:[]string resources=3:[]string resourceNames=4:[]string "
     "nonResourceURLs=5:[]string"},
    {"RoleBinding", "metadata=1:ObjectMeta subjects=2:[]Subject roleRef=3:RoleRef"},
    {"ClusterRoleBinding", "metadata=1:ObjectMeta subjects=2:[]Subject roleRef=3:RoleRef"},
    {"RoleRef", "apiGroup=1 kind=2 name=3"},
    {"Subject", "kind=1 apiGroup=2 name=3 namespace=4"},
    {"PodDisruptionBudget", "metadata=1:ObjectMeta spec=2:PodDisruptionBudgetSpec status=3:-"},
    {"PodDisruptionBudgetSpec",
     "minAvailable=1:intstr selector=2:LabelSelector maxUnavailable=3:intstr"},
};

ProtobufField field_in(std::string_view word) {
    const std::size_t equals = word.find('=');
    const std::size_t colon = word.find(':');
    ProtobufField field{.name = word.substr(0, equals)};
    std::from_chars(word.data() + equals + 1, word.data() + word.size(), field.number);
    if (colon != word.npos) field.type = word.substr(colon + 1);
    return field;
}

const Message* find_message(std::string_view name) {
    const auto found = std::ranges::find(messages, name, &Message::name);
    return found == std::end(messages) ? nullptr : found;
}

}  // namespace

std::optional<ProtobufField> protobuf_field(std::string_view message, int number) {
    const Message* found = find_message(message);
    std::string_view rest = found ? found->fields : std::string_view{};
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        const ProtobufField field = field_in(rest.substr(0, end));
        if (field.number == number) return field;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return std::nullopt;
}

bool is_protobuf_message(std::string_view message) {
    return find_message(message) != nullptr;
}

}  // namespace sluice::sim
