// One decision about one ExtendedJob, which is there and can be read. Which runs there are is in
// decide.cpp, what becomes of each in runs.cpp, what a person is told in report.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/claims.hpp"
#include "api/extended_job/output.hpp"
#include "api/extended_job/spec.hpp"
#include "api/extended_job/status.hpp"
#include "api/jobs/job.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::extended_job {

class Reconciliation {
  public:
    Reconciliation(const engine::Snapshot& seen, const Spec& spec, Instant now);

    engine::Decision decide() &&;

  private:
    // What an ended run leaves behind.
    enum class Leaves : std::uint8_t { Job, Nothing };
    // A run that cannot go on, and why.
    struct Held {
        engine::Reason reason;
        std::string why;
    };

    void begin_errand();
    void begin_for_pods();
    void forget_pods();
    std::vector<const model::CustomObject*> pods_in_state() const;
    bool is_handled(const model::CustomObject& pod) const;
    void begin(Run run);
    std::size_t active_for_pods() const;
    std::size_t places_to_leave();

    void follow_runs();
    void follow_planned(Run& run);
    void follow_job(Run& run);
    bool waits_for_output(const Run& run) const;
    void end_without_output(Run& run);
    void follow_outputs();
    const Run* next_to_ask(std::int64_t asked_last) const;
    void keep_output(Run& run, const OutputAnswer& answer);
    void forget_output(const OutputAnswer& answer);
    void hold_output(const Run& run, std::string why);
    std::optional<std::string> refusal_of_output() const;
    void end(Run& run, bool has_succeeded, std::string message, Leaves leaves = Leaves::Job);
    bool keeps_leaving(const Leaving& one);
    void clear_away();
    jobs::Asked asked(const std::string& job) const;

    void report();
    engine::StatusReport report_on_runs() const;
    engine::StatusReport report_on_last() const;
    void act();
    std::optional<engine::Action> next_act();
    void write_status(bool is_urgent);
    engine::Action strategy_patch() const;

    bool spec_asks_for(const Run& run) const {
        return run.stage == jobs::Stage::Planned && run.strategy == to_text(spec_.strategy) &&
               (spec_.strategy == Strategy::Now || spec_.strategy == Strategy::Once);
    }
    void want(model::Ref ref) { decision_.rests_on.push_back(std::move(ref)); }
    void wake_at(Instant due) {
        decision_.wake_at = std::min(decision_.wake_at.value_or(due), due);
    }
    model::Ref job_ref(const std::string& name) const {
        return {&model::jobs, object_.meta.key.ns, name};
    }
    const std::string& ns() const { return object_.meta.key.ns; }
    const std::string& name() const { return object_.meta.key.name; }
    engine::Subject subject() const { return subject_of(resource, object_); }

    const engine::Snapshot& seen_;
    const model::CustomObject& object_;
    const Spec& spec_;
    Instant now_;
    const Status old_;
    Status next_;
    engine::Decision decision_;
    std::vector<engine::Action> outputs_;  // to be written before the status says that it is over
    // Once the status says what it is to say.
    std::vector<engine::Action> next_acts_;
    std::vector<engine::Action> deletions_;
    std::vector<Held> held_;
    bool has_looked_ = false;
    bool is_full_ = false;   // more pods than are remembered
    bool is_stuck_ = false;  // Jobs that should be gone are in the way of others
};

void write_report(Status& status, const Status& old, const engine::StatusReport& report,
                  const engine::Snapshot& seen, Instant now);

}  // namespace sluice::api::extended_job
