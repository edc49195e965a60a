#include "sim/api/defaults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "base/base64.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "sim/api/split.hpp"

namespace sluice::sim {
namespace {

template <class Value>
void give(json::object& in, std::string_view key, const Value& value) {
    if (const json::value* there = in.if_contains(key); !there || there->is_null()) in[key] = value;
}

void fill_container(json::object& container) {
    const json::object limits = object_at(container, "/resources/limits");
    for (const auto& [name, limit] : limits)
        give(object_in(container, "/resources/requests"), name, limit);
    const std::string image = text_at(container, "/image");
    const std::size_t colon = image.rfind(':');
    const bool tagged = colon != std::string::npos && image.find('/', colon) == std::string::npos;
    const bool latest = !tagged || image.substr(colon) == ":latest";
    give(container, "imagePullPolicy", latest ? "Always" : "IfNotPresent");
}

void fill_pod_spec(json::object& spec) {
    if (text_at(spec, "/priorityClassName").empty()) spec.erase("priorityClassName");
}

// An absent updateStrategy means partition 0; `type: RollingUpdate` alone means no block at all.
void fill_strategy(json::object& set) {
    json::object& strategy = object_in(set, "/spec/updateStrategy");
    if (text_at(strategy, "/type").empty()) {
        strategy["type"] = "RollingUpdate";
        give(strategy, "rollingUpdate", json::object{});
    }
    if (has(strategy, "/rollingUpdate") && text_at(strategy, "/type") == "RollingUpdate")
        give(object_in(strategy, "/rollingUpdate"), "partition", 0);
}

void fill_target_port(json::object& port) {
    if (port.contains("port")) give(port, "targetPort", json::value(port.at("port")));
}

// stringData is for writing only: it ends up in data.
void fill_data(json::object& secret) {
    const json::object plain = object_at(secret, "/stringData");
    secret.erase("stringData");
    for (const auto& [key, value] : plain)
        if (value.is_string())
            object_in(secret, "/data")[key] = encode_base64(std::string_view{value.get_string()});
}

void fill_names(json::object& definition) {
    json::object& names = object_in(definition, "/spec/names");
    give(names, "singular", in_lower_case(text_at(names, "/kind")));
    give(names, "listKind", text_at(names, "/kind") + "List");
}

void fill_own_label(json::object& ns) {
    object_in(ns, "/metadata/labels")["kubernetes.io/metadata.name"] =
        text_at(ns, "/metadata/name");
}

// Guaranteed if every container has limits and asks for no less.
std::string qos_class(const json::object& spec) {
    bool says_nothing = true;
    bool is_guaranteed = true;
    for (const json::value& entry : array_at(spec, "/containers")) {
        const json::object& resources = object_at(entry.get_object(), "/resources");
        const json::object& limits = object_at(resources, "/limits");
        const json::object& requests = object_at(resources, "/requests");
        if (!limits.empty() || !requests.empty()) says_nothing = false;
        if (!limits.contains("cpu") || !limits.contains("memory") || limits != requests)
            is_guaranteed = false;
    }
    return says_nothing ? "BestEffort" : is_guaranteed ? "Guaranteed" : "Burstable";
}

// With what admission adds to every pod.
void begin_pod(json::object& pod) {
    json::object& spec = object_in(pod, "/spec");
    if (number_at(spec, "/terminationGracePeriodSeconds") < 0)
        spec["terminationGracePeriodSeconds"] = 1;
    json::array tolerations = array_at(spec, "/tolerations");
    for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
        const bool is_there = std::ranges::any_of(tolerations, [&](const json::value& one) {
            const std::string other = text_at(one.get_object(), "/key");
            return other.empty() || other == key;
        });
        if (!is_there)
            tolerations.push_back(json::object{{"key", key},
                                               {"operator", "Exists"},
                                               {"effect", "NoExecute"},
                                               {"tolerationSeconds", 300}});
    }
    spec["tolerations"] = std::move(tolerations);
    pod["status"] = json::object{{"phase", "Pending"}, {"qosClass", qos_class(spec)}};
}

void begin_claim(json::object& claim) {
    array_in(claim, "/metadata/finalizers").push_back("kubernetes.io/pvc-protection");
}

void begin_namespace(json::object& ns) {
    set(ns, "/spec/finalizers", json::array{"kubernetes"});
}

void begin_service(json::object& service) {
    const std::uint64_t hash = fnv1a(text_at(service, "/metadata/uid"));
    json::object& spec = object_in(service, "/spec");
    give(spec, "clusterIP", fmt::format("10.96.{}.{}", hash % 250, hash / 250 % 250 + 1));
    give(spec, "clusterIPs", json::array{spec.at("clusterIP")});
    give(spec, "ipFamilies", json::array{"IPv4"});
    give(spec, "ipFamilyPolicy", "SingleStack");
}

void begin_job(json::object& job) {
    const std::string uid = text_at(job, "/metadata/uid");
    if (flag_at(job, "/spec/manualSelector")) return;
    set(job, "/spec/selector/matchLabels/batch.kubernetes.io~1controller-uid", uid);
    json::object& labels = object_in(job, "/spec/template/metadata/labels");
    for (const std::string prefix : {"batch.kubernetes.io/", ""}) {
        labels[prefix + "controller-uid"] = uid;
        labels[prefix + "job-name"] = text_at(job, "/metadata/name");
    }
    if (object_at(job, "/metadata/labels").empty()) object_in(job, "/metadata/labels") = labels;
}

void begin_definition(json::object& definition) {
    const auto condition = [&](const char* type, const char* reason, const char* message) {
        return json::object{
            {"type", type},
            {"status", "True"},
            {"lastTransitionTime", text_at(definition, "/metadata/creationTimestamp")},
            {"reason", reason},
            {"message", message}};
    };
    json::array stored;
    for (const json::value& version : array_at(definition, "/spec/versions"))
        if (version.is_object() && flag_at(version.get_object(), "/storage"))
            stored.push_back(version.at("name"));
    definition["status"] =
        json::object{{"conditions",
                      {condition("NamesAccepted", "NoConflicts", "no conflicts found"),
                       condition("Established", "InitialNamesAccepted",
                                 "the initial names have been accepted")}},
                     {"acceptedNames", object_at(definition, "/spec/names")},
                     {"storedVersions", std::move(stored)}};
}

// The defaults of a type, a blank between them: "way=value", where a value that is not JSON is a
// text, and "way:type". A dot stands between the steps of a way; a step to a list goes to each of
// its entries, and one with a "+" makes the object that is not there.
struct DefaultsOf {
    // Of a resource: its id, with "new" before it for what only a new one gets, and "written" for
    // what is written out in the end.
    std::string_view name;
    std::string_view defaults;
    void (*rest)(json::object&) = nullptr;  // what is more than a constant
};

constexpr std::string_view written_in_events =
    "eventTime=null firstTimestamp=null lastTimestamp=null source={} reportingComponent= "
    "reportingInstance=";

constexpr DefaultsOf defaults_of_types[] = {
    {"action", "httpGet.path=/ httpGet.scheme=HTTP"},
    {"probe",
     "timeoutSeconds=1 periodSeconds=10 successThreshold=1 failureThreshold=3 httpGet.path=/ "
     "httpGet.scheme=HTTP"},
    {"container",
     "resources={} terminationMessagePath=/dev/termination-log terminationMessagePolicy=File "
     "ports.protocol=TCP livenessProbe:probe readinessProbe:probe startupProbe:probe "
     "lifecycle.preStop:action lifecycle.postStart:action env.valueFrom.fieldRef.apiVersion=v1",
     fill_container},
    {"podSpec",
     "restartPolicy=Always terminationGracePeriodSeconds=30 dnsPolicy=ClusterFirst "
     "securityContext={} schedulerName=default-scheduler containers:container "
     "initContainers:container volumes.configMap.defaultMode=420 volumes.secret.defaultMode=420 "
     "volumes.projected.defaultMode=420 volumes.downwardAPI.defaultMode=420 volumes.hostPath.type= "
     "volumes.downwardAPI.items.fieldRef.apiVersion=v1 "
     "volumes.projected.sources.downwardAPI.items.fieldRef.apiVersion=v1",
     fill_pod_spec},
    {"servicePort", "protocol=TCP", fill_target_port},

    {"statefulsets.apps",
     "spec+.replicas=1 spec.podManagementPolicy=OrderedReady spec.revisionHistoryLimit=10 "
     "spec.persistentVolumeClaimRetentionPolicy+.whenDeleted=Retain "
     "spec.persistentVolumeClaimRetentionPolicy.whenScaled=Retain spec.template.spec+:podSpec "
     "spec.volumeClaimTemplates.apiVersion=v1 "
     "spec.volumeClaimTemplates.kind=PersistentVolumeClaim "
     "spec.volumeClaimTemplates.spec+.volumeMode=Filesystem "
     "spec.volumeClaimTemplates.status={\"phase\":\"Pending\"}",
     fill_strategy},
    {"deployments.apps",
     "spec+.replicas=1 spec.revisionHistoryLimit=10 spec.progressDeadlineSeconds=600 "
     "spec.strategy+.type=RollingUpdate spec.template.spec+:podSpec"},
    {"jobs.batch",
     "spec+.parallelism=1 spec.completions=1 spec.backoffLimit=6 spec.completionMode=NonIndexed "
     "spec.suspend=false spec.manualSelector=false spec.podReplacementPolicy=TerminatingOrFailed "
     "spec.template.spec+:podSpec"},
    {"pods", "spec+:podSpec spec.enableServiceLinks=true"},
    {"services",
     "spec+.type=ClusterIP spec.sessionAffinity=None spec.internalTrafficPolicy=Cluster "
     "spec.ports:servicePort"},
    {"secrets", "type=Opaque", fill_data},
    {"namespaces", "", fill_own_label},
    {"persistentvolumeclaims", "spec+.volumeMode=Filesystem"},
    {"customresourcedefinitions.apiextensions.k8s.io", "spec+.conversion+.strategy=None",
     fill_names},

    {"new statefulsets.apps", "status+.replicas=0 status.availableReplicas=0"},
    {"new pods", "spec+.priority=0 spec.preemptionPolicy=PreemptLowerPriority", begin_pod},
    {"new persistentvolumeclaims", "spec+.storageClassName=standard status+.phase=Pending",
     begin_claim},
    {"new namespaces", "status+.phase=Active", begin_namespace},
    {"new poddisruptionbudgets.policy",
     "status+.currentHealthy=0 status.desiredHealthy=0 status.disruptionsAllowed=0 "
     "status.expectedPods=0"},
    {"new services", "status+.loadBalancer={}", begin_service},
    {"new jobs.batch", "status={}", begin_job},
    {"new customresourcedefinitions.apiextensions.k8s.io", "", begin_definition},

    {"written statefulsets.apps",
     "spec+.serviceName= status+.replicas=0 status.availableReplicas=0"},
    {"written events", written_in_events},
    {"written events.events.k8s.io", written_in_events},
};

struct Defaults;

struct Default {
    struct Step {
        std::string_view name;
        bool is_made;
    };
    std::vector<Step> way = {};
    json::value value = {};
    const Defaults* type = nullptr;  // instead of a value
};

struct Defaults {
    std::vector<Default> all = {};
    void (*rest)(json::object&) = nullptr;
};
using Types = std::map<std::string_view, Defaults, std::less<>>;

Default to_default(std::string_view word, const Types& known) {
    const std::size_t end = word.find_first_of("=:");
    const std::string_view what = word.substr(end + 1);
    Default one;
    for (const std::string_view step : parts_of(word.substr(0, end), '.'))
        one.way.push_back({step.substr(0, step.find('+')), step.ends_with('+')});
    if (word[end] == ':') {
        one.type = &known.at(what);  // types stand above those that are made of them
        return one;
    }
    boost::system::error_code is_text;
    one.value = json::parse(what, is_text);
    if (is_text) one.value = what;
    return one;
}

Types read_types() {
    Types known;
    for (const DefaultsOf& type : defaults_of_types) {
        Defaults& defaults = known[type.name];
        defaults.rest = type.rest;
        for (const std::string_view word : parts_of(type.defaults, ' '))
            defaults.all.push_back(to_default(word, known));
    }
    return known;
}

void fill(json::object& in, const Defaults& with);

void fill(json::object& in, const Default& one, std::span<const Default::Step> way) {
    const auto& [name, is_made] = way.front();
    const bool is_last = way.size() == 1;
    if (is_last && !one.type) return give(in, name, one.value);
    if (is_made) give(in, name, json::object{});
    const auto go_on = [&](json::value& value) {
        json::object* object = value.if_object();
        if (object && is_last) fill(*object, *one.type);
        if (object && !is_last) fill(*object, one, way.subspan(1));
    };
    json::value* next = in.if_contains(name);
    if (json::array* list = next ? next->if_array() : nullptr)
        std::ranges::for_each(*list, go_on);
    else if (next)
        go_on(*next);
}

void fill(json::object& in, const Defaults& with) {
    for (const Default& one : with.all)
        fill(in, one, one.way);
    if (with.rest) with.rest(in);
}

void fill_as(const std::string& name, json::object& object) {
    static const Types all = read_types();
    if (const auto found = all.find(name); found != all.end()) fill(object, found->second);
}

}  // namespace

void fill_in(const Resource& resource, json::object& object) {
    if (!resource.is_custom()) fill_as(resource.id(), object);
}

void write_out(const Resource& resource, json::object& object) {
    if (!resource.is_custom()) fill_as("written " + resource.id(), object);
}

void begin(const Resource& resource, json::object& object) {
    if (resource.has_status) object.erase("status");
    if (!resource.is_custom()) fill_as("new " + resource.id(), object);
}

}  // namespace sluice::sim
