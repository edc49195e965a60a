// The timelines below tests/scenarios, as files and as scenarios. Seen from the root of the tree.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace sluice::testing {

inline std::vector<std::string> scenario_files() {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator("tests/scenarios"))
        if (entry.path().extension() == ".scenario") paths.push_back(entry.path().string());
    std::ranges::sort(paths);
    return paths;
}

inline Result<sim::Scenario> scenario_in(const std::string& path) {
    std::stringstream text;
    text << std::ifstream{path}.rdbuf();
    return sim::parse_scenario(path, text.str());
}

}  // namespace sluice::testing
