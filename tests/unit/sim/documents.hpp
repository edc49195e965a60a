// Documents as text: what the tests of patches and schemas start from and compare with.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "sim/api/patching.hpp"

namespace sluice::sim {

inline json::value value_from(std::string_view text) {
    json::parse_options options;
    options.max_depth = 5000;
    return json::parse(json::string_view{text.data(), text.size()}, {}, options);
}

inline json::object from(std::string_view text) {
    return value_from(text).as_object();
}

// So many arrays in each other.
inline std::string nested(std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
}

// What a patch came to, in one line.
inline std::string text_of(const Patched& patched) {
    if (patched) return json::serialize(*patched);
    return std::to_string(patched.error().status) + " " + patched.error().reason + ": " +
           patched.error().message;
}

inline void expect_same(const Patched& patched, std::string_view wanted) {
    ASSERT_TRUE(patched) << text_of(patched);
    EXPECT_TRUE(same(*patched, from(wanted)))
        << "is     " << json::serialize(*patched) << "\nwanted " << wanted;
}

}  // namespace sluice::sim
