#include "sim/api/defaults.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.hpp"
#include "base/hash.hpp"

namespace sluice::sim {
namespace {

void give(json::object& in, std::string_view key, json::value value) {
    if (const json::value* there = in.if_contains(key); !there || there->is_null())
        in[key] = std::move(value);
}

void give(json::object& in, std::string_view key, const std::string& text) {
    give(in, key, json::value(std::string_view{text}));
}

void give(json::object& in, std::string_view key, const char* text) {
    give(in, key, json::value(text));
}

json::object& child(json::object& in, std::string_view key) {
    json::value& at = in[key];
    if (!at.is_object()) at.emplace_object();
    return at.get_object();
}

template <class Each>
void for_objects(json::object& in, std::string_view key, const Each& each) {
    json::value* list = in.if_contains(key);
    if (!list || !list->is_array()) return;
    for (json::value& one : list->get_array())
        if (one.is_object()) each(one.get_object());
}

void fill_action(json::object& action) {
    if (json::value* http = action.if_contains("httpGet"); http && http->is_object()) {
        give(http->get_object(), "path", "/");
        give(http->get_object(), "scheme", "HTTP");
    }
}

void fill_probe(json::object& container, std::string_view key) {
    json::value* probe = container.if_contains(key);
    if (!probe || !probe->is_object()) return;
    json::object& one = probe->get_object();
    give(one, "timeoutSeconds", 1);
    give(one, "periodSeconds", 10);
    give(one, "successThreshold", 1);
    give(one, "failureThreshold", 3);
    fill_action(one);
}

void fill_field_reference(json::object& holder) {
    if (json::value* reference = holder.if_contains("fieldRef");
        reference && reference->is_object())
        give(reference->get_object(), "apiVersion", "v1");
}

void fill_resources(json::object& container) {
    json::object& resources = child(container, "resources");
    const json::object limits = object_at(resources, "/limits");
    for (const auto& [name, limit] : limits)
        give(child(resources, "requests"), name, limit);
}

void fill_container(json::object& container) {
    const std::string image = text_at(container, "/image");
    const std::size_t colon = image.rfind(':');
    const bool tagged = colon != std::string::npos && image.find('/', colon) == std::string::npos;
    const bool latest = !tagged || image.substr(colon) == ":latest";
    fill_resources(container);
    give(container, "terminationMessagePath", "/dev/termination-log");
    give(container, "terminationMessagePolicy", "File");
    give(container, "imagePullPolicy", latest ? "Always" : "IfNotPresent");
    for_objects(container, "ports", [](json::object& port) { give(port, "protocol", "TCP"); });
    for (const char* probe : {"livenessProbe", "readinessProbe", "startupProbe"})
        fill_probe(container, probe);
    for (const char* moment : {"/lifecycle/preStop", "/lifecycle/postStart"})
        if (has(container, moment)) fill_action(object_in(container, moment));
    for_objects(container, "env", [](json::object& variable) {
        if (has(variable, "/valueFrom")) fill_field_reference(child(variable, "valueFrom"));
    });
}

void fill_pod_spec(json::object& spec) {
    if (text_at(spec, "/priorityClassName").empty()) spec.erase("priorityClassName");
    give(spec, "restartPolicy", "Always");
    give(spec, "terminationGracePeriodSeconds", 30);
    give(spec, "dnsPolicy", "ClusterFirst");
    give(spec, "securityContext", json::object{});
    give(spec, "schedulerName", "default-scheduler");
    for (const char* list : {"containers", "initContainers"})
        for_objects(spec, list, fill_container);
    for_objects(spec, "volumes", [](json::object& volume) {
        for (const char* source : {"configMap", "secret", "projected", "downwardAPI"})
            if (json::value* one = volume.if_contains(source); one && one->is_object())
                give(one->get_object(), "defaultMode", 420);
        if (volume.contains("hostPath")) give(child(volume, "hostPath"), "type", "");
        if (volume.contains("downwardAPI"))
            for_objects(child(volume, "downwardAPI"), "items", fill_field_reference);
        if (volume.contains("projected"))
            for_objects(child(volume, "projected"), "sources", [](json::object& source) {
                if (source.contains("downwardAPI"))
                    for_objects(child(source, "downwardAPI"), "items", fill_field_reference);
            });
    });
}

void fill_template(json::object& spec) {
    if (!spec.contains("template")) return;
    json::object& pod = child(spec, "template");
    fill_pod_spec(child(pod, "spec"));
    // An empty map is no map.
    for (const char* key : {"labels", "annotations"})
        if (object_at(pod, std::string{"/metadata/"} + key).empty())
            erase(pod, std::string{"/metadata/"} + key);
}

void fill_claim(json::object& claim) {
    give(child(claim, "spec"), "volumeMode", "Filesystem");
}

// An absent updateStrategy means partition 0; `type: RollingUpdate` alone means no block at all.
void fill_strategy(json::object& spec) {
    json::object& strategy = child(spec, "updateStrategy");
    if (text_at(strategy, "/type").empty()) {
        strategy["type"] = "RollingUpdate";
        give(strategy, "rollingUpdate", json::object{});
    }
    json::value* rolling = strategy.if_contains("rollingUpdate");
    if (rolling && rolling->is_null()) {
        strategy.erase("rollingUpdate");
        rolling = nullptr;
    }
    if (rolling && rolling->is_object() && text_at(strategy, "/type") == "RollingUpdate")
        give(rolling->get_object(), "partition", json::value(0));
}

void fill_statefulset(json::object& set) {
    json::object& spec = child(set, "spec");
    give(spec, "replicas", 1);
    give(spec, "podManagementPolicy", "OrderedReady");
    give(spec, "revisionHistoryLimit", 10);
    fill_strategy(spec);
    json::object& retention = child(spec, "persistentVolumeClaimRetentionPolicy");
    give(retention, "whenDeleted", "Retain");
    give(retention, "whenScaled", "Retain");
    fill_template(spec);
    for_objects(spec, "volumeClaimTemplates", [](json::object& claim) {
        give(claim, "apiVersion", "v1");
        give(claim, "kind", "PersistentVolumeClaim");
        fill_claim(claim);
        give(claim, "status", json::object{{"phase", "Pending"}});
    });
}

void fill_deployment(json::object& deployment) {
    json::object& spec = child(deployment, "spec");
    give(spec, "replicas", 1);
    give(spec, "revisionHistoryLimit", 10);
    give(spec, "progressDeadlineSeconds", 600);
    give(child(spec, "strategy"), "type", "RollingUpdate");
    fill_template(spec);
}

void fill_job(json::object& job) {
    json::object& spec = child(job, "spec");
    give(spec, "parallelism", 1);
    give(spec, "completions", 1);
    give(spec, "backoffLimit", 6);
    give(spec, "completionMode", "NonIndexed");
    give(spec, "suspend", false);
    give(spec, "manualSelector", false);
    give(spec, "podReplacementPolicy", "TerminatingOrFailed");
    fill_template(spec);
}

void fill_pod(json::object& pod) {
    json::object& spec = child(pod, "spec");
    fill_pod_spec(spec);
    give(spec, "enableServiceLinks", true);
}

void fill_service(json::object& service) {
    json::object& spec = child(service, "spec");
    give(spec, "type", "ClusterIP");
    give(spec, "sessionAffinity", "None");
    give(spec, "internalTrafficPolicy", "Cluster");
    for_objects(spec, "ports", [](json::object& port) {
        give(port, "protocol", "TCP");
        if (port.contains("port")) give(port, "targetPort", port.at("port"));
    });
}

// stringData is for writing only: it ends up in data.
void fill_secret(json::object& secret) {
    give(secret, "type", "Opaque");
    const json::object plain = object_at(secret, "/stringData");
    secret.erase("stringData");
    for (const auto& [key, value] : plain)
        if (value.is_string())
            child(secret, "data")[key] = encode_base64(std::string_view{value.get_string()});
}

void fill_definition(json::object& definition) {
    json::object& spec = child(definition, "spec");
    json::object& names = child(spec, "names");
    give(names, "singular", lower_case(text_at(names, "/kind")));
    give(names, "listKind", text_at(names, "/kind") + "List");
    give(child(spec, "conversion"), "strategy", "None");
}

void fill_namespace(json::object& ns) {
    child(child(ns, "metadata"), "labels")["kubernetes.io/metadata.name"] =
        text_at(ns, "/metadata/name");
}

struct Filling {
    std::string_view resource;
    void (*fill)(json::object&);
};
constexpr Filling fillings[] = {
    {"statefulsets.apps", fill_statefulset},
    {"deployments.apps", fill_deployment},
    {"jobs.batch", fill_job},
    {"pods", fill_pod},
    {"services", fill_service},
    {"secrets", fill_secret},
    {"namespaces", fill_namespace},
    {"persistentvolumeclaims", fill_claim},
    {"customresourcedefinitions.apiextensions.k8s.io", fill_definition},
};

void begin_statefulset(json::object& set, Instant) {
    set["status"] = json::object{{"replicas", 0}, {"availableReplicas", 0}};
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
void begin_pod(json::object& pod, Instant) {
    json::object& spec = child(pod, "spec");
    if (number_at(spec, "/terminationGracePeriodSeconds") < 0)
        spec["terminationGracePeriodSeconds"] = 1;
    give(spec, "priority", json::value(0));
    give(spec, "preemptionPolicy", "PreemptLowerPriority");
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

void begin_claim(json::object& claim, Instant) {
    give(child(claim, "spec"), "storageClassName", "standard");
    json::value& finalizers = child(claim, "metadata")["finalizers"];
    if (!finalizers.is_array()) finalizers.emplace_array();
    finalizers.get_array().push_back("kubernetes.io/pvc-protection");
    claim["status"] = json::object{{"phase", "Pending"}};
}

void begin_namespace(json::object& ns, Instant) {
    child(ns, "spec")["finalizers"] = json::array{"kubernetes"};
    ns["status"] = json::object{{"phase", "Active"}};
}

void begin_budget(json::object& budget, Instant) {
    json::object& status = child(budget, "status");
    for (const char* count :
         {"currentHealthy", "desiredHealthy", "disruptionsAllowed", "expectedPods"})
        status[count] = 0;
}

void begin_service(json::object& service, Instant) {
    const std::uint64_t hash = fnv1a(text_at(service, "/metadata/uid"));
    give(child(service, "spec"), "clusterIP",
         fmt::format("10.96.{}.{}", hash % 250, hash / 250 % 250 + 1));
    json::object& spec = child(service, "spec");
    give(spec, "clusterIPs", json::array{spec.at("clusterIP")});
    give(spec, "ipFamilies", json::array{"IPv4"});
    give(spec, "ipFamilyPolicy", "SingleStack");
    service["status"] = json::object{{"loadBalancer", json::object{}}};
}

void begin_job(json::object& job, Instant) {
    const std::string uid = text_at(job, "/metadata/uid");
    json::object& spec = child(job, "spec");
    if (!flag_at(spec, "/manualSelector")) {
        set(spec, "/selector/matchLabels/batch.kubernetes.io~1controller-uid", uid);
        json::object& labels = child(child(child(spec, "template"), "metadata"), "labels");
        for (const std::string prefix : {"batch.kubernetes.io/", ""}) {
            labels[prefix + "controller-uid"] = uid;
            labels[prefix + "job-name"] = text_at(job, "/metadata/name");
        }
        if (object_at(job, "/metadata/labels").empty())
            child(child(job, "metadata"), "labels") = labels;
    }
    job["status"] = json::object{};
}

void begin_definition(json::object& definition, Instant now) {
    const auto condition = [&](const char* type, const char* reason, const char* message) {
        return json::object{{"type", type},
                            {"status", "True"},
                            {"lastTransitionTime", to_rfc3339(now)},
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

struct Beginning {
    std::string_view resource;
    void (*begin)(json::object&, Instant);
};
constexpr Beginning beginnings[] = {
    {"statefulsets.apps", begin_statefulset},
    {"pods", begin_pod},
    {"persistentvolumeclaims", begin_claim},
    {"namespaces", begin_namespace},
    {"poddisruptionbudgets.policy", begin_budget},
    {"services", begin_service},
    {"jobs.batch", begin_job},
    {"customresourcedefinitions.apiextensions.k8s.io", begin_definition},
};

}  // namespace

void fill_in(const Resource& resource, json::object& object) {
    if (resource.is_custom()) return;
    const std::string id = resource.id();
    for (const Filling& one : fillings)
        if (one.resource == id) one.fill(object);
}

void begin(const Resource& resource, json::object& object, Instant now) {
    if (resource.has_status) object.erase("status");
    if (resource.is_custom()) return;
    const std::string id = resource.id();
    for (const Beginning& one : beginnings)
        if (one.resource == id) one.begin(object, now);
}

}  // namespace sluice::sim
