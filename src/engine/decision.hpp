// What one look at the world leads to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers.hpp"
#include "base/time.hpp"
#include "engine/memory.hpp"
#include "engine/probe.hpp"
#include "engine/progress.hpp"
#include "engine/reason.hpp"
#include "model/custom_object.hpp"

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
    friend bool operator==(const Subject&, const Subject&) = default;
};

// One write to one object, never without the preconditions under which it was decided: a JSON Patch
// by its `test` operations, a deletion by the UID. One that fails is decided upon anew; the same
// bytes are never sent again.
struct Action {
    enum class Verb : std::uint8_t {
        Patch,
        Create,  // one that is there already is left as it is
        Delete,  // this one by its UID, and no namesake; what it owns follows
    };
    Verb verb = Verb::Patch;
    Subject object;             // of Create without a UID
    std::string body = {};      // a JSON Patch, or the whole object that is created
    bool of_status = false;     // of Patch: of the status subresource
    std::uint64_t version = 0;  // of Delete: only as it was seen in this one; 0: in any
    bool awaits_owned = false;  // of Delete: it is there until all that it owns is gone
    bool lets_pods_go = false;  // of Patch: pods that were shielded may be replaced
    // Done right behind the one before it, and only if that went through; of what is created, if it
    // is there.
    bool follows = false;
    std::optional<Partition> partition = {};  // of a patch that moves it: to where
    std::vector<Notice> notices = {};         // about this object, once the write is through
};
// Such an action is carried out only if a live read leads to it again.
bool cannot_be_undone(const Action& action);
// Two decisions that mean the same, whatever became of the object meanwhile.
bool is_same(const Action& one, const Action& other);

Action deletion_of(Subject object, std::uint64_t version = 0);
Action creation_of(model::Ref object, std::string body);

struct Decision {
    StatusReport report;
    // The first is done, and whatever follows it; then the world is looked at again.
    std::vector<Action> actions;

    std::vector<Notice> notices;            // become events once the first action is through
    std::optional<Subject> subject;         // whom the notices are about; nothing: the workload
    std::optional<Probe> probe;             // a fact we need from outside
    std::optional<CheckProgress> progress;  // what is to be remembered of a metric check
    std::optional<int> rests_at;            // the place of the rest that it waits for
    std::optional<Instant> wake_at;         // absolute; a wait is a time, never a flag
    bool silent = false;                    // a wait that is over so soon that nobody is told
    bool keeps_report = false;              // what was told last stands: nothing of this is told
    // What is to be remembered where the lever itself cannot hold it; nothing: what is known.
    std::optional<Memory> memory;
    bool takes_step = false;  // the first action lets a pod go
    bool needs_live = false;  // the cache may be behind: look at the API first
    bool releases = false;    // the first action lets the workload out of our hands
    // Objects that it rests on and that were not looked at: they are read, and it is decided anew;
    // nothing else is done then.
    std::vector<model::Ref> rests_on;
    bool rereads_subject = true;    // together with those; false: it is known well enough
    std::optional<Evidence> noted;  // what those came to: kept like the answer to a probe
    std::optional<Ended> ended;     // the first action ends a rollout
};

// The workload itself is written, not just an object that is about it.
bool patches_workload(const Decision& decision);
// A pod that was shielded may be replaced once it is carried out.
bool lowers_partition(const Decision& decision);

}  // namespace sluice::engine
