// `sluice get`: one table of everything that is steered, over all APIs.
#pragma once

#include <string>
#include <vector>

#include "cli/verbs/find.hpp"
#include "cli/verbs/text.hpp"

namespace sluice::cli {

std::vector<Line> get_lines(const std::vector<const Found*>& found, const Asked& asked,
                            Instant now);
std::string get_json(const std::vector<const Found*>& found);

}  // namespace sluice::cli
