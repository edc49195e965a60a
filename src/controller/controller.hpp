// The outer machine: inputs in, effects out, no I/O and no clock. Production and simulator run this
// very object.
//
// Promises: a write that lets a pod go, and every deletion, is preceded by a quorum read after
// which the same decision was made again; a write whose outcome is unknown is followed by a read
// before any other; while it does not lead it writes nothing; a workload that fails delays no
// other, and neither does one that meets a defect of ours while it is decided about.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/registry.hpp"
#include "controller/effect.hpp"
#include "controller/input.hpp"
#include "runtime/event_memory.hpp"
#include "runtime/store.hpp"
#include "runtime/token_bucket.hpp"
#include "runtime/work_queue.hpp"

namespace sluice::controller {

struct Settings {
    std::vector<std::string> namespaces;  // empty: all
    std::string config_namespace = "sluice-system";
    std::vector<std::string> apis = {};  // which of the registry to serve; empty: all
    Duration hook_retry = 30s;
    std::string plugin_directory = {};  // where rollouts may name programs of their own
    // What was chosen when the operator was started (api::Choice).
    std::vector<bool engine::Environment::*> chosen = {};
    // Random bytes from the process, for what nobody may be able to guess.
    std::string fresh_key = {};
    double qps = 300;
    std::size_t namespace_bytes_max = 8u << 20;  // of our memory, for the objects of one namespace
    bool leads_at_once = true;                   // false: wait for Leadership
    bool survives_defects = false;  // an assertion that fails while deciding holds one workload
    std::uint64_t seed = 1;
};

// Numbers for metrics; only ever grow, except the gauges.
struct Counters {
    std::map<std::pair<std::string, engine::Reason>, std::uint64_t> decisions;  // by api and reason
    std::uint64_t workload_writes = 0;
    std::uint64_t object_writes = 0;  // to custom objects
    std::uint64_t objects_created = 0;
    std::uint64_t objects_deleted = 0;
    std::uint64_t pods_deleted = 0;
    std::map<engine::Reason, std::uint64_t> events;  // by what they tell
    std::uint64_t steps = 0;
    std::uint64_t defects = 0;  // of ours, met while deciding
    std::uint64_t conflicts = 0;
};

class Controller {
  public:
    // `apis` are those that it may serve; they must outlive it.
    explicit Controller(Settings settings, std::span<const api::Api> apis = api::apis());

    Effects step(Input input, Instant now);

    // Everything that is watched has been seen once.
    bool is_synced() const;
    // Why no workload anywhere can be served, for a person; empty if one can.
    std::string sync_problem() const;
    // What is watched and cannot be seen, for a person: a line each.
    std::vector<std::string> unseen() const;
    bool leads() const { return leads_; }
    // No write is on its way whose outcome we would not learn.
    bool is_quiet() const { return in_flight_ == 0; }
    // Take on no new work: the process is about to end.
    void drain() { draining_ = true; }

    const Counters& counters() const { return counters_; }
    const runtime::Store& store() const { return store_; }
    std::size_t queue_depth() const { return queue_.depth(); }
    Duration queue_age(Instant now) const { return queue_.oldest_age(now); }
    // Of lists and watches of resources of this form.
    int watch_restarts(model::Form form) const;
    std::map<engine::Phase, int> rollouts_by_phase() const;
    engine::Guarantee guarantee() const { return environment_.guarantee; }

  private:
    // An API that is served, and what is declared for it.
    struct ServedApi {
        const api::Api* api;
        std::shared_ptr<const engine::OwnSettings> settings = {};
        model::ObjectMeta settings_meta = {};  // of the ConfigMap
    };
    // An API that has to do with a workload, and its objects that name it.
    struct Candidate {
        const api::Api* api;
        std::vector<model::CustomObject> objects;
    };
    // What one reconcile led to: who steers, what was seen, what is to be done.
    struct Outcome {
        const api::Api* api;
        engine::Snapshot seen;
        engine::Decision decision;
    };
    static engine::Subject subject_of(const model::ObjectMeta& workload) {
        return {ref_to(model::statefulsets, workload.key), workload.uid};
    }

