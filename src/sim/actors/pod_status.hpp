// What kubelets and others write into the status of a pod. They work on a copy of the status alone:
// the rest of a pod is large and does not change.
#pragma once

#include <string>

#include "sim/actors/object.hpp"

namespace sluice::sim {

struct PodCondition {
    std::string type;
    bool holds;
    std::string reason = {};
    std::string message = {};
};

// lastTransitionTime moves only when the condition changes sides.
void set_condition(json::object& status, const PodCondition& wanted, Instant now);

// How all containers of a pod are; they share their fate here.
struct Containers {
    enum class State { Waiting, Running, Ended } state = State::Waiting;
    std::string reason = "ContainerCreating";
    std::string message = {};
    int exit_code = 0;
    bool is_ready = false;
    int restarts = 0;
    Instant since{};             // running, or ended
    bool failed_before = false;  // the last run ended with an error
};

void set_containers(json::object& status, const json::object& pod, const Containers& containers);

// ContainersReady and Ready; Ready also asks the pod's readiness gates.
void set_readiness(json::object& status, const json::object& pod, bool containers_ready,
                   Instant now);
// Whether Ready says what the containers and gates say.
// The images of its containers, as its spec names them.
std::string images_of(const json::object& pod);
bool is_readiness_due(const json::object& pod);

}  // namespace sluice::sim
