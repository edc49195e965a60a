// Watches the true state of the cluster, never an operator's view of it, and writes down every
// promise that an operator breaks. The names are those of docs/simulation.md.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/actors/cluster.hpp"
#include "sim/world/egress.hpp"
#include "sim/world/operator_host.hpp"

namespace sluice::sim {

// A text that stands in Secrets only: wherever else it turns up, a secret has leaked.
inline const std::string canary = "CANARY-b41f7c";

// How many pods the weights mean that stand in front of a step of a RolloutPlugin.
std::int64_t pods_before(const json::object& plugin, std::int64_t place, std::int64_t replicas);

class Inspector {
  public:
    // `skew`: how far the clock of an operator may be off.
    Inspector(Cluster& cluster, const Egress& egress, Duration skew = Duration{0});

    // The ears of an operator's process.
    HostWitness witness();
    // Each with its promise, the time and what happened; empty if every promise was kept.
    const std::vector<std::string>& violations() const { return violations_; }
    // What operators have written since the world began, leases left out.
    int writes() const { return writes_; }
    // Times at which an operator closed a gate again.
    const std::vector<Instant>& corrections() const { return corrections_; }
    // Every promise that was put to the test at least once.
    const std::set<std::string>& tested() const { return tested_; }
    // What a plugin outside of the operator was asked for.
    void on_deed(const PluginDeed& deed);
    // The operator's store says what the API says.
    void compare_view(const OperatorHost& host);

  private:
    struct Seen {  // a workload as a quorum read showed it
        Instant at;
        ObjectPtr set;
        std::vector<ObjectPtr> pods;
        std::vector<ObjectPtr> rollouts;           // the PhasedRollouts of its namespace
        std::vector<ObjectPtr> plugins;            // the RolloutPlugins
        std::vector<ObjectPtr> runs;               // the AnalysisRuns
        std::map<std::string, Instant> redefined;  // PhasedRollouts, as redefined_
    };
    // What became of an answer of Prometheus that an operator heard.
    enum class Fate : std::uint8_t {
        Fresh,
        Told,  // a status was written since
        Lost,  // the process died before it could write anything
    };
    struct Record {  // what is known of one workload, by UID
        std::map<std::pair<std::string, std::int64_t>, bool> approved;  // revision, index
        std::set<std::int64_t> lowered_to;  // since somebody else last changed the spec
        std::int64_t rollout = -1;
        Instant rollout_since;           // when that one was first written down
        std::string list;                // of steps, in that rollout
        std::int64_t replicas_then = 0;  // when the gate was last lowered
        bool is_bypassed = false;        // by somebody else
        bool was_at_zero = false;
        std::string lease;
        std::int64_t fence = -1;
        std::pair<std::int64_t, std::int64_t> step;  // rollout and gate, as we remember them
        Instant step_since;                          // when step, revision or retry last changed
        std::int64_t first_place = 0;                // of the rollout, in the list of its steps
    };
    // What was seen of the commands, pauses and analyses of one rollout of a RolloutPlugin.
    struct Course {
        std::map<std::int64_t, Instant> began;         // pauses by their place
        std::set<std::int64_t> ended;                  // those that a person ended
        std::map<std::string, std::string> runs = {};  // UIDs by step; in the background, by ""
        std::set<std::int64_t> passed = {};  // analyses that ended well and were deleted since
        bool is_full = false;                // all pods, somebody said
        bool is_accepted = false;  // somebody went on though the background was inconclusive
        bool is_aborted = false;
        int first = 0;  // the place where it began, of a plugin outside
    };
    using Check = void (Inspector::*)(const Change& change, const Seen& seen, const Record& record);
    using Cause = bool (Inspector::*)(const Stored& set, const Seen& read) const;
    struct Steersman {
        std::string_view prefix;  // of its claims
        Check check;              // of a step that it takes
        Cause cause;              // to go back, whatever the operator says; null: it never does
        bool takes_many;          // pods in one step
        bool reports_elsewhere;   // than on the set
    };
    static const Steersman& steersman_of_claim(const std::string& claim);

