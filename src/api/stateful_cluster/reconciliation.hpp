// One decision about one cluster, which is there and can be read. Who the members are to be is in
// decide.cpp, what is done for it in acting.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/claims.hpp"
#include "api/stateful_cluster/compile.hpp"
#include "api/stateful_cluster/members.hpp"
#include "api/stateful_cluster/spec.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"
#include "engine/steering.hpp"

namespace sluice::api::stateful_cluster {

class Reconciliation {
  public:
    Reconciliation(const engine::Snapshot& seen, const Spec& spec, Instant now);

    engine::Decision decide() &&;

  private:
    void note_revision();
    engine::Course course() const;
    Circumstances circumstances() const;
    bool disturbs_nobody() const;
    void settle_at_zero();
    void steer();
    void note_gates();
    void find_in_place();
    std::optional<Instant> volumes_due(const Member& member) const;
    void find_lost_volumes();
    void tend_members();
    void report();
    bool is_busy() const;
    bool is_open() const;
    void act();
    void write_status(bool is_urgent);
    bool delete_leaver();
    bool delete_claims();
    bool stays_for_good(const engine::Subject& claim);
    bool update_in_place();
    bool make_members();
    bool trim_revisions();
    std::optional<std::string> template_of(const std::string& revision);
    bool retry_refused();
    std::vector<engine::Action> makings_of(const Member& member,
                                           const std::string& pod_template) const;
    engine::Subject subject() const { return subject_of(resource, object_); }

    const engine::Snapshot& seen_;
    const model::CustomObject& object_;
    const Spec& spec_;
    Instant now_;
    View view_;
    std::string refused_update_;  // the pod whose change the server would not take; empty: none
    const Status old_;
    Status next_;
    std::string revision_;  // of the template as it is now
    engine::Decision decision_;
    std::optional<engine::StatusReport> held_;
};

}  // namespace sluice::api::stateful_cluster
