// A workload, its pods and what was told about them, as a person is shown them: read from the
// JSON that the server sent. Reading is total; what is not of its type reads as nothing.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "model/custom_object.hpp"
#include "model/statefulset.hpp"

namespace sluice::api {

// "sts/web": what people call one.
std::string workload_title(std::string_view name);

struct Workload {
    model::StatefulSet set;
    Instant created;
    PodCount updated;                 // pods that run the update revision
    std::string selector;             // of its pods; empty: it cannot be read
    std::vector<std::string> images;  // of the template, in its order
};
Result<Workload> read_workload(const boost::json::object& object);

// Pods have to change, or the books of the last change are not closed.
bool is_pending(const Workload& workload);
// Where the gate stands, as a sentence without its end.
std::string gate_text(const Workload& workload);

struct PodView {
    std::string name;
    std::string owner_uid;
    std::optional<Ordinal> ordinal;
    std::string revision;
    std::vector<std::string> images;
    std::string state;  // as kubectl says it: Running, Pending, Terminating, CrashLoopBackOff
    bool ready = false;
    int restarts = 0;
    Instant created;
};
Result<PodView> read_pod(const boost::json::object& object);

struct EventView {
    Instant at;
    std::uint64_t version = 0;  // tells which of the same second was written later
    bool warns = false;
    std::string reason;
    std::string message;
    std::int64_t count = 1;
};
EventView read_event(const boost::json::object& object);

}  // namespace sluice::api
