#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "sim/kubectl/table_cells.hpp"
#include "sim/kubectl/table_columns.hpp"

namespace sluice::sim {

using namespace cell;

namespace {

constexpr Column containers_column{"Containers",
                                   joined_cell<"/spec/template/spec/containers", "/name">, wide};
constexpr Column images_column{"Images", joined_cell<"/spec/template/spec/containers", "/image">,
                               wide};
constexpr Column selector_column{"Selector", labels_cell<"/spec/selector/matchLabels">, wide};

json::value ready_of_wanted(Object object, Instant) {
    return text(fmt::format("{}/{}", number_at(object, "/status/readyReplicas"),
                            number_at(object, "/spec/replicas", 1)));
}

// "Error", "Signal:9", "ExitCode:1".
std::string why_it_ended(const json::object& status) {
    std::string reason = text_at(status, "/state/terminated/reason");
    if (!reason.empty()) return reason;
    const auto signal = number_at(status, "/state/terminated/signal");
    if (signal != 0) return fmt::format("Signal:{}", signal);
    return fmt::format("ExitCode:{}", number_at(status, "/state/terminated/exitCode"));
}

struct Restarts {
    std::int64_t count = 0;
    std::optional<Instant> last = {};

    void add(const json::object& status) {
        count += number_at(status, "/restartCount");
        const auto ended = parse_rfc3339(text_at(status, "/lastState/terminated/finishedAt"));
        if (ended && (!last || *last < *ended)) last = ended;
    }
    std::string text(Instant now) const {
        if (count == 0 || !last) return std::to_string(count);
        return fmt::format("{} ({} ago)", count, age(now - *last));
    }
};

// Why the pod still initializes; nothing if no init container holds it up.
std::optional<std::string> initializing(const json::object& pod, Restarts& restarts) {
    const json::array& statuses = array_at(pod, "/status/initContainerStatuses");
    for (std::size_t i = 0; i < statuses.size(); ++i) {
        const json::object& status = as_object(statuses[i]);
        restarts.add(status);
        const bool ended = has(status, "/state/terminated");
        if (ended && number_at(status, "/state/terminated/exitCode") == 0) continue;
        if (ended) return "Init:" + why_it_ended(status);
        const std::string waits = text_at(status, "/state/waiting/reason");
        if (!waits.empty() && waits != "PodInitializing") return "Init:" + waits;
        return fmt::format("Init:{}/{}", i, array_at(pod, "/spec/initContainers").size());
    }
    return std::nullopt;
}

struct Containers {
    std::int64_t ready = 0;
    std::string reason;  // of the first container that has one
    std::string error;
    bool runs = false;
};

Containers read_containers(const json::object& pod, Restarts& restarts) {
    Containers seen;
    const json::array& statuses = array_at(pod, "/status/containerStatuses");
    for (auto at = statuses.rbegin(); at != statuses.rend(); ++at) {
        const json::object& status = as_object(*at);
        restarts.add(status);
        const std::string waits = text_at(status, "/state/waiting/reason");
        if (!waits.empty()) {
            seen.reason = waits;
        } else if (has(status, "/state/terminated")) {
            seen.reason = why_it_ended(status);
            if (number_at(status, "/state/terminated/exitCode") != 0) seen.error = seen.reason;
        } else if (flag_at(status, "/ready") && has(status, "/state/running")) {
            seen.runs = true;
            ++seen.ready;
        }
    }
    return seen;
}

std::string reason_of(const json::object& pod, const Containers& seen, std::string reason) {
    if (!seen.reason.empty()) reason = seen.reason;
    if (reason != "Completed") return reason;
    if (seen.runs && has_condition(pod, "Ready")) return "Running";
    if (!seen.error.empty()) return seen.error;
    return seen.runs ? "NotReady" : reason;
}

std::string first_reason(const json::object& pod) {
    for (const json::value& entry : array_at(pod, "/status/conditions")) {
        const json::object& condition = as_object(entry);
        if (text_at(condition, "/type") == "PodScheduled" &&
            text_at(condition, "/reason") == "SchedulingGated")
            return "SchedulingGated";
    }
    const std::string reason = text_at(pod, "/status/reason");
    return reason.empty() ? text_at(pod, "/status/phase") : reason;
}

struct PodCells {
    std::string ready;     // "1/2"
    std::string status;    // "Running", "CrashLoopBackOff", "Terminating", "Init:0/1"
    std::string restarts;  // "3 (12s ago)"
};

// What `kubectl get pods` shows of a pod, by the rules of the real server.
PodCells pod_cells(const json::object& pod, Instant now) {
    Restarts restarts;
    Containers seen;
    std::string status = first_reason(pod);
    if (const auto waits = initializing(pod, restarts)) {
        status = *waits;
    } else {
        restarts = {};
        seen = read_containers(pod, restarts);
        status = reason_of(pod, seen, status);
    }
    const std::string phase = text_at(pod, "/status/phase");
    if (is_terminating(pod)) {
        if (text_at(pod, "/status/reason") == "NodeLost")
            status = "Unknown";
        else if (phase != "Succeeded" && phase != "Failed")
            status = "Terminating";
    }
    const auto total = array_at(pod, "/spec/containers").size();
    return {fmt::format("{}/{}", seen.ready, total), status, restarts.text(now)};
}

template <std::string PodCells::* member>
json::value pod_cell(Object pod, Instant now) {
    return text(pod_cells(pod, now).*member);
}

json::value readiness_gates(Object pod, Instant) {
    const json::array& gates = array_at(pod, "/spec/readinessGates");
    if (gates.empty()) return "<none>";
    const auto open = std::ranges::count_if(gates, [&](const json::value& gate) {
        return has_condition(pod, text_at(as_object(gate), "/conditionType"));
    });
    return text(fmt::format("{}/{}", open, gates.size()));
}

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

json::value revision_owner(Object revision, Instant) {
    for (const json::value& entry : array_at(revision, "/metadata/ownerReferences")) {
        const json::object& owner = as_object(entry);
        if (!flag_at(owner, "/controller")) continue;
        std::string kind = in_lower_case(text_at(owner, "/kind"));
        const std::string group_version = text_at(owner, "/apiVersion");
        const std::size_t slash = group_version.find('/');
        if (slash != std::string::npos) kind += "." + group_version.substr(0, slash);
        return text(kind + "/" + text_at(owner, "/name"));
    }
    return "<none>";
}

}  // namespace

Columns workload_columns() {
    return {
        {"pods",
         {name_column,
          {"Ready", pod_cell<&PodCells::ready>},
          {"Status", pod_cell<&PodCells::status>},
          {"Restarts", pod_cell<&PodCells::restarts>},
          age_column,
          {"IP", text_or<"/status/podIP">, wide},
          {"Node", text_or<"/spec/nodeName">, wide},
          {"Nominated Node", text_or<"/status/nominatedNodeName">, wide},
          {"Readiness Gates", readiness_gates, wide}}},
        {"statefulsets",
         {name_column, {"Ready", ready_of_wanted}, age_column, containers_column, images_column}},
        {"deployments",
         {name_column,
          {"Ready", ready_of_wanted},
          {"Up-to-date", number_cell<"/status/updatedReplicas">, 0, "integer"},
          {"Available", number_cell<"/status/availableReplicas">, 0, "integer"},
          age_column,
          containers_column,
          images_column,
          selector_column}},
        {"replicasets",
         {name_column,
          {"Desired", number_cell<"/spec/replicas">, 0, "integer"},
          {"Current", number_cell<"/status/replicas">, 0, "integer"},
          {"Ready", number_cell<"/status/readyReplicas">, 0, "integer"},
          age_column,
          containers_column,
          images_column,
          selector_column}},
        {"jobs",
         {name_column,
          {"Status", job_status},
          {"Completions", job_completions},
          {"Duration", job_duration},
          age_column,
          containers_column,
          images_column,
          selector_column}},
        {"controllerrevisions",
         {name_column,
          {"Controller", revision_owner},
          {"Revision", number_cell<"/revision">},
          age_column}},
    };
}

}  // namespace sluice::sim
