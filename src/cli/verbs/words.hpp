// The verbs that change something, as they are typed, and what they do.
#pragma once

#include <span>
#include <string_view>

#include "api/verb.hpp"

namespace sluice::cli {

struct VerbWords {
    api::Verb verb;
    std::string_view typed;    // "promote --full"
    std::string_view meaning;  // behind a command
};

inline std::span<const VerbWords> verb_words() {
    using api::Verb;
    static constexpr VerbWords words[] = {
        {Verb::Promote, "promote", "end the pause of this step"},
        {Verb::PromoteFull, "promote --full", "skip all steps that are left"},
        {Verb::Pause, "pause", "hold it where it is"},
        {Verb::Resume, "resume", "let it go on"},
        {Verb::Abort, "abort", "take the updated pods back"},
        {Verb::Retry, "retry", "try again"},
    };
    return words;
}

}  // namespace sluice::cli
