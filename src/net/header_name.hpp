// Header names are the same in upper and in lower case.
#pragma once

#include <algorithm>
#include <string_view>

namespace sluice::net {

constexpr bool is_same_header(std::string_view one, std::string_view other) {
    const auto lower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    return std::ranges::equal(one, other, {}, lower, lower);
}

}  // namespace sluice::net
