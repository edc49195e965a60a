// The checks of PhasedRollouts as they truly were: what Prometheus answered, which answers
// operators can know of, and since when a check counts.
#pragma once

#include "api/phased_rollout/spec.hpp"
#include "sim/promises/promise.hpp"

namespace sluice::sim::phased_rollout {

// The PhasedRollout that a set says it is steered by; empty: none.
std::string steerer_of(const json::object& set);
std::optional<api::phased_rollout::Spec> spec_of(const json::object& rollout);

// What speaks for a step.
struct Checked {
    const json::object* rollout;
    int threshold;
    int passes = 0;  // of this step, the last ones in a row
    std::optional<Instant> last = {};
    std::optional<Instant> failed = {};  // a check before those, which its operator can know of
};

class Checks final : public Observer {
  public:
    explicit Checks(const Inspection& inspection) : in_(inspection) {}

    void on_change(const Change& change) override;
    void on_start(const std::string& who) override { settle(who, false); }
    // A check was bad, or it may have taken too long; or somebody put the template back.
    bool has_cause_to_go_back(const json::object& set, const LiveRead& read) const override;
    bool asks_for_release(const SetWrite& write) const override;

    // Nothing if no PhasedRollout says how this step is taken.
    std::optional<Checked> of_step(const SetWrite& step) const;

  private:
    using Spec = api::phased_rollout::Spec;
    void settle(const std::string& who, bool is_written);
    bool is_known_to(const std::string& who, std::size_t call) const;
    Instant opened(const SetWrite& step, const json::object& rollout) const;
    void count(Checked& found, const SetWrite& step, const Spec& spec) const;

    const Inspection in_;
    // Of answers of Prometheus that an operator heard, by their number: whether a status was
    // written since, or the process died before it could write anything.
    std::map<std::size_t, bool> written_;
    // By UID: when spec or retry changed, and how many changes the world had seen by then.
    std::map<std::string, std::vector<std::pair<std::uint64_t, Instant>>> redefined_;
};

}  // namespace sluice::sim::phased_rollout
