// What `kubectl get pods` shows of a pod, by the rules of the real server.
#pragma once

#include <string>

#include "base/time.hpp"
#include "sim/api/json.hpp"

namespace sluice::sim {

struct PodCells {
    std::string ready;     // "1/2"
    std::string status;    // "Running", "CrashLoopBackOff", "Terminating", "Init:0/1"
    std::string restarts;  // "3 (12s ago)"
};
PodCells pod_cells(const json::object& pod, Instant now);

}  // namespace sluice::sim
