// One decision about one ExtendedStatefulSet, which is there and can be read. Which versions there
// are to be is in decide.cpp, which one serves and who follows it in serving.cpp, what is done for
// it in acting.cpp, what becomes of pods that read what has changed in restart.cpp, which Jobs run
// around an upgrade in upgrade_jobs.cpp, and what becomes of the analysis of its canaries in
// canary_analysis.cpp.
#pragma once

#include <string>
#include <vector>

#include "api/analysis/runs.hpp"
#include "api/claims.hpp"
#include "api/extended_stateful_set/compile.hpp"
#include "api/extended_stateful_set/config.hpp"
#include "api/extended_stateful_set/spec.hpp"
#include "api/extended_stateful_set/status.hpp"
#include "api/extended_stateful_set/versions.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"
#include "engine/steering.hpp"

namespace sluice::api::extended_stateful_set {

inline constexpr Duration looking_pace = 15s;   // until what could not be seen is looked at again
inline constexpr Duration refused_pace = 5min;  // until a change that was refused is tried again

// Where a pod is of whose name this is.
struct Slot {
    SetId set;
    int ordinal = 0;
};
std::optional<Slot> slot_of(std::string_view owner, const std::string& pod);

// Of all that cannot change while there are claims; empty: there are none to be.
std::string identity_of(const Spec& spec);

class Reconciliation {
  public:
    // `seen`: what is seen of the versions; `pods`: the same, with pods as Kubernetes knows them.
    // Both and the spec must outlive it.
    Reconciliation(const engine::Snapshot& seen, const engine::Snapshot& pods, const Spec& spec,
                   Instant now);

    engine::Decision decide() &&;

  private:
    void recover();
    void note_version();
    void keep_reach();
    void settle_at_zero();
    void turn_round();
    void serve(int version);
    void note_serving();
    const Version* wanted_back() const;
    PodCount whole(const Version& version) const;
    void go_back_at_once();
    bool serves_now() const;
    std::string service_problem() const;
    bool switch_services();
    bool is_selected(int version);
    std::optional<Instant> stays_until(int version) const;
    bool keeps_failed() const;
    bool tries_again() const;
    bool is_open() const;
    bool is_aborted() const;
    bool disturbs_nobody() const;
    std::vector<std::string> pod_names() const;
    std::optional<Instant> deadline() const;
    std::optional<PodIndex> old_pod() const;
    bool can_go_back() const;
    // Of a version that somebody does not want, and that cannot go: a sentence, and what unblocks
    // it.
    std::string why_unwanted_stays() const;
    std::string how_unwanted_goes() const;
    Circumstances circumstances() const;
    engine::Course course() const;
    void steer();
    // The StatefulSets that a version is to have, and how many pods one of them.
    std::vector<SetId> sets_of(int version) const;
    PodCount wanted(const SetId& id) const;
    void count_pods();
    engine::StatusReport report_on_pods() const;
    void report();
    bool is_busy() const;

    engine::Decision without_config();
    void hold_for_config();
    void note_config();
    bool lacks_mark() const;
    bool needs_restart(const Version& version) const;
    bool is_restarting() const;
    std::optional<std::string> unready_elsewhere(const Part& part) const;
    bool restarts_though_unready(const Version& version) const;
    RestartHolds restart_holds(const Part& part) const;
    bool is_restart_aborted() const;
    void restart();
    void restart(const Version& version, const Part& part);
    void begin_restart(const Version& version, const Part& part);
    void go_on_restarting(const Version& version, const Part& part);
    void hold_restart(engine::Phase phase, engine::Reason reason, std::string message);
    void note_condition();
    bool takes_restart();

    // Ordinals change hands: hand_over.cpp.
    struct Move {
        SetId id;
        const model::StatefulSet* set = nullptr;  // null: it is to be made
        Places to = {};
        bool takes = false;
    };
    struct Moving {
        std::optional<Move> to = {};
        std::string waits = {};                 // what the next one waits for
        std::vector<model::Ref> rests_on = {};  // to be looked at before it
    };
    Places wanted_places(const SetId& id) const;
    const Part* part_of(int version, int zone) const;
    bool is_ready(const Part& part, int ordinal) const;
    bool are_ready(const Part& part, const Places& places) const;
    int ready_to_stay(int of) const;
    bool is_last_ready(const Part& part, int ordinal) const;
    struct LastReady {
        Ordinal ordinal;
        std::string why_it_stays;
    };
    std::optional<LastReady> last_ready_in(const Part& part) const;
    bool is_vacant_below(int zone, int ordinal) const;
    std::string last_ready_stays() const;
    bool may_hand_up(const Part& part, int ordinal) const;
    bool may_hand_down(const Part& part, int ordinal) const;
    std::optional<Places> given_up(const Part& part) const;
    std::string pod_at(const SetId& id, int ordinal) const;
    std::vector<model::Ref> others_of(const SetId& id) const;
    std::optional<std::string> set_at(const SetId& id, int ordinal) const;
    std::optional<Places> taken(const SetId& id, const Part* part);
    void plan_hand_over();
    std::optional<engine::Action> fencing(const SetId& id) const;
    bool carry_out_move();

