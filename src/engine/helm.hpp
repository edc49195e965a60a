// The inside of steer(): one function for each turn that a rollout can take. Nobody else includes
// it.
#pragma once

#include <optional>
#include <string>

#include "engine/advance.hpp"
#include "engine/steering.hpp"
#include "engine/verdict.hpp"
#include "engine/world.hpp"
#include "model/workload_patch.hpp"

namespace sluice::engine {

// The partition at adoption. One that is closed was closed for us: nobody wants it back.
std::optional<Partition> found_partition(const model::StatefulSet& set);

// One look at one workload: what is seen, where it is to go, and what time it is.
class Helm {
  public:
    Helm(const Snapshot& seen, const Course& course, Instant now)
        : seen_(seen), course_(course), now_(now) {}

    Decision decide() const;
    Decision part(const std::string& why, Parting parting) const;

  private:
    // `notes` are annotations that are written beside the report.
    Decision wait(Phase phase, Reason reason, std::string message,
                  const model::Texts& notes = {}) const;
    // `repeats_step`: the gate stood there before, and what was collected at that step counts on.
    Decision move_gate(Memory memory, Partition to, StatusReport report,
                       bool repeats_step = false) const;
    // The same, with a patch that holds more than the move.
    Decision move_gate(model::WorkloadPatch patch, Memory memory, Partition to, StatusReport report,
                       bool repeats_step) const;
    // With the fence of the leader that writes it.
    Action action_of(model::WorkloadPatch patch) const;
    Memory opened(std::int64_t id) const;
    Decision adopt() const;
    Decision adopt_failed(const Quarantine& known) const;
    // Null: the revision is not in it.
    const Quarantine* quarantine_of(const std::optional<Memory>& memory) const;
    Decision rest(const Memory& memory) const;
    Decision close_gate(Memory memory, Reason reason, const std::string& message) const;
    Decision correct(Memory memory, Partition to, StatusReport report,
                     bool repeats_step = false) const;
    Decision close_bypassed(Memory memory) const;
    Decision put_back(Memory memory) const;
    Decision hold_at_brake(Memory memory) const;
    Decision let_go(Memory memory, TakeStep step) const;
    Decision narrow(Memory memory, PodCount exposed_max) const;
    Decision missed_deadline(const Memory& memory, Hold held, OnFailure then) const;
    Decision complete(Memory memory) const;
    Decision hold(Hold held, PodCount exposed) const;
    Decision proceed(const Memory& memory) const;
    Decision resume(Memory memory, Partition gate) const;
    Decision go_on(Memory memory) const;
    Decision fail(const Memory& memory, Fail failed, OnFailure then) const;
    Decision go_back(Memory memory) const;
    Decision returned(Memory memory) const;
    Decision stay_back() const;
    // From when on the pod counts as stuck; nothing: it does not.
    std::optional<Instant> stuck_from(const PodRow& row, PodIndex index) const;
    std::optional<PodIndex> stuck_pod(const PodRow& row) const;
    Decision unsticking(Decision decision) const;
    Decision unstick(const PodRow& row, PodIndex index) const;
    bool runs_well(const PodRow& row, const std::string& revision) const;
    bool is_well(const model::Pod* pod) const;
    // `version`: only as it was seen in this one; 0: in any.
    Decision take_away(const model::Pod& pod, Phase phase, Reason reason, std::string message,
                       std::uint64_t version = 0) const;
    std::optional<Decision> wait_for_returned(const PodRow& row) const;
    // A value that is new; taking the annotation away asks for nothing.
    bool asks_for_retry(const Memory& memory) const;
    std::uint64_t retry_asked() const;
    Decision start(const Memory& memory) const;
    Decision contested(const std::optional<Memory>& memory) const;
    std::optional<Decision> guard(const std::optional<Memory>& memory) const;
    Decision wait_for_status() const;
    // What becomes of the gate when we part from it.
    enum class GateAfter : std::uint8_t { Kept, Restored, Opened };
    GateAfter gate_after(const std::optional<Memory>& memory, Parting parting) const;
    std::string farewell(const std::optional<Memory>& memory, GateAfter after) const;
    Decision claimed_by_other(const std::string& other) const;
    // Who says what the partition is, as the subject of a sentence.
    std::string somebody() const;
    const model::StatefulSet& set() const { return seen_.workload; }
    std::string unblock(Reason reason) const {
        return unblock_text(reason, set(), course_.commands, course_.name);
    }

    const Snapshot& seen_;
    const Course& course_;
    Instant now_;
};

}  // namespace sluice::engine
