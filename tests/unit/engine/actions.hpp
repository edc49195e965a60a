// What a decision does, taken apart: to the workload, to its pods, and to other objects.
#pragma once

#include <vector>

#include "engine/decision.hpp"

namespace sluice::engine {

inline const Action* first_on(const Decision& decision, const model::Resource& resource) {
    for (const Action& action : decision.actions)
        if (action.object.ref.resource == &resource) return &action;
    return nullptr;
}

// The patch of the workload; null: there is none.
inline const Action* patch_in(const Decision& decision) {
    return first_on(decision, model::statefulsets);
}
// The pod that is deleted; null: none is.
inline const Action* removal_in(const Decision& decision) {
    return first_on(decision, model::pods);
}
// All that is written to custom objects, in order.
inline std::vector<Action> writes_in(const Decision& decision) {
    std::vector<Action> writes;
    for (const Action& action : decision.actions)
        if (action.object.ref.resource->form == model::Form::Custom) writes.push_back(action);
    return writes;
}

}  // namespace sluice::engine