    // Jobs before and after an upgrade: upgrade_jobs.cpp.
    enum class Occasion : std::uint8_t { Before, After };
    std::optional<engine::JobSuccess> job_gate(Occasion when) const;
    const std::optional<UpgradeJob>& job_of(Occasion when) const {
        return when == Occasion::Before ? spec_.strategy.before : spec_.strategy.after;
    }
    JobStatus job_for(Occasion when) const;
    bool is_answered(const JobStatus& asked) const;
    void mind_jobs();
    JobStatus followed(JobStatus known, const JobStatus& asked, const UpgradeJob* wanted);
    std::optional<std::string> job_body(const std::string& job_name, const UpgradeJob& job);
    std::optional<std::string> pods_of(const UpgradeJob& job);
    void look_first(model::Ref object);
    void hold_for_job(std::string why);
    bool makes_job();
    model::Ref job_ref(const std::string& job) const {
        return {&model::jobs, object_.meta.key.ns, job};
    }

    // The analysis that judges the canaries: canary_analysis.cpp.
    std::optional<std::string> run_occasion() const;
    std::optional<std::string> analysed() const;
    std::string run_name(const std::string& occasion) const;
    const model::CustomObject* run_of(const std::string& occasion) const;
    void note_analysis();
    std::optional<engine::Analysis> analysis_gate() const;
    analysis::Making run_for(const analysis::AnalysisCall& call, const std::string& occasion) const;
    void mind_analysis();
    void hold_for_analysis(engine::Refused why);
    void try_run(engine::Action creation);
    bool makes_run();
    bool tends_runs();

    // Claims: claiming.cpp.
    struct WantedClaim {
        const ClaimTemplate* model;
        std::optional<int> zone;
        int ordinal;
        model::Ref ref;
    };
    void note_claims();
    void note_refusal();
    std::vector<WantedClaim> claims_of(int from, int to) const;
    int batch_end(int from, int to) const;
    bool look_at(const std::vector<WantedClaim>& wanted);
    const model::CustomObject* found(const WantedClaim& claim) const;
    std::string trouble_with(const WantedClaim& claim) const;
    void examine_claims();
    bool make_claims();
    bool delete_claims();
    std::vector<const model::Pod*> starting_pods() const;
    std::vector<WantedClaim> doubtful_claims();
    bool misses_claims();
    std::optional<engine::Action> adjusting(const std::vector<WantedClaim>& wanted);
    bool adjust_claims();
    void report_on_claims();

    // What versions were made from: revisions.cpp.
    model::Ref revision_ref(int version) const;
    bool is_kept(int version) const;
    void note_revision(int version);
    void make_set(const SetId& id, PodCount pods);
    bool is_revision_refused();
    bool keep_revision();
    bool trim_revisions();

    // References by which it owns what its pods read: owning_references.cpp.
    void note_references();
    void own_references();
    void report_on_references();

    void act();
    bool move_pods();
    bool make_or_scale(int version);
    bool make_or_scale(const SetId& id);
    bool waits_for_other_zones(const Part& part, PodCount pods) const;
    void begin_waiting();
    bool is_there(const std::string& set) const;
    // The write to a version that the server has said no to; null: there is none.
    const engine::Attempt* refused() const;
    bool mark_stale();
    bool delete_superseded();
    bool may_go(const Version& version) const;
    bool is_leaving(int version) const;
    bool waits_to_count();
    void write_status(bool is_urgent);
    void add_action(engine::Action action) { decision_.actions.push_back(std::move(action)); }
    void wake_at(Instant due) {
        decision_.wake_at = std::min(decision_.wake_at.value_or(due), due);
    }
    const std::string& fence() const { return seen_.environment.fence; }
    const std::string& name() const { return object_.meta.key.name; }
    engine::Subject subject() const { return subject_of(resource, object_); }

    const engine::Snapshot& seen_;
    const engine::Snapshot& pods_;
    const model::CustomObject& object_;
    const Spec& spec_;
    Instant now_;
    std::vector<Version> versions_;
    const Status old_;
    Status next_;
    const Config config_;
    engine::Decision decision_;
    std::optional<engine::Decision> restart_;  // of pods that are under way, or held
    Moving move_;
    std::optional<engine::Action> job_;  // that is to be made
    std::optional<engine::Action> run_;  // the same
    std::string trouble_;                // with claims
};

}  // namespace sluice::api::extended_stateful_set
