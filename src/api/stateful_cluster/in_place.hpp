// Updates that keep the pod: where two templates differ in the images of containers and in nothing
// else, the pod gets the new images, and its kubelet starts those containers anew. Identity, claims
// and node stay.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/stateful_cluster/spec.hpp"
#include "engine/decision.hpp"
#include "model/pod.hpp"

namespace sluice::api::stateful_cluster {

// A pod with all that its spec says, to be read on its own.
extern const model::Resource whole_pods;

struct ImageChange {
    std::string container;  // by name
    std::string image;
};
// What makes the second template of the first; nothing: more than images would have to change.
std::optional<std::vector<ImageChange>> image_changes(const std::string& from,
                                                      const std::string& to);

// The write that brings a pod to another revision. It names the restarts that follow, so that the
// pod is not taken for ready before; a container that has yet to start for the first time does not
// start again. `whole` is the same pod. Nothing: it has no such containers.
std::optional<engine::Action> in_place_update(const model::Pod& pod,
                                              const model::CustomObject& whole,
                                              const std::vector<ImageChange>& changes,
                                              const std::string& revision);

}  // namespace sluice::api::stateful_cluster
