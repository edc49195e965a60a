#include "terminal/lines.hpp"

#include <algorithm>

namespace sluice::terminal {
namespace {

constexpr int gap = 2;  // between the columns of a table

bool starts_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

// The first so many characters.
std::string_view head(std::string_view text, int columns) {
    std::size_t end = 0;
    for (int seen = 0; end < text.size(); ++end)
        if (starts_character(text[end]) && ++seen > columns) break;
    return text.substr(0, end);
}

// In the order of Ink.
constexpr const char* codes[] = {"",         "\x1b[2m",  "\x1b[1m", "\x1b[32m",
                                 "\x1b[33m", "\x1b[31m", "\x1b[36m"};

std::string harmless(std::string text) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    return text;
}

// The words of a line. A word may change its ink in the middle.
std::vector<Line> words_of(const Line& line) {
    std::vector<Line> words;
    bool is_open = false;
    for (const Piece& piece : line) {
        bool continues = false;  // the last piece of the open word is of this ink
        for (const char c : piece.text) {
            if (c == ' ') {
                is_open = continues = false;
                continue;
            }
            if (!is_open) words.emplace_back();
            if (!continues) words.back().push_back({"", piece.ink});
            words.back().back().text += c;
            is_open = continues = true;
        }
    }
    return words;
}

void append(Line& line, const Line& word) {
    const bool same_ink = !line.empty() && line.back().ink == word.front().ink;
    if (!line.empty()) line.push_back({" ", same_ink ? word.front().ink : Ink::Plain});
    line.insert(line.end(), word.begin(), word.end());
}

// Neighbours of the same ink become one piece.
Line joined(const Line& line) {
    Line result;
    for (const Piece& piece : line) {
        if (!result.empty() && result.back().ink == piece.ink)
            result.back().text += piece.text;
        else
            result.push_back(piece);
    }
    return result;
}

}  // namespace

int width(std::string_view text) {
    int columns = 0;
    for (const char c : text)
        columns += starts_character(c) ? 1 : 0;
    return columns;
}

int width(const Line& line) {
    int columns = 0;
    for (const Piece& piece : line)
        columns += width(piece.text);
    return columns;
}

std::string padded(std::string_view text, int columns) {
    std::string result{head(text, columns)};
    result.append(static_cast<std::size_t>(std::max(0, columns - width(result))), ' ');
    return result;
}

Line cut(const Line& line, int columns, const Style& style) {
    if (width(line) <= columns) return line;
    const std::string mark = style.unicode ? "…" : "...";
    int left = columns - width(mark);
    Line result;
    for (const Piece& piece : line) {
        const std::string_view kept = head(piece.text, left);
        result.push_back({std::string{kept}, piece.ink});
        left -= width(kept);
        if (kept.size() < piece.text.size()) break;
    }
    result.back().text += mark;
    return result;
}

std::vector<Line> wrapped(const Line& line, int columns, int lines_max, const Style& style) {
    std::vector<Line> lines(1);
    for (const Line& word : words_of(line)) {
        const bool is_last = static_cast<int>(lines.size()) == lines_max;
        const bool fits = width(lines.back()) + 1 + width(word) <= columns;
        if (!fits && !lines.back().empty() && !is_last) lines.emplace_back();
        append(lines.back(), word);
    }
    for (Line& one : lines)
        one = cut(joined(one), columns, style);
    return lines;
}

std::string written(const Line& line, const Style& style) {
    std::string text;
    for (const Piece& piece : line) {
        if (piece.text.empty()) continue;
        const bool inked = style.colour && piece.ink != Ink::Plain;
        if (inked) text += codes[static_cast<std::size_t>(piece.ink)];
        text += harmless(piece.text);
        if (inked) text += "\x1b[0m";
    }
    while (text.ends_with(' '))
        text.pop_back();
    return text;
}

std::vector<Line> table(const std::vector<Cells>& rows) {
    std::vector<int> widths;
    for (const Cells& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max({widths[i], 1, width(row[i].text)});
    }
    std::vector<Line> lines;
    for (const Cells& row : rows) {
        Line line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string text = row[i].text.empty() ? "-" : row[i].text;
            const bool is_last = i + 1 == row.size();
            line.push_back({text, row[i].ink});
            line.push_back({padded("", is_last ? 0 : widths[i] + gap - width(text))});
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace sluice::terminal
