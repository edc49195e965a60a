// What APIs share whose objects own what they steer: there is no workload but the object itself,
// and its status is both the report and the memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/claims.hpp"
#include "api/condition.hpp"
#include "api/status_parts.hpp"
#include "api/verb.hpp"
#include "base/field_error.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api {

// While more is to come, what follows from the pods by itself is not written more often than this.
inline constexpr Duration counting_pace = 10s;

// Texts that are too long are cut: what differs beyond that is no difference.
template <class Status>
bool says_the_same(const Status& one, const Status& other) {
    return one == other || write_status(one) == write_status(other);
}

// The object as a workload, for gates and sentences. `rollout`: what the engine remembers.
void stand_for_workload(engine::Snapshot& seen, const std::string& rollout);

// The head of a status; `old` is the one before.
void put_report(StatusHead& status, const StatusHead& old, const engine::StatusReport& report,
                std::string_view phase, const engine::Snapshot& seen, Instant now);

// The conditions Ready and Progressing, with the words of the head.
std::vector<Condition> ready_and_progressing(const StatusHead& head, bool is_ready, bool is_moving,
                                             std::vector<Condition> old, Instant now);

// For dialects: each of their objects is a rollout, whose pods are its own.
bool is_always_steered(const Steered& steered);
std::string no_workload(const model::CustomObject& object);
// Where gates stand in spec.updateStrategy.gates.
Reply promote_past_gates(const Steered& steered, Instant now);

// What is asked for cannot be understood: nothing changes until it is put right. `write_report` of
// the API puts the report into its status.
template <class Status, class WriteReport>
engine::Decision refuse_spec(const model::Resource& resource, const engine::Snapshot& seen,
                             const FieldErrors& errors, const Status& old, Instant now,
                             WriteReport write_report) {
    using engine::Reason;
    const model::CustomObject& object = seen.objects.front();
    engine::Decision decision;
    decision.subject = subject_of(resource, object);
    decision.report = {engine::Phase::Blocked, Reason::InvalidSpec, to_text(errors),
                       std::string{engine::entry(Reason::InvalidSpec).unblock}};
    decision.notices.push_back({Reason::InvalidSpec, decision.report.message});
    Status status = old;
    write_report(status, old, decision.report, seen, now);
    if (auto write = status_write(*decision.subject, object, old, status))
        decision.actions.push_back(std::move(*write));
    return decision;
}

}  // namespace sluice::api
