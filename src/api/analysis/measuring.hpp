// The machine of one analysis run: pure, total, and without memory of its own. Everything it knows
// stands in the status, so that a process that is killed between any two steps goes on where the
// status says: a question that was asked and not answered is asked again, and a Job that was made
// is found again by its name.
//
// Promises: at most one question at a time, of the metric that is due longest, so that none waits
// for ever; an answer with another key changes nothing; counts never go down; the same input gives
// the same turn; a run that is over stays as it is. What a run comes to, assess.hpp says.
//
// As in Argo Rollouts: the initial delay counts from the start of the run, an interval from the end
// of the last measurement; after an error the next one comes 10 seconds later; once a metric that
// counts is Failed, Error or Inconclusive, or somebody sets `terminate`, nothing new is begun, what
// is under way is stopped, and the run ends.
#pragma once

#include <optional>

#include "api/analysis/job.hpp"
#include "api/analysis/known.hpp"
#include "api/analysis/question.hpp"
#include "api/analysis/run.hpp"

namespace sluice::api::analysis {

inline constexpr Duration error_pause = 10s;   // before a measurement that erred is made again
inline constexpr Duration interval_min = 1s;   // the status keeps whole seconds
inline constexpr Duration job_look_min = 5s;   // between two looks at a Job that runs
inline constexpr Duration job_look_max = 60s;  // the same where looks are written down

struct Turn {
    RunStatus status;
    // To be asked once the status is written: it may say that a Job is about to be made.
    std::optional<Question> question;
    std::optional<Instant> wake_at;  // if nothing is to be asked now
    bool is_over = false;
};

// `answer` is the last one that came, however old; it may be given again.
Turn take_turn(const RunSpec& spec, RunStatus status, const RunContext& run,
               const std::optional<MeasurementAnswer>& answer, Instant now);

// A run whose spec cannot be used: it is over, with an Error that says why.
RunStatus refused(RunStatus status, const FieldErrors& errors, Instant now);

}  // namespace sluice::api::analysis
