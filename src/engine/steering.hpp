// How a workload is steered to its new revision, whoever asks for it and whatever moves it: adopt
// it, close its gate, run the plan one look further, notice who else moves it, and rest. Pure and
// total. Refuses to expose more unless every gate of the plan's next step passes.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "engine/decision.hpp"
#include "engine/memory.hpp"
#include "engine/plan.hpp"
#include "engine/report.hpp"
#include "engine/snapshot.hpp"
#include "engine/standing.hpp"

namespace sluice::engine {

// A revision that failed, as the API remembers it beside the workload.
struct Quarantine {
    std::string revision;
    bool returns = false;  // its pods go back; otherwise they stay, and no further one goes
};

class WeightPlugin;

// What is moved by a program outside of the operator, and what the API remembers of it.
struct Weight {
    const WeightPlugin* plugin;    // never null
    std::string binding;           // object, workload and plugin: the memory of others is not ours
    std::optional<Memory> memory;  // nothing: no look at the workload has succeeded so far
    std::string current;           // the revision that was told last
    int last_place = 0;            // of the promotion, behind the last step
    bool promotes = false;         // a person wants all of it now
    bool restarts = false;         // a revision that failed is to be tried again
    bool is_restart = false;       // the rollout under way is such a try
    std::string told = {};         // the name of the reason that was told last
    std::string told_message = {};
    Instant told_at = {};
};

// Members that an API makes and replaces itself, and what it remembers of them.
struct MemberCluster {
    std::vector<std::string> names;  // in the order in which they are kept
    PodCount exposed;                // of the last ones, that the rollout under way has reached
    std::string current;
    std::string updated;
    std::optional<Memory> memory;  // nothing: there was no rollout yet
};

// Versions of a workload beside each other: the pods of the new one are made while those of the old
// one stay. `pods` are those of the old one, in the place of the last of them those of the new one
// that are to be there; revisions are versions.
struct SideBySide {
    MemberCluster pods;
    bool tries_again = false;   // a version that failed, by itself
    bool keeps_failed = false;  // its pods stay
};

// What an API wants with a workload.
struct Course {
    std::string claim;                        // ours: "<api>/<name>"
    std::optional<std::string> held_by = {};  // somebody else's claim, fit to be printed
    std::function<Plan()> compile;            // asked for only when the plan is needed
    std::span<const Command> commands = {};   // what unblocks the reasons that are the API's own
    // The workload's annotations are all the report there is. Otherwise only the claim, the memory
    // and the phase stand there, and the API reports elsewhere.
    bool reports_on_workload = true;
    model::Texts marks = {};                // annotations that go with the claim
    std::string retry = {};                 // what people asked for beside the workload itself
    std::optional<Refused> paused_by = {};  // the same: who holds it, as a sentence
    // Somebody wants it undone, with the sentence that says who; wins over every pause.
    std::optional<std::string> abort = {};
    int first_place = 0;     // in the owner's list of steps, where a rollout begins
    std::uint64_t list = 0;  // hash of that list
    // A template that goes back to the revision before, in mid-rollout, is a rollback: no gate is
    // asked whether what ran all the time may run.
    bool returns_freely = false;
    Reason allowed = Reason::HookAllowed;  // what is told when a pod may go
    std::string name = {};                 // of the object that asks, for commands
    // Counts where the workload's own memory is lost: what failed is not tried again for that.
    std::optional<Quarantine> quarantine = {};
    // What is moved; nothing of these: the partition of the StatefulSet.
    std::optional<Weight> weight = {};
    std::optional<MemberCluster> members = {};
    std::optional<SideBySide> versions = {};
};

Decision steer(const Snapshot& seen, const Course& course, Instant now);

// Hands off. `why` opens the sentence that people read. While nothing is pending the partition
// returns to what it was at adoption, once the status is up to date; otherwise it stays where it
// is. Open: it goes to 0 at once, whatever is pending, and Kubernetes updates all pods by itself.
enum class Parting : std::uint8_t { Frozen, Open };
Decision release(const Snapshot& seen, const Course& course, const std::string& why, Instant now,
                 Parting parting = Parting::Frozen);

// A pod that is replaced is away for a moment, once for every step: that is told when it lasts. For
// APIs that report elsewhere than on the workload.
void keep_quiet_for_a_moment(Decision& decision, const Snapshot& seen, Instant now);

// What the annotation sluice.dev/paused says.
bool is_paused(const std::string& annotation);
// Nothing: it holds nobody.
std::optional<Refused> paused_by(const std::string& annotation);
std::optional<Refused> paused_by(const model::StatefulSet& set, const Course& course);

// The value itself is a person's, of any length; its hash tells a new one from the last.
std::uint64_t retry_asked(const model::StatefulSet& set, const Course& course);

// What we remember of this very set; memory of a namesake, or memory that is garbled, is none.
std::optional<Memory> recall(const model::StatefulSet& set);
// Of a workload as it is now, with the place where a rollout begins.
Memory first_memory(std::string uid, const Standing& standing, const Course& course, Instant now);
// It is lost, or there was no rollout yet.
bool knows_no_rollout(const std::optional<Memory>& memory);

}  // namespace sluice::engine
