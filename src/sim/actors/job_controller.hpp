// Runs Jobs: enough pods at a time until enough have succeeded, or until too many have failed or
// the deadline is over. A finished Job goes away after ttlSecondsAfterFinished.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/actors/kinship.hpp"
#include "sim/actors/turns.hpp"

namespace sluice::sim {

class JobController {
  public:
    JobController(Surroundings at, const Kinship& kinship);
    void on_change(const Change& change);

  private:
    // What the status does not tell: which pods are counted in it.
    struct Counted {
        std::set<std::string> uids = {};
        Instant last_failure = {};
    };
    struct Tally {
        std::vector<ObjectPtr> active = {};
        std::int64_t ready = 0, succeeded = 0, failed = 0;
    };
    struct Verdict {
        std::string_view type;  // Complete or Failed
        std::string_view reason;
        std::string_view message;
    };

    bool turn(const Key& key);
    bool go_on(const Key& key, const json::object& job, Tally& tally);
    Tally tally(const json::object& job, Counted& counted);
    std::optional<Verdict> verdict(const json::object& job, const Tally& tally) const;
    bool create_pods(const Key& key, const json::object& job, std::int64_t count,
                     const Tally& tally);
    bool remove_pods(const std::vector<ObjectPtr>& pods, std::size_t count);
    bool write_status(const json::object& job, const Tally& tally,
                      const std::optional<Verdict>& verdict);
    void expire(const Key& key, const json::object& job);

    Surroundings at_;
    const Kinship& kinship_;
    std::map<std::string, Counted> counted_;  // by the Job's UID
    Turns turns_;
};

}  // namespace sluice::sim
