// Plays a scenario with many disturbances, each only from where it begins: until then all runs are
// the same one, of which a copy is made there. What comes of it is what sim::play_each gives.
#pragma once

#include <unistd.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "sim/scenario/explore.hpp"
#include "tests/process_copy.hpp"

namespace sluice::testing {

namespace json = boost::json;

class Branches {
  public:
    explicit Branches(const std::vector<sim::Disturbance>& all)
        : all_(all),
          is_begun_(all.size()),
          outcomes_(all.size(), {.problems = {"it never began"}, .tested = {}}) {}

    std::vector<sim::Outcome> play(const sim::Scenario& scenario, std::uint64_t seed) {
        const sim::Outcome trunk =
            sim::play(scenario, seed, [this](sim::Moment moment) { return turn(moment); });
        if (here_) {
            here_->tell(text_of(trunk));
            ::_exit(0);  // what is on the stack of the original is not ours to take down
        }
        return std::move(outcomes_);
    }

  private:
    // Null in the original. A copy plays the disturbance that it was made for, and no other.
    const sim::Disturbance* turn(sim::Moment moment) {
        for (std::size_t i = 0; i < all_.size(); ++i) {
            if (is_begun_[i] || !all_[i].begins_at(moment)) continue;
            is_begun_[i] = true;
            const ProcessCopy copy;
            if (copy.is_copy()) {
                here_ = copy;
                return &all_[i];
            }
            outcomes_[i] = outcome_of(copy.end());
        }
        return nullptr;
    }

    static std::string text_of(const sim::Outcome& one) {
        return json::serialize(json::object{{"problems", json::value_from(one.problems)},
                                            {"tested", json::value_from(one.tested)},
                                            {"injected", one.injected},
                                            {"simulated", one.simulated.count()}});
    }

    static sim::Outcome outcome_of(const ProcessCopy::End& end) {
        if (end.status != 0) return {.problems = {"the process that played it died"}, .tested = {}};
        const json::value told = json::parse(end.text);
        return {.problems = json::value_to<std::vector<std::string>>(told.at("problems")),
                .tested = json::value_to<std::set<std::string>>(told.at("tested")),
                .injected = told.at("injected").to_number<int>(),
                .simulated = Duration{told.at("simulated").to_number<Duration::rep>()}};
    }

    const std::vector<sim::Disturbance>& all_;
    std::vector<bool> is_begun_;
    std::vector<sim::Outcome> outcomes_;
    std::optional<ProcessCopy> here_;  // in a copy
};

inline std::vector<sim::Outcome> play_branches(const sim::Scenario& scenario, std::uint64_t seed,
                                               const std::vector<sim::Disturbance>& all) {
    return Branches{all}.play(scenario, seed);
}

}  // namespace sluice::testing
