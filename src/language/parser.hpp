// Reads the text of an expression into its tree. Throws a Refusal for what is none, and for what no
// values could make sense of: `asFloat(result) == "1"` is wrong before there is a result.
#pragma once

#include <string_view>

#include "language/syntax.hpp"

namespace sluice::language {

// `depth_max` bounds how often the parser, and later the evaluation, calls itself.
Tree tree_of(std::string_view text, std::size_t depth_max);

}  // namespace sluice::language