    // What a decision wanted to read before it could be made. It lasts for one reconcile: until
    // something is written, asked or given up.
    struct Search {
        std::vector<model::Ref> wanted;
        std::vector<engine::Fetched> found;  // by the last read
        int rounds = 0;
        bool is_read_alone = false;  // without the subject
    };

    // What is under way for one workload. Nothing in here must survive a crash.
    struct Case {
        // What cannot be taken back, and is done only if the read leads to it again.
        std::unique_ptr<engine::Action> intended;
        std::unique_ptr<engine::Decision> writing;  // what the write carries out
        Ticket asking = 0;
        std::unique_ptr<engine::Probe> asked;
        engine::AllEvidence evidence;
        std::unique_ptr<Search> search;
        std::unique_ptr<engine::Attempt> attempt;         // the last one; as long as the search
        std::unique_ptr<engine::CheckProgress> progress;  // what the status will say, if not yet
        std::optional<Instant> contested_until;           // our last write came back changed
        std::optional<Instant> overtaken_since;           // it carries the fence of a later leader
        int conflicts = 0;                                // in a row
        bool must_read = false;                           // the cache is known to be behind
        std::string_view api;                             // that steers it
        engine::Phase phase = engine::Phase::Idle;
        std::optional<engine::Reason> reason;  // of the last decision
        Instant reason_since;
    };

    void on(Tick&&, Instant now);
    void on(PageArrived&& input, Instant now);
    void on(EventsArrived&& input, Instant now);
    void on(WatchEnded&& input, Instant now);
    void on(SessionFailed&& input, Instant now);
    void on(WorkloadRead&& input, Instant now);
    void on(Written&& input, Instant now);
    void on(Answered&& input, Instant now);
    void on(PoliciesSeen&& input, Instant now);
    void on(Leadership&& input, Instant now);

