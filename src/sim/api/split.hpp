// A text taken apart at a separator.
#pragma once

#include <ranges>
#include <string_view>
#include <vector>

namespace sluice::sim {

// What stands between the separators, without the parts that are empty.
inline std::vector<std::string_view> parts_of(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (const auto part : std::views::split(text, separator))
        if (!part.empty()) parts.emplace_back(part.begin(), part.end());
    return parts;
}

}  // namespace sluice::sim
