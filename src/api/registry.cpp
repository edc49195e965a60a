#include "api/registry.hpp"

#include "api/pilot/decide.hpp"
#include "api/pilot/spec.hpp"

namespace sluice::api {
namespace {

constexpr Api table[] = {
    {"pilot", pilot::concerns, pilot::hook_problem, pilot::hook_binding, pilot::decide},
};

}  // namespace

std::span<const Api> apis() {
    return table;
}

const Api* find_api(std::string_view name) {
    for (const Api& api : table) {
        if (api.name == name) return &api;
    }
    return nullptr;
}

}  // namespace sluice::api