    void tell_guarantee(engine::Guarantee seen, const std::vector<std::string>& missing);
    void absorb(SessionId session, const runtime::Seen& seen, Instant now);
    // What these objects mind is watched from now on.
    void rouse_neighbours(const runtime::WatchScope& scope, const runtime::Seen& seen);
    const ServedApi& served_as(std::string_view api) const;
    // Those that have changed.
    void take_settings();
    void queue(const runtime::Touched& touched, Instant now);
    // Those of this namespace; empty: all.
    void queue_all(const std::string& ns, Instant now);
    // Whether everything that the API needs there has been seen.
    bool serves(const api::Api& api, const std::string& ns) const;
    // Nothing that is about this namespace is still about to be seen.
    bool is_settled(const std::string& ns) const;
    void run_sessions(Instant now);
    // What an API watches because its objects name it is looked at where they do.
    bool has_room_for_named() const;
    void look_for_named(const Candidate& candidate, const std::string& ns);
    const runtime::WatchSession* session_of(const model::Resource* resource,
                                            const std::string& ns) const;
    std::vector<engine::NamedObject> named_by(const Candidate& candidate) const;
    void run_queue(Instant now);
    void reconcile(const model::Ref& subject, Instant now);
    bool is_left_out(const model::Ref& subject, Instant now);
    bool has_left_out(const model::Ref& subject) const;
    std::vector<Candidate> candidates_for(const model::Ref& subject,
                                          const model::StatefulSet& set) const;
    // The set that is the subject, as it is known; without a UID if there is none.
    model::StatefulSet known_set(const model::Ref& subject) const;
    // Those of this API that are about the subject, as they are known.
    std::vector<model::CustomObject> objects_about(const model::Ref& subject,
                                                   const api::Api& api) const;
    // Of all that its objects control and that it watches: those that are of this type.
    std::vector<model::CustomObject> naming(const model::Ref& subject, const api::Api& api) const;
    template <class Kind>
    std::vector<Kind> owned_by(const Candidate& candidate, model::Form form) const;
    std::vector<model::CustomObject> neighbours_of(const Candidate& candidate) const;
    std::vector<model::Pod> pods_of(const model::Ref& subject, const model::StatefulSet& set,
                                    const Candidate& candidate) const;
    std::string label_of_pods(const model::Ref& subject) const;
    engine::Snapshot snapshot(const model::Ref& subject, Candidate candidate,
                              model::StatefulSet set, std::vector<model::Pod> pods,
                              const Case& about) const;
    // What the first of those concerned decides, and what the others tell their own objects.
    // Nothing if there is no telling: then the workload is held.
    std::optional<Outcome> decided(const model::Ref& subject, std::vector<Candidate> candidates,
                                   model::StatefulSet set, std::vector<model::Pod> pods,
                                   Instant now);
    std::optional<Outcome> decided_by(const model::Ref& subject, Candidate candidate,
                                      model::StatefulSet set, std::vector<model::Pod> pods,
                                      const Case& about, Instant now);
    void tell_of_defect(const api::Api& api, const engine::Subject& subject,
                        const std::string& defect, Instant now);
    void add_bystanders(Outcome& outcome, std::vector<Candidate> others, Instant now);
    void carry_out(const api::Api& api, const engine::Snapshot& seen, engine::Decision decision,
                   bool is_live, Instant now);
    bool is_overtaken(const engine::Snapshot& seen, const engine::Decision& decision, Instant now);
    void remember(const api::Api& api, const engine::Snapshot& seen,
                  const engine::Decision& decision, Instant now);
    void write(const model::Ref& subject, engine::Decision decision);
    // Does what follows on the action that is through; false: nothing does.
    bool writes_on(const model::Ref& subject, engine::Decision& written);
    void seek(const engine::Snapshot& seen, const engine::Decision& decision, Instant now);
    void see_wanted(const model::Ref& subject, Answer<LiveWorkload> answer, Instant now);
    // `first`: what is to be done then, if it is to be confirmed, or what it writes to is in doubt.
    void read(const model::Ref& subject, const std::string& claim,
              const engine::Action* first = nullptr);
    void read_live(const engine::Snapshot& seen, const engine::Action* first = nullptr);
    Ticket issue(const model::Ref& subject, double cost);
    // Whom the answer to a request is about; nothing if nobody waits for it.
    std::optional<model::Ref> take_ticket(Ticket ticket);
    void stop_asking(Case& about);
    static void keep(Case& about, engine::Evidence evidence);
    // Whether this very question is under way.
    static bool is_asking(const Case& about, const engine::Probe& probe);
    void ask(const engine::Snapshot& seen, const std::optional<engine::Probe>& probe);
    void tell(const engine::Subject& subject, const std::vector<engine::Notice>& notices,
              Instant now);
    bool is_contested(const model::Ref& subject, const engine::Action& action,
                      const std::optional<model::Object>& answer, Instant now);
    // The decision that was written, now that the answer is there.
    engine::Decision take_written(const model::Ref& subject);
    void count(const Case& about, const engine::Decision& written);
    void request_failed(const model::Ref& subject, const runtime::RequestFailure& failure,
                        Instant now);
    // A reconcile that came to nothing: nobody to decide for.
    void finish(const model::Ref& subject, Instant now);
    // One that is to be begun anew, after a while.
    void retry_later(const model::Ref& subject, Instant now, Duration at_least = Duration{0});
    static void note_reason(Case& about, engine::Phase phase, engine::Reason reason, Instant now);
    void drop_case(const model::Ref& subject);
    void log(Log::Level level, std::string text, model::Ref about = {});
    std::optional<Instant> next_wake(Instant now) const;

    Settings settings_;
    engine::Environment environment_;
    std::vector<ServedApi> apis_;
    std::vector<runtime::WatchSession> sessions_;
    runtime::Store store_;
    runtime::WorkQueue queue_;
    runtime::TokenBucket bucket_;
    runtime::EventMemory told_;
    std::map<model::Ref, Case> cases_;
    std::map<Ticket, model::Ref> tickets_;
    Ticket last_ticket_ = 0;
    std::size_t in_flight_ = 0;
    bool leads_;
    bool draining_ = false;
    bool all_synced_ = false;  // as the sessions were last
    bool guarantee_known_ = false;
    bool policies_answered_ = false;  // the first check is over, however it went
    std::vector<std::string> policies_missing_;
    model::Fence fence_;
    Instant policies_due_;
    Counters counters_;
    Effects effects_;
};

}  // namespace sluice::controller
