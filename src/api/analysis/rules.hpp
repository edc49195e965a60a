// Rules that pick metrics by name: which are measured without consequence, and how many
// measurements of each stay. A rule is a regular expression that fits some part of the name, as in
// the original, or "*", which is every metric. A rule that picks none is a mistake and refused, as
// is one that stands there twice.
#pragma once

#include <string>
#include <vector>

#include "api/analysis/template.hpp"

namespace sluice::api::analysis {

// What holds for one metric.
struct Treatment {
    bool dry_run = false;
    std::size_t measurements_max = 10;
    friend bool operator==(const Treatment&, const Treatment&) = default;
};

// For each of the metrics, in their order. Of two rules of retention the later one counts; a limit
// of 0 is none.
std::expected<std::vector<Treatment>, FieldErrors> treatments(
    const std::vector<std::string>& metrics, const std::vector<std::string>& dry_run,
    const std::vector<Retention>& retention);

}  // namespace sluice::api::analysis
