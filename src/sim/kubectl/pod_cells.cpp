#include "sim/kubectl/pod_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sim/api/state.hpp"
#include "sim/kubectl/table.hpp"

namespace sluice::sim {
namespace {

const json::object& as_object(const json::value& value) {
    static const json::object nothing;
    return value.is_object() ? value.get_object() : nothing;
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

}  // namespace

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

}  // namespace sluice::sim
