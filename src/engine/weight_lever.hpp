// A share of a workload that a program outside of the operator moves, in hundredths. The program is
// asked for a share and says what is there; what is asked for is remembered before anybody asks,
// and more is asked for only after a fresh probe that has verified the share before. A probe that
// failed is no probe. What the program says is bound to the revision that it was said of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/recorded_lever.hpp"

namespace sluice::engine {

// What a probe is for.
struct WeightGoal {
    enum class What : std::uint8_t { Watch, Weigh, Promote, Return };
    What what = What::Watch;
    std::int64_t rollout = 0;
    std::string revision{};  // that is moved; empty: nothing is
    int weight = 0;
    bool restarts = false;  // of Weigh: an abort is forgotten first
};

// What is there, whatever the probe was for.
struct WeightReality {
    std::string current;
    std::string updated;
    bool is_ready = false;
    bool is_whole = false;  // all of it is at the updated revision, and ready
};

// What came of a probe that was made for a goal.
struct WeightObservation {
    bool is_verified = false;
    std::string message;  // why not
};

// The program, and what it said last.
class WeightPlugin {
  public:
    WeightPlugin() = default;
    WeightPlugin(const WeightPlugin&) = default;
    WeightPlugin& operator=(const WeightPlugin&) = delete;
    virtual ~WeightPlugin() = default;

    virtual std::string title() const = 0;  // the subject of sentences
    // Nothing: nobody has asked yet, or the last probe failed.
    virtual std::optional<WeightReality> reality() const = 0;
    // Why the last probe failed, whatever it was for; empty: it did not.
    virtual std::string error() const = 0;
    // What the last probe brought, if it was for this.
    virtual std::optional<WeightObservation> observed(const WeightGoal& goal) const = 0;
    virtual Instant at() const = 0;  // of the last probe
    // The probe that is due. `inits`: none has succeeded so far.
    virtual Probe probe(const WeightGoal& goal, bool inits) const = 0;
};

class WeightLever final : public RecordedLever {
  public:
    // `weight` must outlive it.
    WeightLever(const Snapshot& seen, const Course& course, const Weight& weight, Instant now);

    const Standing& standing() const override { return standing_; }
    const std::optional<Memory>& memory() const override { return weight_.memory; }
    bool asks_for_retry() const override { return weight_.restarts; }
    std::optional<Decision> blocked() const override;
    std::optional<Decision> unsure() const override;
    Decision wait(Phase phase, Reason reason, std::string message) const override;
    Decision rest(Memory memory) const override;
    std::optional<Decision> take_back(const Memory& memory) const override;
    Decision narrow(Memory memory, PodCount exposed_max) const override;
    Memory fresh_memory() const override;
    std::optional<int> promotes_at() const override;
    Partition resting() const override { return recalled_.partition; }
    StepText step_text(const TakeStep& step) const override;
    std::string completed_text() const override;
    std::string returning_text() const override;
    std::string returned_text() const override;

  private:
    WeightGoal goal() const;
    // Somebody took the new revision back: what was updated follows it.
    bool goes_home() const;
    // A person's word that needs no probe.
    bool is_commanded() const;
    bool is_promoted() const;
    bool is_fresh() const;
    std::optional<Hold> lacks() const;
    std::string last_error() const;
    Decision probe_again() const;
    void ask(Decision& decision, Duration pace) const;

    const Weight& weight_;
    const WeightPlugin& plugin_;
    Memory recalled_;
    std::optional<WeightReality> reality_;
    Standing standing_;
};

}  // namespace sluice::engine
