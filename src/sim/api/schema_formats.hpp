// The formats of strings that a schema can ask for. A format that is not known asks for nothing.
#pragma once

#include <string_view>

namespace sluice::sim {

bool has_format(std::string_view text, std::string_view format);

// Whether the pattern is found in the text. A pattern that cannot be read here asks for nothing;
// a text beyond the bound is refused, because the time that matching takes grows with it.
bool matches_pattern(std::string_view text, std::string_view pattern);

}  // namespace sluice::sim
