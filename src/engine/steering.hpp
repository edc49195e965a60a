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

// What an API wants with a workload.
struct Course {
    std::string claim;                        // ours: "<api>/<name>"
    std::optional<std::string> held_by = {};  // somebody else's claim, fit to be printed
    std::function<Plan()> compile;            // asked for only when the plan is needed
    std::span<const Command> commands = {};   // what unblocks the reasons that are the API's own
};

Decision steer(const Snapshot& seen, const Course& course, Instant now);

// Hands off at once; the partition stays where it is. `why` opens the sentence that people read.
Decision release(const Snapshot& seen, const Course& course, const std::string& why, Instant now);

// What we remember of this very set; memory of a namesake, or memory that is garbled, is none.
std::optional<Memory> recall(const model::StatefulSet& set);

}  // namespace sluice::engine
