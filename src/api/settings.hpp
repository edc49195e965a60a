// What whoever runs the operator declares for an API: in a ConfigMap in the operator's own
// namespace. A broken entry spoils no other one, and whoever uses it is told what is wrong.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/inquiry/plugin_call.hpp"
#include "engine/probe.hpp"

namespace sluice::api {

struct Settings {
    std::shared_ptr<const engine::OwnSettings> values;  // never null
    std::vector<std::string> problems;                  // each a sentence
};

struct Declared {
    // Total; null: there is nothing to declare.
    Settings (*read)(const std::map<std::string, std::string>& data) = nullptr;
    // The plugins among them that the operator starts itself; nothing: they are another API's.
    std::optional<std::vector<NamedProgram>> (*programs)(const engine::OwnSettings& settings) =
        nullptr;
};

}  // namespace sluice::api
