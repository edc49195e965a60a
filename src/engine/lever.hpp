// What a rollout moves. A lever reads where its workload stands, exposes more units to the new
// revision or takes them back, and says in its own words what it does. The life cycle that every
// rollout has (engine/rollout.hpp) knows no more of a lever than this.
#pragma once

#include <optional>
#include <string>

#include "engine/advance.hpp"
#include "engine/decision.hpp"
#include "engine/memory.hpp"
#include "engine/standing.hpp"

namespace sluice::engine {

class Lever {
  public:
    Lever() = default;
    Lever(const Lever&) = delete;
    Lever& operator=(const Lever&) = delete;
    virtual ~Lever() = default;

    virtual const Standing& standing() const = 0;
    // What is remembered of this workload; nothing: there was no rollout yet, or it is lost.
    virtual const std::optional<Memory>& memory() const = 0;
    // Nobody has to adopt it first.
    virtual bool is_ours() const = 0;
    // A value that is new; taking the wish away asks for nothing.
    virtual bool asks_for_retry() const = 0;

    // Why nothing is decided about it now: it is somebody else's, cannot be moved as it is, is not
    // known well enough, or others have moved it, which is put right first.
    virtual std::optional<Decision> blocked() const = 0;
    // The same, of a rollout that is under way and that no person holds.
    virtual std::optional<Decision> disturbed(const Memory&) const { return std::nullopt; }
    // The same, before more is exposed.
    virtual std::optional<Decision> unsure() const { return std::nullopt; }

    // Nothing moves; what is waited for is told.
    virtual Decision wait(Phase phase, Reason reason, std::string message) const = 0;
    // A wait that is over so soon that writing it down would only be noise.
    virtual Decision wait_silently(Phase phase, Reason reason, std::string message) const = 0;
    // Moves the lever, and remembers where it stands before anything follows from it.
    virtual Decision move(Memory memory, Partition to, StatusReport report) const = 0;
    // Nothing is pending.
    virtual Decision rest(Memory memory) const = 0;
    // The next step of the way back; nothing: all is back.
    virtual std::optional<Decision> take_back(const Memory& memory) const = 0;
    // More is exposed than the step allows.
    virtual Decision narrow(Memory memory, PodCount exposed_max) const = 0;
    // Units that nothing but time or a replacement can help.
    virtual Decision unsticking(Decision decision) const { return decision; }

    // A memory of this workload as it is now, in which no rollout is open.
    virtual Memory fresh_memory() const = 0;
    // What was asked of us meanwhile, and is done with the next move.
    virtual Memory caught_up(Memory memory) const { return memory; }
    // Every unit is exposed and more is to be done before the new revision is the current one: the
    // place of that step.
    virtual std::optional<int> promotes_at() const { return std::nullopt; }
    // Where the lever is left when all is done.
    virtual Partition resting() const = 0;

    // What is said when a step is taken.
    struct StepText {
        StatusReport report;
        std::string notice;
    };
    virtual StepText step_text(const TakeStep& step) const = 0;
    virtual std::string completed_text() const = 0;
    virtual std::string returning_text() const = 0;
    virtual std::string returned_text() const = 0;
    // Of a revision that failed and is not tried again.
    virtual std::string stays_back_text() const { return returned_text(); }
};

}  // namespace sluice::engine
