// Jobs that an object of ours has run: how one is made of a template, and how whoever has it run
// comes to know what became of it: what it looks at and what it writes until there is an answer.
// Pure; the controller reads and writes.
//
// Promises: a Job is made without a look before it, and one that is there already is found by its
// name; only a Job that the owner controls is read or deleted, and this one by its UID; a refusal
// is a sentence about the Job, without a byte of its spec.
#pragma once

#include <array>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/fields.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::jobs {

// The object that controls a Job, and takes it along when it goes.
struct Owner {
    const model::Resource* resource;
    std::string ns;
    std::string name;
    std::string uid;
};

// As it stands among the owners of what it controls.
boost::json::object reference_to(const Owner& owner);

// What is to run. The texts are JSON objects; what is not reads as an empty one.
struct Order {
    std::string name;
    std::string labels = {};
    std::string annotations = {};
    std::string spec;  // of the Job
};

// The JSON of the Job.
std::string body_of(const Order& order, const Owner& owner);

// The containers of a template of such pods, which must be one that a Job takes.
std::vector<Fields> containers_in(const Fields& pod_template);
// The spec of a Job of these pods: one that fails is the failure of the Job, but where its
// containers are started anew.
boost::json::object spec_of(const std::string& pod_template);

// How far a Job has come, as whoever has it run writes it down.
enum class Stage : std::uint8_t {
    Planned,  // it must not be made yet
    Due,      // it may have been made
    Made,
    Succeeded,
    Failed,
};
inline constexpr std::array<std::string_view, 5> stages{"Planned", "Due", "Made", "Succeeded",
                                                        "Failed"};
inline std::string_view to_text(Stage stage) {
    return stages[static_cast<std::size_t>(stage)];
}
inline bool is_under_way(Stage stage) {
    return stage == Stage::Due || stage == Stage::Made;
}

struct JobSeen {
    enum class State : std::uint8_t {
        Running,
        Unknown,  // the API server could not say: it is asked again
        Succeeded,
        Failed,
        Stopped,
    };
    State state = State::Running;
    std::string message = {};
    friend bool operator==(const JobSeen&, const JobSeen&) = default;
};

// By its conditions.
JobSeen state_of(const model::CustomObject& job);

struct Refused {
    std::string why;  // a sentence
    std::optional<int> status =
        {};  // of HTTP, 0: no answer; nothing: it is somebody else's, or gone

    // Nobody can help it: there is no right to grant and no room to make.
    bool is_for_good() const;
};

// Nobody has granted it, and somebody can; a quota, or a policy, refuses with the same status.
bool lacks_right(const engine::Refusal& refusal);

// What is known of it; or what must be looked at; or what must be done.
using Step = std::variant<JobSeen, Refused, model::Ref, engine::Action>;

// One that could not be made or looked at is tried again.
inline constexpr Duration held_pace = 30s;
// So long a request to make one, of an operator that died, may still be on its way.
inline constexpr Duration still_on_its_way = 1min;

// What one look at a Job that is due or made leads to.
struct Next {
    Stage stage;
    std::string message = {};                  // why it has failed
    std::optional<Refused> held = {};          // why nobody knows, for now
    std::optional<model::Ref> wants = {};      // to be looked at first
    std::optional<engine::Action> makes = {};  // it is to be made
    std::optional<Instant> wake_at = {};       // to look again
    bool has_looked = false;                   // which is to be noted
    bool is_ours = true;                       // with Failed: otherwise there is none (any more)
};
// What is to be noted when Jobs were looked at.
engine::Evidence looked(Instant now);

// One Job of an owner, and what is seen of the world.
class Asked {
  public:
    // `right`: the role that whoever is not allowed to run Jobs lacks. All must outlive it.
    Asked(model::Ref job, const std::string& owner_uid, std::string_view right,
          const engine::Snapshot& seen)
        : job_(std::move(job)), owner_uid_(owner_uid), right_(right), seen_(seen) {}

    // It is made, or found if it was made before.
    Step run(const std::string& body) const;
    // It was made; one that is gone is Refused.
    Step look() const;
    // It is deleted, and its pods.
    Step stop() const;
    // From Due or Made on: it is made if it is not there, and looked at now and then, the more
    // seldom the longer it runs.
    Next next(Stage stage, const std::string& body, Instant started, Instant now) const;

  private:
    Next next_of_due(const std::string& body, Instant now) const;
    Next next_of_made(Instant started, Instant now) const;
    bool is_ours(const model::CustomObject& job) const { return job.owner_uid == owner_uid_; }
    Step what_is(const model::CustomObject& job) const;
    Refused refused(const engine::Refusal& refusal) const;

    const model::Ref job_;
    const std::string& owner_uid_;
    const std::string_view right_;
    const engine::Snapshot& seen_;
};

}  // namespace sluice::api::jobs
