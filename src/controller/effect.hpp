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
// The set, its pods and these objects of its namespace or of the cluster, by quorum reads. Under a
// synthetic key there is no set to ask for.
struct ReadWorkload {
    Ticket ticket;
    model::ObjectKey key;
    std::vector<engine::ObjectRef> objects;
};
struct PatchWorkload {
    Ticket ticket;
    model::ObjectKey key;
    std::string json_patch;
};
struct PatchObject {
    Ticket ticket;
    const model::CustomResource* resource;
    model::ObjectKey key;
    bool of_status;  // a patch of the status subresource
    std::string json_patch;
};
struct CreateObject {  // answered like a patch; one that is there already is a 409
    Ticket ticket;
    const model::CustomResource* resource;
    std::string ns;
    std::string body;
};
struct DeleteObject {
    Ticket ticket;
    const model::CustomResource* resource;
    model::ObjectKey key;
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
    const model::CustomResource* resource;  // of the object it is about; null: a StatefulSet
    model::ObjectKey key;
    std::string uid;
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
    model::ObjectKey about;                           // empty: nobody in particular
    const model::CustomResource* resource = nullptr;  // of `about`; null: a StatefulSet
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
