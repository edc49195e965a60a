// What the tables of words share: how a statement's words are read, and the tables of all APIs.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "sim/api/json.hpp"
#include "sim/scenario/statements.hpp"

namespace sluice::sim {

inline Problem problem_of(const Response& response) {
    if (response.status < 300) return std::nullopt;
    return response.body.is_object() ? text_at(response.body.get_object(), "/message")
                                     : fmt::format("status {}", response.status);
}

// The value behind "key value" pairs: "replicas 3 hook careful".
inline std::string option(Words words, std::string_view key, std::string otherwise) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
        if (words[i] == key) return words[i + 1];
    return otherwise;
}

// The time behind a key, such as 30s.
inline Duration time_option(Words words, std::string_view key, Duration otherwise) {
    return parse_duration(option(words, key, "")).value_or(otherwise);
}

// "key=value", or "key-" to take it away.
inline std::pair<std::string, std::string> pair_of(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) return {word.substr(0, equals), word.substr(equals + 1)};
    return {word.substr(0, word.size() - 1), ""};
}

inline Response annotate(World& world, const char* resource, Words words) {
    const auto [key, value] = pair_of(words[1]);
    return world.annotate(resource, shop, words[0], key, value);
}

// The value of an enum whose values have these names, in their order; nothing: none is called so.
template <class Kind>
std::optional<Kind> called(const std::string& word, std::initializer_list<std::string_view> names) {
    const auto found = std::ranges::find(names, word);
    if (found == names.end()) return std::nullopt;
    return static_cast<Kind>(found - names.begin());
}

inline Seen unless_same(const std::string& wanted, const std::string& found) {
    if (wanted == found) return std::nullopt;
    return found.empty() ? std::string{"nothing"} : found;
}

inline Seen unless_says(const std::string& wanted, const std::string& said) {
    return said.contains(wanted) ? Seen{} : Seen{said};
}

inline std::string joined(Words words) {
    return fmt::format("{}", fmt::join(words, " "));
}

// The words about Prometheus, web servers and the Secrets that they want.
std::span<const Action> service_actions();
std::span<const Expectation> service_expectations();

}  // namespace sluice::sim
