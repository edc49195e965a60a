// Who steers a workload, where an API's rollouts are objects that name it: the object that holds it
// already, or else the oldest one; the others are told who does. A claim of another API is
// respected, and so is one that nobody knows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/decision.hpp"
#include "engine/report.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api {

// What an API says and does about claims.
struct Claims {
    std::string_view prefix;  // of its claims, with the slash
    std::string_view kind;    // of its objects, as people call them
    std::string_view mark;    // an annotation beside the claim that names the object; empty: none
    std::span<const engine::Command> commands;

    engine::Decision (*steer)(const engine::Snapshot& seen, const model::CustomObject& object,
                              Instant now);
    // The holder is being deleted.
    engine::Decision (*part)(const engine::Snapshot& seen, const model::CustomObject& object,
                             Instant now);
    // An object that does not steer what it names learns why.
    void (*inform)(engine::Decision& decision, const model::CustomObject& object,
                   const engine::Snapshot& seen, engine::Decision own, Instant now);
};

std::string claim_of(const Claims& claims, const model::CustomObject& object);
// Somebody else's claim, fit to be printed.
std::optional<std::string> foreign_claim(const Claims& claims, const model::StatefulSet& set);
// The object that the set says it is steered by.
std::string_view holder_name(const Claims& claims, const model::StatefulSet& set);
const model::CustomObject* holder_of(const Claims& claims, const engine::Snapshot& seen);

bool concerns(const Claims& claims, const model::StatefulSet& set,
              const std::vector<model::CustomObject>& objects);
engine::Decision decide(const Claims& claims, const engine::Snapshot& seen, Instant now);

// Nothing moves, and the object says why.
engine::Decision reporting(const Claims& claims, const engine::Snapshot& seen,
                           const model::CustomObject& object, engine::Phase phase,
                           engine::Reason reason, std::string message);

// The value of an annotation, or an empty text.
const std::string& annotation_of(const model::CustomObject& object, const std::string& name);

// An object of this kind, by its UID.
engine::Subject subject_of(const model::Resource& resource, const model::CustomObject& object);

// A write to an object of this UID, and to no namesake. `operations` is a JSON array.
engine::Action write_to(const engine::Subject& object, bool of_status, std::string_view operations);
// Puts the finalizer onto the object, or takes it away.
engine::Action add_finalizer(const model::Resource& resource, const model::CustomObject& object,
                             std::string_view finalizer);
engine::Action drop_finalizer(const model::Resource& resource, const model::CustomObject& object,
                              std::string_view finalizer);
// The write that the server has said no to: nothing was made or changed, and not just its answer
// was lost. Null: there is none. A patch that came too late is another matter.
const engine::Attempt* refused_write(const engine::Snapshot& seen);
// Replaces the status that was seen by this one; nothing if they are the same.
std::optional<engine::Action> status_write(const engine::Subject& subject,
                                           const model::CustomObject& object,
                                           const std::string& old, const std::string& status);
// The same of the status of an API, whose write_status() cuts: statuses that differ beyond the
// bounds only are the same.
template <class Status>
std::optional<engine::Action> status_write(const engine::Subject& subject,
                                           const model::CustomObject& object, const Status& old,
                                           const Status& status) {
    if (status == old) return std::nullopt;
    return status_write(subject, object, write_status(old), write_status(status));
}

}  // namespace sluice::api
