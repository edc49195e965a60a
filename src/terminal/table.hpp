// A table of text: as wide as its widest cells, two spaces between columns.
#pragma once

#include <vector>

#include "terminal/lines.hpp"

namespace sluice::terminal {

using Cells = std::vector<Piece>;  // an empty one is shown as "-"

// The first row is the head.
std::vector<Line> table(const std::vector<Cells>& rows);

}  // namespace sluice::terminal
