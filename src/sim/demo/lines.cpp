#include "sim/demo/lines.hpp"

namespace sluice::sim::demo {
namespace {

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

const char* code(Ink ink) {
    switch (ink) {
        case Ink::Plain: return "";
        case Ink::Dim: return "\x1b[2m";
        case Ink::Bold: return "\x1b[1m";
        case Ink::Good: return "\x1b[32m";
        case Ink::Warn: return "\x1b[33m";
        case Ink::Bad: return "\x1b[31m";
        case Ink::Accent: return "\x1b[36m";
    }
    return "";
}

std::string harmless(std::string text) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    return text;
}

// Every word with its ink; the space behind it is left out.
Line words_of(const Line& line) {
    Line words;
    for (const Piece& piece : line) {
        std::string word;
        for (const char c : piece.text) {
            if (c != ' ') {
                word += c;
            } else if (!word.empty()) {
                words.push_back({std::move(word), piece.ink});
                word.clear();
            }
        }
        if (!word.empty()) words.push_back({std::move(word), piece.ink});
    }
    return words;
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
    const int missing = columns - width(result);
    if (missing > 0) result.append(static_cast<std::size_t>(missing), ' ');
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
    for (const Piece& word : words_of(line)) {
        const bool is_last = static_cast<int>(lines.size()) == lines_max;
        const int needed = width(lines.back()) + (lines.back().empty() ? 0 : 1) + width(word.text);
        if (needed > columns && !lines.back().empty() && !is_last) lines.emplace_back();
        Line& last = lines.back();
        if (last.empty())
            last.push_back(word);
        else if (last.back().ink == word.ink)
            last.back().text += " " + word.text;
        else
            last.insert(last.end(), {{" ", Ink::Plain}, word});
    }
    for (Line& one : lines)
        one = cut(one, columns, style);
    return lines;
}

std::string written(const Line& line, const Style& style) {
    std::string text;
    for (const Piece& piece : line) {
        if (piece.text.empty()) continue;
        const bool inked = style.colour && piece.ink != Ink::Plain;
        if (inked) text += code(piece.ink);
        text += harmless(piece.text);
        if (inked) text += "\x1b[0m";
    }
    while (text.ends_with(' '))
        text.pop_back();
    return text;
}

}  // namespace sluice::sim::demo
