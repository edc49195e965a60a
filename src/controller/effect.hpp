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
struct ReadWorkload {
    Ticket ticket;
    model::ObjectKey key;
};
struct PatchWorkload {
    Ticket ticket;
    model::ObjectKey key;
    std::string json_patch;
};
struct AskHook {
    Ticket ticket;
    api::pilot::Transition transition;  // pods by name and UID; their bodies are fetched on the way
    std::shared_ptr<const api::pilot::HookCatalogue> hooks;
};
struct CancelHook {
    Ticket ticket;
};
struct PostEvent {
    model::ObjectKey key;
    std::string uid;
    engine::Reason reason;
    std::string note;
    Instant at;
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
    model::ObjectKey about;  // empty: nobody in particular
};

using Effect = std::variant<StartList, StartWatch, StopWatch, ReadWorkload, PatchWorkload, AskHook,
                            CancelHook, PostEvent, CheckPolicies, RolloutEnded, Log>;

struct Effects {
    std::vector<Effect> list;
    std::optional<Instant> wake_at;  // send a Tick at this time, if nothing else comes before
};

}  // namespace sluice::controller
