// Everything the world can tell the controller.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/probe.hpp"
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
// A quorum read of a StatefulSet, or of something else that has pods, of its pods, and of other
// objects. What was asked for and is not here does not exist: a set without a UID among them.
struct LiveObject {
    const model::Resource* resource;
    model::CustomObject object;
};
struct LiveWorkload {
    model::StatefulSet set;
    std::vector<model::Pod> pods;
    std::vector<LiveObject> objects;
    std::vector<model::StatefulSet> sets = {};  // of an object that owns some
};
struct WorkloadRead {
    Ticket ticket;
    Answer<LiveWorkload> answer;
};
// The object after the write; nothing if it was deleted, or is on its way out. No object of that
// UID is a 404 or a 409.
struct Written {
    Ticket ticket;
    Answer<std::optional<model::Object>> answer;
};
struct Answered {
    Ticket ticket;
    std::shared_ptr<const engine::Answer> answer;
};
struct PoliciesSeen {
    std::optional<bool> installed;          // nothing: could not be found out
    std::vector<std::string> missing = {};  // what is not there, or not as it should be
};
struct Leadership {
    bool leads = false;
    model::Fence fence;
};
struct Tick {};

using Input = std::variant<Tick, PageArrived, EventsArrived, WatchEnded, SessionFailed,
                           WorkloadRead, Written, Answered, PoliciesSeen, Leadership>;

}  // namespace sluice::controller
