// What a gate says. Waiting and "could not tell" are both Hold: only an explicit Pass moves.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "base/time.hpp"
#include "engine/probe.hpp"
#include "engine/progress.hpp"
#include "engine/reason.hpp"

namespace sluice::engine {

struct Pass {
    std::optional<CheckProgress> progress = {};  // to be remembered while another gate holds
};

struct Hold {
    Reason reason;
    std::string message;                // one sentence, free of values that change by themselves
    std::optional<Instant> until = {};  // when a look is worth while though nothing happened
    std::optional<Probe> probe = {};    // the fact that is missing
    bool silent = false;                // over so soon, as a rule, that it is not worth a write
    std::optional<CheckProgress> progress = {};  // what is to be remembered of a metric check
    std::optional<int> rests_at = {};            // a wait that somebody wished for, at this place
};

struct Fail {
    Reason reason;
    std::string message;
    std::optional<CheckProgress> progress = {};
    bool aborts = false;  // the pods are taken back, whatever else a failure leads to
};

using Verdict = std::variant<Pass, Hold, Fail>;

}  // namespace sluice::engine
