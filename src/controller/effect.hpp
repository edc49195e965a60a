// Everything the controller can ask of the world. Each effect with a ticket is answered by one
// input with the same ticket, unless it was cancelled.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/pilot/hooks/hook.hpp"
#include "base/time.hpp"
#include "controller/input.hpp"
#include "engine/decision.hpp"
#include "engine/probe.hpp"
#include "engine/reason.hpp"
#include "model/object.hpp"
#include "runtime/watch_session.hpp"

namespace sluice::controller {

struct StartList {
    SessionId session;
    runtime::WatchScope scope;
    runtime::ListRequest request;
};
struct StartWatch {
    SessionId session;
    runtime::WatchScope scope;
    runtime::WatchRequest request;
};
struct StopWatch {
    SessionId session;
};
// The subject with its pods, if it is a StatefulSet, and these objects, by quorum reads.
struct ReadWorkload {
    Ticket ticket;
    model::Ref subject;
    std::vector<model::Ref> objects;
};
struct PatchWorkload {
    Ticket ticket;
    model::ObjectKey key;
    std::string json_patch;
};
struct PatchObject {
    Ticket ticket;
    model::Ref object;
    bool of_status;  // a patch of the status subresource
    std::string json_patch;
};
struct CreateObject {  // answered like a patch; one that is there already is a 409
    Ticket ticket;
    const model::Resource* resource;
    std::string ns;
    std::string body;
};
struct DeleteObject {
    Ticket ticket;
    model::Ref object;
    std::string uid;  // this object and no namesake
};
struct DeletePod {
    Ticket ticket;
    model::ObjectKey key;
    std::string uid;            // this pod and no namesake
    std::uint64_t version = 0;  // unless it has changed since; 0: even then
};
struct AskMetric {
    Ticket ticket;
    std::string ns;  // where the Secrets are
    engine::MetricQuery query;
};
struct AskHook {
    Ticket ticket;
    api::pilot::Transition transition;  // pods by name and UID; their bodies are fetched on the way
    std::shared_ptr<const api::pilot::HookCatalogue> hooks;
};
struct AskOwn {
    Ticket ticket;
    std::string ns;  // where Secrets and Jobs are
    std::shared_ptr<const engine::OwnQuestion> question;
};
struct CancelQuestion {  // of any kind
    Ticket ticket;
};
struct PostEvent {
    engine::Subject about;
    engine::Reason reason;
    std::string note;
    Instant at;
    std::string_view name = {};  // instead of the reason's
};
struct SettingsTaken {  // what was declared for an API is now this
    std::shared_ptr<const engine::OwnSettings> settings;
};
struct CheckPolicies {};
struct RolloutEnded {  // for metrics
    std::string api;
    std::string outcome;
    Duration took;
};
struct Log {
    enum class Level { Debug, Info, Warning, Error } level;
    std::string text;
    model::Ref about;  // without a name: nobody in particular
};

using Effect =
    std::variant<StartList, StartWatch, StopWatch, ReadWorkload, PatchWorkload, PatchObject,
                 CreateObject, DeleteObject, DeletePod, AskHook, AskMetric, AskOwn, CancelQuestion,
                 PostEvent, SettingsTaken, CheckPolicies, RolloutEnded, Log>;

struct Effects {
    std::vector<Effect> list;
    std::optional<Instant> wake_at;  // send a Tick at this time, if nothing else comes before
};

}  // namespace sluice::controller
