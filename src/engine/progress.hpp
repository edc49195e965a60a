// How far the checks of one step have come. It is kept in the API by whoever owns the rollout, and
// belongs to what `about` names: counts that were collected about anything else are void.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace sluice::engine {

struct Snapshot;

enum class CheckResult : std::uint8_t { None, Passed, Failed, Error };

struct CheckProgress {
    std::string about;  // workload, rollout, revision, gate and definition, as a digest
    Instant since;      // when this step began to wait
    Instant window;     // when the initial delay began; a pod that was away begins a new one
    int tries = 0;      // answered checks
    int successes = 0;  // in a row
    int failures = 0;   // in a row
    int failed = 0;     // altogether
    CheckResult last_result = CheckResult::None;
    std::string last_text = {};  // the value, or why there was none
    Instant last;                // of the last answer that counted
    friend bool operator==(const CheckProgress&, const CheckProgress&) = default;
};

// What the counts of this step belong to, under this definition of the check.
std::string check_subject(const Snapshot& seen, std::string_view definition);

// Adds to what is seen what the API remembers of the checks.
void recall_progress(Snapshot& seen, std::optional<CheckProgress> reported);

// What is remembered of this step; a fresh start if nothing is, or only of something else.
CheckProgress progress_of(const Snapshot& seen, std::string_view definition, Instant now);

}  // namespace sluice::engine
