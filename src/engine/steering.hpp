// How a workload is steered through its partition, whoever asks for it: adopt it, close its gate,
// run the plan one look further, notice who else moves the gate, and rest. Pure and total. Refuses
// to lower the partition unless every gate of the plan's next step passes.
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

namespace sluice::engine {

// A revision that failed, as the API remembers it beside the workload.
struct Quarantine {
    std::string revision;
    bool returns = false;  // its pods go back; otherwise they stay, and no further one goes
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
    model::Texts marks = {};     // annotations that go with the claim
    std::string retry = {};      // what people asked for beside the workload itself
    std::string paused_by = {};  // the same: a sentence that says who holds it; empty: nobody
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

// What we remember of this very set; memory of a namesake, or memory that is garbled, is none.
std::optional<Memory> recall(const model::StatefulSet& set);
// It is lost, or there was no rollout yet.
bool knows_no_rollout(const std::optional<Memory>& memory);

}  // namespace sluice::engine
