// How things that are steered stand: the table of `sluice get`, and the forms that it shares with
// explain. What others wrote is made safe before it is printed.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/verbs/find.hpp"
#include "terminal/lines.hpp"

namespace sluice::cli {

using terminal::Cells;
using terminal::Ink;
using terminal::Line;
using terminal::Piece;
using terminal::Style;

// Text from others, fit to be printed: on one line, nothing in it moves the cursor.
std::string safe(std::string_view text);

Ink ink_of(api::Mood mood);

// For programs: what is not known is left out.
boost::json::object standing_json(const Found& found);

// JSON with a field a line, as kubectl prints it.
std::string pretty(const boost::json::value& value);

// One table of everything that is steered, over all APIs.
std::vector<Line> get_lines(const std::vector<const Found*>& found, const Asked& asked,
                            Instant now);
std::string get_json(const std::vector<const Found*>& found);

}  // namespace sluice::cli
