// The demo's picture of one moment: a scene in, lines of text out. Old and new, ready and not ready
// are told apart by a sign and a word; colour only repeats them.
#pragma once

#include <string>
#include <vector>

#include "api/verb.hpp"
#include "sim/demo/scene.hpp"
#include "terminal/lines.hpp"

namespace sluice::sim::demo {

// Narrower or lower than this there is no picture worth looking at.
constexpr int columns_least = 60;
constexpr int rows_least = 22;

// At most style.rows lines of at most style.columns columns. While a story goes on, the number of
// lines depends on the style and the number of pods only, so that nothing jumps.
std::vector<std::string> draw(const Scene& scene, const terminal::Style& style);

// The words of the summary, without a frame.
std::vector<terminal::Line> summary_lines(const Summary& summary);
std::vector<terminal::Line> hint_lines(const Summary& summary);

// "14:13:28", the time of the day in UTC.
std::string clock_text(Instant at);
using api::age_text;
// How the gate stands, in words.
std::string gate_text(const Scene& scene);

}  // namespace sluice::sim::demo
