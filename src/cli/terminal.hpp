// What the terminal behind our output can show, as far as it says.
#pragma once

#include <string>

#include "terminal/lines.hpp"

namespace sluice::cli {

// The value of a variable; empty if it is not set.
std::string environment(const char* name);

// 80 columns, where nothing is known. NO_COLOR is honoured.
terminal::Style style_of_terminal();

}  // namespace sluice::cli
