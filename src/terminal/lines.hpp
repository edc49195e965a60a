// Lines of text for a terminal: pieces with an ink, cut and broken to a width, written with colours
// or without. A character is a column; control characters that strangers send become spaces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::terminal {

enum class Ink : std::uint8_t { Plain, Dim, Bold, Good, Warn, Bad, Accent };

struct Piece {
    std::string text;
    Ink ink = Ink::Plain;
};
using Line = std::vector<Piece>;

// What the terminal can show.
struct Style {
    int columns = 80;
    int rows = 24;
    bool colour = true;
    bool unicode = true;
};

int width(std::string_view text);
int width(const Line& line);
// Exactly so many columns: filled up, or cut.
std::string padded(std::string_view text, int columns);
// At most so many columns; where something is missing, the end says so.
Line cut(const Line& line, int columns, const Style& style);
// Broken between words into at most so many lines.
std::vector<Line> wrapped(const Line& line, int columns, int lines_max, const Style& style);
// The bytes for the terminal. Without colour there is no escape code in them.
std::string written(const Line& line, const Style& style);

using Cells = std::vector<Piece>;  // an empty one is shown as "-"
// As wide as its widest cells, two spaces between columns. The first row is the head.
std::vector<Line> table(const std::vector<Cells>& rows);

}  // namespace sluice::terminal
