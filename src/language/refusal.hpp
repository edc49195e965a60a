// How the parts of the expression library give up: they throw a Refusal, and parse() or evaluate()
// turns it into an Error. It never leaves the library, and never repeats what a value holds.
#pragma once

#include <fmt/format.h>

#include <string>

#include "base/result.hpp"

namespace sluice::language {

struct Refusal {
    Error error;
};

// "at position 7: ...", where bytes of the expression are counted from 1.
[[noreturn]] inline void refuse(std::size_t at, const std::string& what,
                                ErrorKind kind = ErrorKind::Malformed) {
    throw Refusal{Error{kind, fmt::format("at position {}: {}", at + 1, what)}};
}

// What is made, or the Error that making it was given up with.
template <class Make>
auto attempted(Make make) -> Result<decltype(make())> {
    try {
        return make();
    } catch (Refusal& refusal) {
        return std::unexpected(std::move(refusal.error));
    }
}

}  // namespace sluice::language
