// A table of text: as wide as its widest cells, two spaces between columns.
#pragma once

#include <string>
#include <vector>

#include "sim/demo/lines.hpp"

namespace sluice::cli {

using sim::demo::Ink;
using sim::demo::Line;
using sim::demo::Piece;
using sim::demo::Style;

using Cells = std::vector<Piece>;  // an empty one is shown as "-"

// The first row is the head.
std::vector<Line> table(const std::vector<Cells>& rows);

// Text from others, fit to be printed: on one line, nothing in it moves the cursor.
std::string safe(std::string_view text);

}  // namespace sluice::cli
