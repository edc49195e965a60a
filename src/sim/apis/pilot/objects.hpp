// What people do who have hooks asked: declarations, and labels of StatefulSets.
#pragma once

#include "sim/world/world.hpp"

namespace sluice::sim::pilot {

inline constexpr const char* label = "dd-statefulset-pilot";

// An external hook, declared in the ConfigMap sluice-hooks; an empty text takes it away.
inline void declare_hook(World& world, const std::string& name, const std::string& yaml) {
    world.put_setting("sluice-hooks", name,
                      yaml.empty() ? json::value(nullptr) : json::value(yaml));
}

}  // namespace sluice::sim::pilot
