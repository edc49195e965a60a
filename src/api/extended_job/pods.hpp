// The pods that an ExtendedJob minds: any of its namespace but those of Jobs. They are watched as
// long as somebody minds them, and little is kept of each: its labels, and what tells its state.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string_view>

#include "model/custom_object.hpp"
#include "model/watch.hpp"

namespace sluice::api::extended_job {

// As custom objects: with all their labels.
extern const model::Resource neighbour_pods;
// Pods of Jobs carry this label, and would have Jobs run for Jobs.
inline constexpr model::Selector of_no_job{.labels = "!job-name"};

enum class PodState : std::uint8_t {
    Ready,     // the pod is ready
    NotReady,  // it is there and not ready: not yet, or not any more
    Created,   // it is there
    Deleted,   // it is on its way out
};
std::string_view to_text(PodState state);
inline constexpr std::size_t pod_states = 4;

// A pod whose containers have ended is in none of them.
bool is_in(PodState state, const model::CustomObject& pod);
// In that state, found by the selector, and of no Job.
bool concerns(PodState state, const boost::json::object& selector, const model::CustomObject& pod);

// Takes all but that from a pod.
void trim_pod(model::CustomObject& pod);

// Whether the ExtendedJob may have to do with pods at all.
bool minds_pods(const model::CustomObject& object);

}  // namespace sluice::api::extended_job
