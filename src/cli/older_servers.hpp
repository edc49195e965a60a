// What is printed for API servers that are older than the manifests were written for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice::cli {

struct KubeVersion {
    int major;
    int minor;
    auto operator<=>(const KubeVersion&) const = default;
};

// What this version can make use of; nothing: all of it, as it is.
std::optional<std::string> text_for_older(std::string_view component, const KubeVersion& version);

// The text with `instead` in the place of a part that it has.
std::string with_line(std::string_view text, std::string_view line, std::string_view instead);

// Definitions without the rules that hold this word.
std::string without_rules_with(std::string_view word, std::string_view definitions);

}  // namespace sluice::cli
