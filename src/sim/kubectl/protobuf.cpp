#include "sim/kubectl/protobuf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/base64.hpp"
#include "sim/api/split.hpp"

namespace sluice::sim {
namespace {

constexpr std::string_view magic{"k8s\0", 4};
constexpr int depth_max = 16;  // a PodSpec in a Job is at 5

// "name=1 generation=7:int": the fields of a message with their numbers and types, a blank between
// them; those without a type are strings. Types: "int", "bool", "map" (text by text), "bytes"
// (bytes by text), "quantities", "intstr", "-" (what the server sets itself), or the name of a
// message.
// "[]" before: a list. "?" behind: zero counts as set.
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

struct MessageField {
    std::string_view name;
    std::string_view type = "string";
};

const Message* find_message(std::string_view name) {
    const auto found = std::ranges::find(messages, name, &Message::name);
    return found == std::end(messages) ? nullptr : found;
}

// Nothing if the message has no such field, as far as we know.
std::optional<MessageField> field_of(std::string_view message, int number) {
    const Message* found = find_message(message);
    const std::string mark = fmt::format("={}", number);
    for (const std::string_view word : parts_of(found ? found->fields : "", ' ')) {
        const std::size_t equals = word.find('=');
        const std::size_t colon = std::min(word.find(':'), word.size());
        if (word.substr(equals, colon - equals) != mark) continue;
        if (colon == word.size()) return MessageField{word.substr(0, equals)};
        return MessageField{word.substr(0, equals), word.substr(colon + 1)};
    }
    return std::nullopt;
}

// One field as it stands in the bytes: a number, or bytes.
struct RawField {
    int number = 0;
    std::uint64_t value = 0;
    std::string_view bytes = {};
    bool is_bytes = false;
    bool is_empty() const { return is_bytes ? bytes.empty() : value == 0; }
};

// Reads fields one by one. Whatever is cut short or of another wire type ends the reading.
class Reader {
  public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}

    bool next(RawField& field) {
        if (rest_.empty() || is_broken_) return false;
        const std::uint64_t tag = varint();
        field = {.number = static_cast<int>(tag >> 3)};
        if ((tag & 7) == 0) {
            field.value = varint();
        } else if ((tag & 7) == 2) {
            const std::uint64_t size = varint();
            is_broken_ = is_broken_ || size > rest_.size();
            if (is_broken_) return false;
            field.is_bytes = true;
            field.bytes = rest_.substr(0, size);
            rest_.remove_prefix(size);
        } else {
            is_broken_ = true;
        }
        return !is_broken_;
    }
    bool is_broken() const { return is_broken_; }

  private:
    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (rest_.empty()) break;
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) return value;
        }
        is_broken_ = true;
        return 0;
    }

    std::string_view rest_;
    bool is_broken_ = false;
};

using Text = std::string;

Text text_field(std::string_view message, int number) {
    Reader reader(message);
    RawField field;
    Text found;
    while (reader.next(field))
        if (field.number == number && field.is_bytes) found = Text{field.bytes};
    return found;
}

// An entry of a map: key = 1, value = 2. A quantity is a message around its text.
void add_entry(json::object& map, const RawField& field, std::string_view type) {
    const Text key = text_field(field.bytes, 1);
    const Text value = text_field(field.bytes, 2);
    if (type == "bytes")
        map[key] = encode_base64(value);
    else
        map[key] = type == "quantities" ? text_field(value, 1) : value;
}

// type = 1 (0: a number), intVal = 2, strVal = 3.
json::value int_or_text(std::string_view bytes) {
    Reader reader(bytes);
    RawField field;
    std::uint64_t type = 0;
    std::uint64_t number = 0;
    while (reader.next(field)) {
        if (field.number == 1) type = field.value;
        if (field.number == 2) number = field.value;
    }
    if (type == 0) return static_cast<std::int64_t>(number);
    return json::value(text_field(bytes, 3));
}

bool is_left_out(std::string_view type, const RawField& field, const json::value& value) {
    if (type.ends_with('?')) return false;
    return field.is_empty() || (value.is_object() && value.get_object().empty());
}

// Turns messages into objects by the table of fields. The first thing that it cannot read ends it.
class Decoder {
  public:
    json::object message(std::string_view name, std::string_view bytes, int depth = 0);
    const Text& complaint() const { return complaint_; }

  private:
    json::value value(std::string_view type, const RawField& field, int depth);
    void add(json::object& message, const MessageField& field, const RawField& wire, int depth);

    Text complaint_;
};

json::value Decoder::value(std::string_view type, const RawField& field, int depth) {
    if (type.ends_with('?')) type.remove_suffix(1);
    if (type == "string") return json::value(Text{field.bytes});
    if (type == "int") return static_cast<std::int64_t>(field.value);
    if (type == "bool") return field.value != 0;
    if (type == "intstr") return int_or_text(field.bytes);
    return message(type, field.bytes, depth + 1);
}

void Decoder::add(json::object& message, const MessageField& field, const RawField& wire,
                  int depth) {
    const std::string_view type = field.type;
    if (type == "-") return;
    if (type == "map" || type == "bytes" || type == "quantities") {
        json::value& map = message[field.name];
        if (!map.is_object()) map.emplace_object();
        add_entry(map.get_object(), wire, type);
    } else if (type.starts_with("[]")) {
        json::value& list = message[field.name];
        if (!list.is_array()) list.emplace_array();
        list.get_array().push_back(value(type.substr(2), wire, depth));
    } else {
        json::value one = value(type, wire, depth);
        if (!is_left_out(type, wire, one)) message[field.name] = std::move(one);
    }
}

json::object Decoder::message(std::string_view name, std::string_view bytes, int depth) {
    json::object found;
    if (depth > depth_max) complaint_ = "the protobuf is nested too deep";
    Reader reader(bytes);
    RawField wire;
    while (complaint_.empty() && reader.next(wire)) {
        if (const auto field = field_of(name, wire.number)) {
            add(found, *field, wire, depth);
        } else if (!wire.is_empty()) {
            complaint_ = fmt::format(
                "field {} of {} is not among those that are read as protobuf; JSON and YAML are "
                "read whole, as with kubectl create -f",
                wire.number, name);
        }
    }
    if (reader.is_broken()) complaint_ = "the protobuf is cut short";
    return found;
}

}  // namespace

// The envelope: typeMeta = 1 (apiVersion = 1, kind = 2), raw = 2.
std::expected<json::object, std::string> from_protobuf(std::string_view body) {
    if (!body.starts_with(magic)) return std::unexpected("this is not Kubernetes' protobuf");
    body.remove_prefix(magic.size());
    const Text type = text_field(body, 1);
    const Text kind = text_field(type, 2);
    if (!find_message(kind))
        return std::unexpected(
            fmt::format("{} is not among the kinds that are read as protobuf", kind));
    Decoder decoder;
    json::object object = decoder.message(kind, text_field(body, 2));
    if (!decoder.complaint().empty()) return std::unexpected(decoder.complaint());
    object["apiVersion"] = text_field(type, 1);
    object["kind"] = kind;
    return object;
}

}  // namespace sluice::sim