    void on_change(const Change& change);
    void on_set(const Change& change);
    void on_own_write(const Change& change);
    void check_own_object(const Change& change);
    void check_own_deletion(const Change& change);
    void on_own_set_write(const Change& change, Record& record);
    bool moves_nobody(const Change& change, const Seen* seen, const Record& record) const;
    void on_lowered(const Change& change, Record& record);
    void on_stranger(const Change& change, Record& record);
    void on_new_pod(const Change& change);
    void check_fence(const Change& change, Record& record);
    bool is_on_its_way_back(const Stored& set, const Seen& read) const;
    void check_removal_is_fenced(const Stored& set, const std::string& pod);
    void check_fields(const Change& change);
    void check_read(const Change& change, const Seen* seen);
    void check_pods(const Change& change, const Seen& seen);
    void check_evidence(const Change& change, const Seen& seen, const Record& record);
    void check_completed(const Change& change);
    // inspector_rollouts.cpp
    void on_rollout(const Change& change);
    void note_step(const Change& change, Record& record);
    void check_checks(const Change& change, const Seen& seen, const Record& record);
    void check_release(const Change& change, const Seen* seen);
    void check_removal(const Change& change);
    bool is_stuck(const json::object& pod, const Seen& seen) const;
    void check_unsticking(const json::object& pod, const Seen& seen);
    void check_finalizer(const Change& change);
    bool has_bad_check(const Stored& set, const Seen& read) const;
    // inspector_runs.cpp
    void on_run(const Change& change);
    void check_own_run(const Change& change);
    void check_new_run(const Change& change);
    void check_reached(const Change& change, const Seen& seen, const json::object& plugin,
                       const Course& course);
    void check_cleared(const Change& change);
    const json::object* owner_of(const std::string& ns, const json::object& run) const;
    const Course* course_of_run(const std::string& ns, const json::object& run);
    bool is_passed(const Course& course, std::int64_t place) const;
    std::string phase_of_run(const Course& course, const std::string& step) const;
    void check_background(const Change& change, const Seen& seen, const Course& course);
    void check_own_job(const Change& change);
    // inspector_steps.cpp
    void on_plugin(const Change& change);
    void note_command(const Change& change);
    void check_steps(const Change& change, const Seen& seen, const Record& record);
    bool is_given_up(const Stored& set, const Seen& read) const;
    Course* course_of(const json::object& plugin, const json::object* set);
    Course& told_course(const json::object& plugin);
    // The first pause or analysis of a list of steps that is not over; else, their number.
    std::int64_t reached(const json::object& plugin, const Course& course,
                         std::int64_t first) const;
    bool is_over(const json::object& step, const Course& course, std::int64_t place) const;
    // inspector_outside.cpp
    static bool is_outside(const json::object& plugin);
    ObjectPtr outside_plugin(const std::string& ns, const std::string& workload) const;
    void check_deed_is_told(const PluginDeed& deed, const json::object& plugin);
    void settle(const std::string& who, Fate fate);
    bool is_known_to(const std::string& who, std::size_t call) const;
    void compare_objects(const OperatorHost& host);
    Seen look(const std::string& ns, const std::string& name) const;
    const Seen* last_read() const;
    void broken(const std::string& promise, const std::string& what);
    void held(const std::string& promise) { tested_.insert(promise); }

    Cluster& cluster_;
    const Egress& egress_;
    std::map<std::string, Record> records_;
    std::map<std::pair<std::string, std::string>, Seen> reads_;  // identity, "ns/name"
    std::string writer_;                                         // who is about to write
    std::string writer_patch_;
    std::string writer_key_;
    std::string object_writer_;                 // of a custom object
    std::string creator_;                       // the same
    std::string deleter_;                       // of a pod
    std::map<std::size_t, Fate> fates_;         // by number of the metric call
    std::map<std::string, Instant> redefined_;  // PhasedRollouts by UID: spec or retry changed
    std::map<std::pair<std::string, std::string>, Course> courses_;  // by UID and rollout
    std::map<std::string, std::string> run_phases_;                  // by UID
    std::set<std::string> given_up_;   // UIDs of RolloutPlugins that a person or a run aborted
    std::set<std::string> was_ready_;  // UIDs of pods that ever were
    Duration skew_;
    std::set<std::string> deleting_;  // UIDs of what operators said they would delete
    std::vector<std::string> violations_;
    std::vector<Instant> corrections_;
    std::set<std::string> tested_;
    int writes_ = 0;
};

}  // namespace sluice::sim
