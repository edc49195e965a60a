#include "api/registry.hpp"

#include "api/phased_rollout/decide.hpp"
#include "api/pilot/decide.hpp"
#include "api/pilot/spec.hpp"

namespace sluice::api {
namespace {

const Api table[] = {
    {"phasedrollout", &phased_rollout::resource, phased_rollout::target_of,
     phased_rollout::concerns, phased_rollout::prepare, phased_rollout::decide},
    {"pilot", nullptr, nullptr, pilot::concerns, pilot::prepare, pilot::decide},
};

}  // namespace

std::span<const Api> apis() {
    return table;
}

std::vector<std::string> api_names() {
    std::vector<std::string> names;
    for (const Api& api : table)
        names.emplace_back(api.name);
    return names;
}

const Api* find_api(std::string_view name) {
    for (const Api& api : table) {
        if (api.name == name) return &api;
    }
    return nullptr;
}

}  // namespace sluice::api
