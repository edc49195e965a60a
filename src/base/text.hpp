// Text in ASCII: what is left without the blanks around it, its lower case, and the number that it
// is.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// Without spaces, tabs and line breaks at its ends.
constexpr std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// With the letters A to Z in lower case.
inline std::string in_lower_case(std::string_view text) {
    std::string lower{text};
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

// Nothing if a part of the text is no number, or if it does not fit.
template <class Number>
std::optional<Number> whole_number(std::string_view text) {
    Number value{};
    const auto [stop, failed] = std::from_chars(text.begin(), text.end(), value);
    if (failed != std::errc{} || stop != text.end()) return std::nullopt;
    return value;
}

}  // namespace sluice
