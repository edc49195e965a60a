#include "sim/actors/pod_status.hpp"

#include <algorithm>

namespace sluice::sim {
namespace {

bool gates_open(const json::object& pod, const json::object& status) {
    return std::ranges::all_of(children(child(pod, "spec"), "readinessGates"),
                               [&](const json::value& gate) {
                                   return holds(status, text(gate.get_object(), "conditionType"));
                               });
}

json::object state_of(const Containers& containers) {
    const std::string since = to_rfc3339(containers.since);
    switch (containers.state) {
        case Containers::State::Running: return {{"running", {{"startedAt", since}}}};
        case Containers::State::Ended:
            return {{"terminated",
                     {{"exitCode", containers.exit_code},
                      {"reason", containers.reason},
                      {"startedAt", since},
                      {"finishedAt", since}}}};
        case Containers::State::Waiting: break;
    }
    json::object waiting{{"reason", containers.reason}};
    if (!containers.message.empty()) waiting["message"] = containers.message;
    return {{"waiting", std::move(waiting)}};
}

}  // namespace

void set_condition(json::object& status, const PodCondition& wanted, Instant now) {
    json::array& conditions = array_in(status, "/conditions");
    const auto found = std::ranges::find_if(conditions, [&](const json::value& entry) {
        return text(entry.get_object(), "type") == wanted.type;
    });
    const std::string_view side = wanted.holds ? "True" : "False";
    const bool has_turned =
        found == conditions.end() || text(found->get_object(), "status") != side;
    json::object entry{{"type", wanted.type},
                       {"status", side},
                       {"lastProbeTime", nullptr},
                       {"lastTransitionTime", has_turned ? json::value(to_rfc3339(now))
                                                         : found->at("lastTransitionTime")}};
    if (!wanted.reason.empty()) entry["reason"] = wanted.reason;
    if (!wanted.message.empty()) entry["message"] = wanted.message;
    if (found == conditions.end())
        conditions.push_back(std::move(entry));
    else
        *found = std::move(entry);
}

void set_containers(json::object& status, const json::object& pod, const Containers& containers) {
    json::array statuses;
    const std::string_view uid = uid_of(pod);
    const bool is_running = containers.state == Containers::State::Running;
    for (const json::value& entry : children(child(pod, "spec"), "containers")) {
        const json::object& container = entry.get_object();
        json::object last;
        if (containers.failed_before)
            last["terminated"] = {
                {"exitCode", 1}, {"reason", "Error"}, {"finishedAt", to_rfc3339(containers.since)}};
        json::object report{{"name", text(container, "name")},
                            {"image", text(container, "image")},
                            {"imageID", ""},
                            {"state", state_of(containers)},
                            {"lastState", std::move(last)},
                            {"ready", containers.is_ready},
                            {"started", is_running},
                            {"restartCount", containers.restarts}};
        if (containers.state != Containers::State::Waiting || containers.restarts > 0) {
            report["imageID"] = "sim://" + std::string{text(container, "image")};
            report["containerID"] = "sim://" + std::string{uid} + "/" +
                                    std::string{text(container, "name")} + "/" +
                                    std::to_string(containers.restarts);
        }
        statuses.push_back(std::move(report));
    }
    status["containerStatuses"] = std::move(statuses);
}

void set_readiness(json::object& status, const json::object& pod, bool containers_ready,
                   Instant now) {
    const std::string reason = containers_ready ? "" : "ContainersNotReady";
    set_condition(status, {"ContainersReady", containers_ready, reason}, now);
    const bool is_held = containers_ready && !gates_open(pod, status);
    set_condition(
        status,
        {"Ready", containers_ready && !is_held, is_held ? "ReadinessGatesNotReady" : reason}, now);
}

std::string images_of(const json::object& pod) {
    std::string images;
    for (const json::value& container : children(child(pod, "spec"), "containers"))
        images += std::string{text(container.get_object(), "image")} + "\n";
    return images;
}

bool is_readiness_due(const json::object& pod) {
    const json::object& status = child(pod, "status");
    return holds(status, "Ready") != (holds(status, "ContainersReady") && gates_open(pod, status));
}

}  // namespace sluice::sim
