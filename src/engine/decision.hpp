// What one look at the world leads to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "engine/probe.hpp"
#include "engine/progress.hpp"
#include "engine/reason.hpp"
#include "model/custom_object.hpp"
#include "model/workload_patch.hpp"

namespace sluice::engine {

enum class Phase : std::uint8_t {
    Idle,     // nothing is pending
    Waiting,  // a new revision waits for its first gate
    Rolling,  // some pods are exposed, the rollout goes on
    Held,     // a person or a refusal holds it
    Blocked,  // this workload cannot be steered as it is
};
const char* to_text(Phase phase);

// What we believe and why.
struct StatusReport {
    Phase phase = Phase::Idle;
    Reason reason = Reason::Idle;
    std::string message;
    std::string unblock;  // what unblocks it, with the command where there is one
};

// Something worth telling a person once.
struct Notice {
    Reason reason;
    std::string message;
    std::string_view name = {};  // of the event, where an API has a word of its own
};

// How a rollout ended, for metrics.
struct Ended {
    const char* outcome;  // completed, superseded, released, rolled_back
    Duration took;
};

// One object and no namesake of it: whom events and writes are about.
struct Subject {
    model::Ref ref;
    std::string uid;
};

// A write to a custom object, with its preconditions inside.
struct ObjectWrite {
    enum class Deed : std::uint8_t {
        Patch,
        Create,  // one that is there already is left as it is
        Delete,  // this one by its UID, and no namesake
    };
    Subject object;
    bool of_status = false;
    std::string body;                  // a JSON Patch, or the whole object that is created
    std::vector<Notice> notices = {};  // about this object, once the write is through
    Deed deed = Deed::Patch;
};

// A pod that is deleted so that it comes back on another revision.
struct PodRemoval {
    std::string name;
    std::string uid;
    std::uint64_t version = 0;  // only as it was seen in this one; 0: in any
    // Two that are about the same pod mean the same, whatever became of it meanwhile.
    friend bool operator==(const PodRemoval& one, const PodRemoval& other) {
        return one.name == other.name && one.uid == other.uid;
    }
};

struct Decision {
    StatusReport report;
    // At most one of these at a time, the first that there is; then the world is looked at again.
    std::optional<model::WorkloadPatch> patch;  // with its preconditions
    std::optional<PodRemoval> removal;
    std::vector<ObjectWrite> writes;

    std::vector<Notice> notices;            // become events once the patch is through
    std::optional<Subject> subject;         // whom the notices are about; nothing: the workload
    std::optional<Probe> probe;             // a fact we need from outside
    std::optional<CheckProgress> progress;  // what is to be remembered of a metric check
    std::optional<int> rests_at;            // the place of the rest that it waits for
    std::optional<Instant> wake_at;         // absolute; a wait is a time, never a flag
    bool silent = false;                    // a wait that is over so soon that nobody is told
    bool takes_step = false;                // the patch lets a pod go
    bool needs_live = false;                // the cache may be behind: look at the API first
    bool releases = false;                  // the patch lets the workload out of our hands
    // Objects that must be looked at before anything can be decided; nothing else is done then.
    std::vector<model::Ref> wants;
    std::optional<Ended> ended;  // the patch ends a rollout
};

}  // namespace sluice::engine
