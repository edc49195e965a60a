// Versions of a workload side by side. The lever says how many pods of the new one are to be there;
// whoever owns the versions makes those, and remembers the number before anything follows from it.
// Nothing is taken from the old version meanwhile, so the way back is that the new pods go.
#pragma once

#include <optional>
#include <string>

#include "engine/members_lever.hpp"

namespace sluice::engine {

class SideBySideLever final : public MembersLever {
  public:
    // `versions` must outlive it.
    SideBySideLever(const Snapshot& seen, const Course& course, const SideBySide& versions,
                    Instant now)
        : MembersLever(seen, course, versions.pods, now), versions_(versions) {}

    bool asks_for_retry() const override;
    std::optional<Decision> take_back(const Memory& memory) const override;
    std::optional<Decision> unsure() const override;
    StepText step_text(const TakeStep& step) const override;
    std::string completed_text() const override;
    std::string returning_text() const override;
    std::string returned_text() const override;

  private:
    // Pods of the new version that are there, wanted or not.
    std::ptrdiff_t updated_pods() const;

    const SideBySide& versions_;
};

}  // namespace sluice::engine
