// What the verbs print: lines and tables of a terminal, with the text of others made safe.
#pragma once

#include <string>
#include <string_view>

#include "terminal/lines.hpp"
#include "terminal/table.hpp"

namespace sluice::cli {

using terminal::Cells;
using terminal::Ink;
using terminal::Line;
using terminal::Piece;
using terminal::Style;

// Text from others, fit to be printed: on one line, nothing in it moves the cursor.
std::string safe(std::string_view text);

}  // namespace sluice::cli
