// Regular expressions in the notation of RE2, for the question whether some part of a text fits.
// Kubernetes and Argo Rollouts read theirs with Go's library, which has the same notation.
//
// Promises: any text can be given as a pattern, and any text can be asked about. The time is
// bounded by the length of the text times the size of the pattern, whatever either holds, and the
// memory that is kept by pattern_memory_max. Nothing is logged, and no sentence repeats a pattern,
// which may be a value.
// Refuses: back references and looking ahead, which no such bound allows, and `(?<name>`, which is
// newer than our RE2; `(?P<name>` is known.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.hpp"

namespace re2 {
class RE2;
}

namespace sluice {

// Longer ones nobody can read. A row of "\pL" of this length takes 12 MB while it is read.
inline constexpr std::size_t pattern_bytes_max = 1u << 10;
// Of what a pattern becomes: "(a{100}){9}" is short, too. About ten thousand instructions.
inline constexpr std::size_t pattern_memory_max = 512u << 10;

class Pattern {
  public:
    // The Error completes the sentence `the pattern ...`.
    static Result<Pattern> compiled(std::string_view text);

    // A byte that is not UTF-8 fits nothing.
    bool fits(std::string_view text) const;

    // How many instructions a character of a text may have to be held against.
    std::size_t size() const;

  private:
    explicit Pattern(std::shared_ptr<const re2::RE2> program) : program_(std::move(program)) {}

    std::shared_ptr<const re2::RE2> program_;
};

}  // namespace sluice
