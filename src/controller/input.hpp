// Everything the world can tell the controller.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/decode.hpp"
#include "model/lease.hpp"
#include "runtime/watch_session.hpp"

namespace sluice::controller {

using Ticket = std::uint64_t;  // names one effect that will be answered
using SessionId = std::size_t;

template <class T>
using Answer = std::expected<T, runtime::RequestFailure>;

struct PageArrived {
    SessionId session;
    model::ListPage page;
};
struct EventsArrived {
    SessionId session;
    std::vector<model::WatchEvent> events;
};
struct WatchEnded {
    SessionId session;
};
struct SessionFailed {
    SessionId session;
    runtime::RequestFailure failure;
};
// A quorum read of a StatefulSet and its pods.
struct LiveWorkload {
    model::StatefulSet set;
    std::vector<model::Pod> pods;
};
struct WorkloadRead {
    Ticket ticket;
    Answer<LiveWorkload> answer;
};
struct WorkloadPatched {
    Ticket ticket;
    Answer<model::StatefulSet> answer;
};
struct HookAnswered {
    Ticket ticket;
    bool allowed = false;
    std::string message;
};
struct PoliciesSeen {
    std::optional<bool> installed;  // nothing: could not be found out
};
struct Leadership {
    bool leads = false;
    model::Fence fence;
};
struct Tick {};

using Input = std::variant<Tick, PageArrived, EventsArrived, WatchEnded, SessionFailed,
                           WorkloadRead, WorkloadPatched, HookAnswered, PoliciesSeen, Leadership>;

}  // namespace sluice::controller
