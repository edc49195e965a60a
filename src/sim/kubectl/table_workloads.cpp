#include <fmt/format.h>

#include <vector>

#include "sim/kubectl/pod_cells.hpp"
#include "sim/kubectl/table_cells.hpp"
#include "sim/kubectl/table_columns.hpp"

namespace sluice::sim {

using namespace cell;

namespace {

json::value container_names(Object object, Instant) {
    return text(joined(array_at(object, "/spec/template/spec/containers"), "/name"));
}

json::value container_images(Object object, Instant) {
    return text(joined(array_at(object, "/spec/template/spec/containers"), "/image"));
}

json::value selector(Object object, Instant) {
    return text(labels(object_at(object, "/spec/selector/matchLabels")));
}

constexpr Column containers_column{"Containers", "string", 1, container_names};
constexpr Column images_column{"Images", "string", 1, container_images};
constexpr Column selector_column{"Selector", "string", 1, selector};

json::value ready_of_wanted(Object object, Instant) {
    return text(fmt::format("{}/{}", number_at(object, "/status/readyReplicas"),
                            number_at(object, "/spec/replicas", 1)));
}

json::value readiness_gates(Object pod, Instant) {
    const json::array& gates = array_at(pod, "/spec/readinessGates");
    if (gates.empty()) return "<none>";
    const auto open = std::ranges::count_if(gates, [&](const json::value& gate) {
        return has_condition(pod, text_at(as_object(gate), "/conditionType"));
    });
    return text(fmt::format("{}/{}", open, gates.size()));
}

constexpr Column pods[] = {
    name_column,
    {"Ready", "string", 0, [](Object pod, Instant now) { return text(pod_cells(pod, now).ready); }},
    {"Status", "string", 0,
     [](Object pod, Instant now) { return text(pod_cells(pod, now).status); }},
    {"Restarts", "string", 0,
     [](Object pod, Instant now) { return text(pod_cells(pod, now).restarts); }},
    age_column,
    {"IP", "string", 1, text_or<"/status/podIP">},
    {"Node", "string", 1, text_or<"/spec/nodeName">},
    {"Nominated Node", "string", 1, text_or<"/status/nominatedNodeName">},
    {"Readiness Gates", "string", 1, readiness_gates},
};

constexpr Column statefulsets[] = {
    name_column,   {"Ready", "string", 0, ready_of_wanted}, age_column, containers_column,
    images_column,
};

constexpr Column deployments[] = {
    name_column,
    {"Ready", "string", 0, ready_of_wanted},
    {"Up-to-date", "integer", 0, number_cell<"/status/updatedReplicas">},
    {"Available", "integer", 0, number_cell<"/status/availableReplicas">},
    age_column,
    containers_column,
    images_column,
    selector_column,
};

constexpr Column replicasets[] = {
    name_column,
    {"Desired", "integer", 0, number_cell<"/spec/replicas">},
    {"Current", "integer", 0, number_cell<"/status/replicas">},
    {"Ready", "integer", 0, number_cell<"/status/readyReplicas">},
    age_column,
    containers_column,
    images_column,
    selector_column,
};

json::value job_status(Object job, Instant) {
    if (has_condition(job, "Complete")) return "Complete";
    if (has_condition(job, "Failed")) return "Failed";
    if (is_terminating(job)) return "Terminating";
    for (const char* type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
        if (has_condition(job, type)) return type;
    }
    return "Running";
}

json::value job_completions(Object job, Instant) {
    const auto succeeded = number_at(job, "/status/succeeded");
    if (has(job, "/spec/completions"))
        return text(fmt::format("{}/{}", succeeded, number_at(job, "/spec/completions")));
    const auto parallelism = number_at(job, "/spec/parallelism");
    if (parallelism > 1) return text(fmt::format("{}/1 of {}", succeeded, parallelism));
    return text(fmt::format("{}/1", succeeded));
}

json::value job_duration(Object job, Instant now) {
    const auto start = parse_rfc3339(text_at(job, "/status/startTime"));
    if (!start) return "";
    const auto end = parse_rfc3339(text_at(job, "/status/completionTime"));
    return text(age(end.value_or(now) - *start));
}

constexpr Column jobs[] = {
    name_column,
    {"Status", "string", 0, job_status},
    {"Completions", "string", 0, job_completions},
    {"Duration", "string", 0, job_duration},
    age_column,
    containers_column,
    images_column,
    selector_column,
};

constexpr Column controllerrevisions[] = {
    name_column,
    {"Controller", "string", 0,
     [](Object revision, Instant) -> json::value {
         for (const json::value& entry : array_at(revision, "/metadata/ownerReferences")) {
             const json::object& owner = as_object(entry);
             if (!flag_at(owner, "/controller")) continue;
             std::string kind = lower(text_at(owner, "/kind"));
             const std::string group_version = text_at(owner, "/apiVersion");
             const std::size_t slash = group_version.find('/');
             if (slash != std::string::npos) kind += "." + group_version.substr(0, slash);
             return text(kind + "/" + text_at(owner, "/name"));
         }
         return "<none>";
     }},
    {"Revision", "string", 0, number_cell<"/revision">},
    age_column,
};

}  // namespace

std::span<const Column> workload_columns(std::string_view plural) {
    if (plural == "pods") return pods;
    if (plural == "statefulsets") return statefulsets;
    if (plural == "deployments") return deployments;
    if (plural == "replicasets") return replicasets;
    if (plural == "jobs") return jobs;
    if (plural == "controllerrevisions") return controllerrevisions;
    return {};
}

}  // namespace sluice::sim
