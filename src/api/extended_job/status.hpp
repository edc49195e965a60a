// The status of an ExtendedJob: which runs there are, and what became of the last one. A run is
// written down with a number and the name of its Job before anything is made of it, and a pod
// before a Job runs for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/condition.hpp"
#include "api/jobs/job.hpp"
#include "api/status_head.hpp"
#include "base/time.hpp"
#include "model/custom_object.hpp"

namespace sluice::api::extended_job {

// So many Jobs run at once for pods; one runs for all other strategies.
inline constexpr std::size_t pod_jobs_max = 5;
// So many pods are remembered. What is written of them is bounded by the size of a status.
inline constexpr std::size_t handled_max = 128;
// So many Jobs wait to be deleted. No run begins whose Job could not wait with them: one that is
// forgotten stays until the ExtendedJob goes.
inline constexpr std::size_t leaving_max = 16;

struct Run {
    std::int64_t number = 0;
    std::string job;
    std::string strategy = {};  // that asked for it
    // Planned while the strategy may still ask for it: one that does is not another request. One
    // that has ended is over once what its Job printed is kept.
    jobs::Stage stage = jobs::Stage::Planned;
    std::string pod = {};  // that it runs for; empty: for none
    Instant started = {};
    std::string message = {};  // why its Job has failed
    std::string uid = {};      // of its Job, once that has ended
    friend bool operator==(const Run&, const Run&) = default;
};

struct LastRun {
    std::int64_t number = 0;
    std::string job;
    std::string pod = {};
    std::string outcome;  // Succeeded, Failed
    std::string message = {};
    Instant started = {};
    Instant finished = {};
    friend bool operator==(const LastRun&, const LastRun&) = default;
};

// A Job that is to be deleted, not before its time.
struct Leaving {
    std::string job;
    Instant due = {};
    friend bool operator==(const Leaving&, const Leaving&) = default;
};

// A pod that a Job runs for, or has.
struct Handled {
    std::string uid;
    std::string pod;
    friend bool operator==(const Handled&, const Handled&) = default;
};

struct Status : StatusHead {
    std::int64_t runs = 0;  // that were begun
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
    std::vector<Run> active;
    std::optional<LastRun> last;
    std::string kept_job;  // the last one that failed: people look at it
    std::vector<Leaving> leaving;
    std::string pod_state;  // the state that they were in
    std::vector<Handled> handled;
    std::vector<Condition> conditions;
    friend bool operator==(const Status&, const Status&) = default;
};

Status read_status(const model::CustomObject& object);
// The JSON text of the whole status, the value to replace the old one with.
std::string write_status(const Status& status);

// The status without what is only told: what is left must be written before anything is made of it.
Status substance_of(Status status);

}  // namespace sluice::api::extended_job
