// The partition of a StatefulSet: pods with an index at or above it get the new revision. Memory
// and report stand in the set's annotations, in the same write as the move. Refuses to lower the
// partition for anybody but a step of the plan, and puts it right when others have moved it.
#pragma once

#include <optional>
#include <string>

#include "engine/lever.hpp"
#include "engine/steering.hpp"
#include "model/workload_patch.hpp"

namespace sluice::engine {

// The partition at adoption. One that is closed was closed for us: nobody wants it back.
std::optional<Partition> found_partition(const model::StatefulSet& set);

class PartitionLever final : public Lever {
  public:
    PartitionLever(const Snapshot& seen, const Course& course, Instant now);

    const Standing& standing() const override { return standing_; }
    const std::optional<Memory>& memory() const override { return memory_; }
    bool is_ours() const override;
    bool asks_for_retry() const override;
    std::optional<Decision> blocked() const override;
    std::optional<Decision> disturbed(const Memory& memory) const override;
    Decision wait(Phase phase, Reason reason, std::string message) const override;
    Decision wait_silently(Phase phase, Reason reason, std::string message) const override;
    Decision move(Memory memory, Partition to, StatusReport report) const override;
    Decision rest(Memory memory) const override;
    std::optional<Decision> take_back(const Memory& memory) const override;
    Decision narrow(Memory memory, PodCount exposed_max) const override;
    Decision unsticking(Decision decision) const override;
    Memory fresh_memory() const override;
    Memory caught_up(Memory memory) const override;
    Partition resting() const override { return resting_partition(set().replicas); }
    StepText step_text(const TakeStep& step) const override;
    std::string completed_text() const override;
    std::string returning_text() const override;
    std::string returned_text() const override;
    std::string stays_back_text() const override;

    Decision part(const std::string& why, Parting parting) const;

  private:
    // `notes` are annotations that are written beside the report.
    Decision wait(Phase phase, Reason reason, std::string message, const model::Texts& notes) const;
    // `repeats_step`: the gate stood there before, and what was collected at that step counts on.
    Decision move_gate(Memory memory, Partition to, StatusReport report, bool repeats_step) const;
    // With the fence of the leader that writes it.
    Action action_of(model::WorkloadPatch patch) const;
    Decision wait_for_status() const;
    Decision claimed_by_other(const std::string& other) const;

    // What others do to the gate.
    std::optional<Decision> guard() const;
    Decision shut(Memory memory, Reason reason, const std::string& message) const;
    Decision resume(Memory memory, Partition gate) const;
    Decision correct(Memory memory, Partition to, StatusReport report,
                     bool repeats_step = false) const;
    Decision close_bypassed(const Memory& memory) const;
    Decision put_back(const Memory& memory, const std::optional<PodCount>& exposed_max) const;
    Decision hold_at_brake(Memory memory) const;
    Decision contested() const;
    // Who says what the partition is, as the subject of a sentence.
    std::string somebody() const;

    // The way back, and pods that are stuck.
    bool is_well(const model::Pod* pod) const;
    // `version`: only as it was seen in this one; 0: in any.
    Decision take_away(const model::Pod& pod, Phase phase, Reason reason, std::string message,
                       std::uint64_t version = 0) const;
    std::optional<Decision> wait_for_returned() const;
    // From when on the pod counts as stuck; nothing: it does not.
    std::optional<Instant> stuck_from(PodIndex index) const;
    std::optional<PodIndex> stuck_pod() const;
    Decision unstick(PodIndex index) const;
    bool runs_well(const std::string& revision) const;

    // What becomes of the gate when we part from it.
    enum class GateAfter : std::uint8_t { Kept, Restored, Opened };
    GateAfter gate_after(Parting parting) const;
    std::string farewell(GateAfter after) const;

    const model::StatefulSet& set() const { return seen_.workload; }
    Partition gate() const { return effective_partition(set()); }
    std::string name_of(PodIndex index) const { return standing_.pods.name_of(index); }
    std::string unblock(Reason reason) const {
        return unblock_text(reason, set(), course_.commands, course_.name);
    }

    const Snapshot& seen_;
    const Course& course_;
    Instant now_;
    Standing standing_;
    std::optional<Memory> memory_;
};

}  // namespace sluice::engine
