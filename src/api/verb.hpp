// What people ask of a rollout, and what an API says about one. The types that every API's folder
// fills in and that nobody needs a kind's name to read. A refusal is a sentence, never a change.
#pragma once

#include <fmt/format.h>

#include <array>
#include <boost/json/object.hpp>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/status_head.hpp"
#include "api/workload.hpp"
#include "base/time.hpp"
#include "model/custom_object.hpp"

namespace sluice::api {

enum class Verb : std::uint8_t { Promote, PromoteFull, Pause, Resume, Abort, Retry, Undo };

// Something that is steered, as the server told us of it.
struct Steered {
    std::string title;  // "statefulset/web": what people call it
    // The API's own object; where it has none, the names and annotations of the workload.
    model::CustomObject object;
    std::optional<Workload> workload;  // nothing: it is not there, or of a kind that we do not read
    std::vector<model::CustomObject> history = {};  // what its API keeps of earlier templates
    std::string revision = {};  // of these the one that a person named; empty: none
};

// How a person should take it.
enum class Mood : std::uint8_t { Resting, Moving, Stuck };

struct Standing {
    std::string workload;  // "statefulset/web"
    Mood mood = Mood::Moving;
    std::string phase;  // empty: nobody has reported on it yet
    std::string step;   // "1/3 pods", "2/5"; empty: none
    std::string reason;
    std::string message;
    std::string unblock;
    Instant since;  // Instant{}: not known
};

// One more line of an explanation: "check", "2 of 3 passes in a row".
struct Fact {
    std::string name;
    std::string text;
    friend bool operator==(const Fact&, const Fact&) = default;
};

enum class Place : std::uint8_t { Object, Status, Workload };
// A merge patch. Whoever sends it adds the UID and the version that it was decided upon.
struct Write {
    Place place = Place::Object;
    boost::json::object fields;
    friend bool operator==(const Write&, const Write&) = default;
};
struct Change {
    std::vector<Write> writes;  // in this order; almost always one
    std::string done;           // what was done and what happens next, as a sentence
};
struct Refusal {
    std::string why;  // a sentence
};
using Reply = std::expected<Change, Refusal>;

template <class... Args>
std::unexpected<Refusal> decline(fmt::format_string<Args...> why, Args&&... args) {
    return std::unexpected(Refusal{fmt::format(why, std::forward<Args>(args)...)});
}

using Reaction = Reply (*)(const Steered& steered, Instant now);
inline constexpr std::size_t verbs_count = 7;

// Where an API keeps earlier templates: objects with a label that names the one they are of.
struct History {
    const model::Resource* resource = nullptr;  // null: it keeps none
    std::string_view label = {};
};

// How to speak about the rollouts of an API.
struct Dialect {
    std::string_view api;
    const model::Resource* resource;             // what its rollouts are kept in
    std::span<const std::string_view> names;     // what people call one; the first is shown
    bool (*is_steered)(const Steered& steered);  // is it a rollout of this API at all?
    // The name of its workload, where that is one that we read; empty: none.
    std::string (*workload_of)(const model::CustomObject& object);
    Standing (*standing)(const Steered& steered);
    std::vector<Fact> (*facts)(const Steered& steered, Instant now);
    std::array<Reaction, verbs_count> replies;  // in the order of Verb
    std::string_view label = {};                // by which a workload asks for it; empty: by none
    History history = {};
};

// How a person should take a reason of the engine; a word that is none of its reasons is no
// trouble.
Mood mood_of(std::string_view reason);

// As the head of a status says it.
Standing standing_of(const StatusHead& status);

// How old something is, in whole seconds: "3h7m", "12s", "0s".
std::string age_text(Duration age);
// "12s ago", or an empty text where the time is not known.
std::string ago_text(Instant at, Instant now);

// "2/3 pods" of the workload; empty if there is none.
std::string pods_text(const Steered& steered);

// For APIs whose workload keeps earlier templates itself; `workload` is the name of a StatefulSet,
// or empty.
Reply undo_elsewhere(const Steered& steered, const std::string& workload);
template <std::string (*workload_of)(const model::CustomObject&)>
Reply undo_by(const Steered& steered, Instant) {
    return undo_elsewhere(steered, workload_of(steered.object));
}

// For APIs that people command through annotations: on the object, or on the workload.
namespace annotated {
bool is_paused(const Steered& steered);
Reply pause(const Steered& steered, const Standing& standing);
Reply resume(const Steered& steered, const Standing& standing);
Reply retry(const Steered& steered, const Standing& standing, Instant now);
// Ends the pause of a step, at which it is.
Reply promote(const Steered& steered, Instant now);

// The same for a table of reactions; `standing` is that of the API.
template <Standing (*standing)(const Steered&)>
Reply pause_by(const Steered& steered, Instant) {
    return pause(steered, standing(steered));
}
template <Standing (*standing)(const Steered&)>
Reply resume_by(const Steered& steered, Instant) {
    return resume(steered, standing(steered));
}
template <Standing (*standing)(const Steered&)>
Reply retry_by(const Steered& steered, Instant now) {
    return retry(steered, standing(steered), now);
}
}  // namespace annotated

}  // namespace sluice::api
