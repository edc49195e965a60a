// The courses that rollouts of RolloutPlugins truly took: what people commanded, which pauses began
// and ended, and what became of the analyses.
#pragma once

#include "sim/promises/promise.hpp"

namespace sluice::sim::rollout_plugin {

struct Course {
    std::map<std::int64_t, Instant> began = {};    // pauses by their place
    std::set<std::int64_t> ended = {};             // those that a person ended
    std::map<std::string, std::string> runs = {};  // UIDs by step; in the background, by ""
    std::set<std::int64_t> passed = {};   // analyses that ended well and were deleted since
    bool is_full = false;                 // all pods, somebody said
    bool is_accepted = false;             // somebody went on though the background was inconclusive
    std::optional<Instant> aborted = {};  // when somebody said so
    std::int64_t first = 0;               // the place where it began, of a plugin outside
};

// It moves something else than a StatefulSet, through a plugin outside of the operator.
bool is_outside(const json::object& plugin);
// How many pods the weights mean that stand in front of a step; behind the last step, all.
std::int64_t pods_before(const json::object& plugin, std::int64_t place, std::int64_t replicas);
// The RolloutPlugin that steers a set, as a read before a step showed it; null: none.
const json::object* steerer_of(const LiveRead& read);
bool is_of_plugin(const json::object& run);
std::string owner_uid_of(const json::object& run);

class Courses final : public Observer {
  public:
    explicit Courses(const Inspection& inspection) : in_(inspection) {}

    void on_change(const Change& change) override;
    // A person aborted it, one of its runs ended badly, or its time is over; or somebody put the
    // template back.
    bool has_cause_to_go_back(const json::object& set, const LiveRead& read) const override;
    bool excuses_pods(const SetWrite& step) const override;

    // The rollout that the status speaks of.
    Course& reported(const json::object& plugin);
    // The one that is under way: a set says so, or, where there is none, the status. Null: none is.
    Course* under_way(const json::object& plugin, const json::object* set);
    Course of_step(const json::object& plugin, const SetWrite& step) const;
    // The RolloutPlugin that has a run; null if it is gone.
    const json::object* owner_of(const std::string& ns, const json::object& run) const;
    // The rollout that is under way and goes forth, if this is one of its runs.
    const Course* of_run(const std::string& ns, const json::object& run);
    // The first pause or analysis of a list of steps that is not over; else, their number.
    std::int64_t reached(const json::object& plugin, const Course& course,
                         std::int64_t first) const;

  private:
    void on_command(const Change& change);
    void on_run(const Change& change);
    bool is_over(const json::object& step, const Course& course, std::int64_t place) const;
    bool is_passed(const Course& course, std::int64_t place) const;
    std::string phase_of_run(const Course& course, const std::string& step) const;

    const Inspection in_;
    std::map<std::pair<std::string, std::string>, Course> courses_;  // by UID and rollout
    std::map<std::string, std::string> run_phases_;                  // by UID
    std::set<std::string> given_up_;  // UIDs of RolloutPlugins that a person or a run aborted
};

// What may be asked of plugins outside of the operator.
std::unique_ptr<Observer> outside_promise(const Inspection& inspection, Courses& courses);

}  // namespace sluice::sim::rollout_plugin
