// The life cycle of every rollout, whatever it moves: adopt, start, proceed, hold, fail, return,
// complete. One function for each turn that it can take; nobody but steer() includes it.
#pragma once

#include <string>

#include "engine/lever.hpp"
#include "engine/steering.hpp"
#include "engine/verdict.hpp"

namespace sluice::engine {

// One look at one workload: what moves it, where it is to go, and what time it is.
class Rollout {
  public:
    Rollout(const Lever& lever, const Course& course, Instant now)
        : lever_(lever), course_(course), now_(now) {}

    Decision decide() const;

  private:
    Decision adopt() const;
    Decision adopt_failed(const Quarantine& known) const;
    // Null: the revision is not in it.
    const Quarantine* quarantine() const;
    Decision start(const Memory& memory) const;
    Decision go_on(const Memory& memory) const;
    Decision proceed(const Memory& memory) const;
    Decision take(Memory memory, const TakeStep& step) const;
    Decision finish(const Memory& memory) const;
    Decision hold(Hold held) const;
    Decision fail(const Memory& memory, Fail failed, OnFailure then) const;
    Decision missed_deadline(const Memory& memory, Hold held, OnFailure then) const;
    Decision go_back(const Memory& memory) const;
    Decision returned(Memory memory) const;
    Decision complete(Memory memory) const;

    Memory opened(std::int64_t id) const;
    const Standing& standing() const { return lever_.standing(); }

    const Lever& lever_;
    const Course& course_;
    Instant now_;
};

}  // namespace sluice::engine
