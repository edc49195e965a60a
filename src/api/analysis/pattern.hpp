// Regular expressions in the notation of RE2, for the question whether some part of a text fits.
// The time is bounded by the length of the text times that of the pattern, whatever either holds:
// all ways to fit are followed at once, and nothing is tried twice. Back references and looking
// ahead, which no such bound allows, are refused; so are the classes \p{..} and [:..:].
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace sluice::api::analysis {

inline constexpr std::size_t pattern_bytes_max = 1u << 10;       // longer ones nobody can read
inline constexpr std::size_t pattern_moves_max = 2'000;          // "(a{100}){100}" is short, too
inline constexpr std::size_t pattern_depth_max = 32;             // groups in groups
inline constexpr std::uint32_t pattern_repetitions_max = 1'000;  // as in RE2

// Code points from `first` to `last`.
struct RuneRange {
    char32_t first;
    char32_t last;
    friend auto operator<=>(const RuneRange&, const RuneRange&) = default;
};
using RuneSet = std::vector<RuneRange>;  // in order, apart from each other

// One move of the machine that walks over a text. Where it goes on is counted from the move itself.
struct Move {
    enum class Kind : std::uint8_t {
        Take,  // a character of set number `a`, then the next move
        Both,  // `a` moves on, and `b` moves on
        Jump,  // `a` moves on
        TextBegin,
        TextEnd,
        LineBegin,
        LineEnd,
        WordEdge,
        NoWordEdge,
        Done,
    };
    Kind kind;
    std::int32_t a = 1;
    std::int32_t b = 1;
};

class Pattern {
  public:
    // The Error completes the sentence `the pattern ...`.
    static Result<Pattern> compiled(std::string_view text);

    struct Outcome {
        bool fits;
        std::size_t work;  // moves that were looked at
    };
    // Nothing if more than `work_max` moves would have to be looked at. A byte that is not UTF-8
    // counts as U+FFFD.
    std::optional<Outcome> fits(std::string_view text, std::size_t work_max) const;

    std::size_t moves() const { return moves_.size(); }

  private:
    Pattern(std::vector<Move> moves, std::vector<RuneSet> sets)
        : moves_(std::move(moves)), sets_(std::move(sets)) {}

    std::vector<Move> moves_;
    std::vector<RuneSet> sets_;
};

}  // namespace sluice::api::analysis
