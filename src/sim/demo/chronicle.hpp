// The demo for people without a terminal: what happened between two moments, a line for each thing.
#pragma once

#include <string>
#include <vector>

#include "sim/demo/scene.hpp"

namespace sluice::sim::demo {

// Each line begins with the time since the story began: "12.3s  gate closed: ...".
std::vector<std::string> news(const Scene& before, const Scene& now);

// How things stand at the beginning.
std::vector<std::string> opening(const Scene& scene);
// What there is to say at the end.
std::vector<std::string> ending(const Summary& summary);

}  // namespace sluice::sim::demo
