#include "sim/apis/pilot/objects.hpp"

namespace sluice::sim::pilot {

void declare_hook(World& world, const std::string& name, const std::string& yaml) {
    world.put_setting("sluice-hooks", name,
                      yaml.empty() ? json::value(nullptr) : json::value(yaml));
}

}  // namespace sluice::sim::pilot
