// Everything the controller can ask of the world. Each effect with a ticket is answered by one
// input with the same ticket, unless it was cancelled.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

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
// The subject with its pods, if it is a StatefulSet, otherwise the pods that have this label, and
// these objects, by quorum reads.
struct ReadWorkload {
    Ticket ticket;
    model::Ref subject;
    std::vector<model::Ref> objects;
    std::string pods_by = {};  // "label=value"; empty: it has no pods
};
struct Write {
    Ticket ticket;
    engine::Action action;
};
struct Ask {
    Ticket ticket;
    std::string ns;  // where pods, Secrets and Jobs are
    std::shared_ptr<const engine::Question> question;
};
struct CancelQuestion {
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
    std::variant<StartList, StartWatch, StopWatch, ReadWorkload, Write, Ask, CancelQuestion,
                 PostEvent, SettingsTaken, CheckPolicies, RolloutEnded, Log>;

struct Effects {
    std::vector<Effect> list;
    std::optional<Instant> wake_at;  // send a Tick at this time, if nothing else comes before
};

}  // namespace sluice::controller
