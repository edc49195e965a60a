// The terms of a selector.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::sim {

struct Term {
    std::string key;
    enum class Op { In, NotIn, Exists, Absent } op = Op::Exists;
    std::vector<std::string> values;
};

// "a=b,c!=d,e in (f,g),h,!i", or what is wrong with it.
std::expected<std::vector<Term>, std::string> label_terms(std::string_view selector);

}  // namespace sluice::sim
