// A lever whose place the API itself remembers, in the status of its object: it is written down
// first, and whoever moves what the API has follows what is written.
#pragma once

#include <string>

#include "engine/lever.hpp"
#include "engine/steering.hpp"

namespace sluice::engine {

class RecordedLever : public Lever {
  public:
    bool is_ours() const override { return true; }
    Decision wait(Phase phase, Reason reason, std::string message) const override;
    Decision wait_silently(Phase phase, Reason reason, std::string message) const override {
        return wait(phase, reason, std::move(message));
    }
    Decision move(Memory memory, Partition to, StatusReport report) const override;

  protected:
    // Both must outlive it.
    RecordedLever(const Snapshot& seen, const Course& course, Instant now)
        : seen_(seen), course_(course), now_(now) {}

    const Snapshot& seen_;
    const Course& course_;
    Instant now_;
};

}  // namespace sluice::engine
