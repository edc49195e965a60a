// What whoever runs the operator does for hooks: declarations.
#pragma once

#include "sim/world/world.hpp"

namespace sluice::sim::hooks {

// An external hook, declared in the ConfigMap sluice-hooks; an empty text takes it away.
inline void declare_hook(World& world, const std::string& name, const std::string& yaml) {
    world.put_setting("sluice-hooks", name,
                      yaml.empty() ? json::value(nullptr) : json::value(yaml));
}

}  // namespace sluice::sim::hooks
