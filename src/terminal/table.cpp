#include "terminal/table.hpp"

#include <algorithm>

namespace sluice::terminal {
namespace {

constexpr int gap = 2;

}  // namespace

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
            const int fill = is_last ? 0 : widths[i] + gap - width(text);
            line.push_back({text, row[i].ink});
            line.push_back({std::string(static_cast<std::size_t>(fill), ' '), Ink::Plain});
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace sluice::terminal
