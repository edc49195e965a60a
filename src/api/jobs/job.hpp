// Jobs that an object of ours has run: how one is made of a template, and how whoever has it run
// comes to know what became of it: what it looks at and what it writes until there is an answer.
// Pure; the controller reads and writes.
//
// Promises: a Job is made without a look before it, and one that is there already is found by its
// name; only a Job that the owner controls is read or deleted, and this one by its UID; a refusal
// is a sentence about the Job, without a byte of its spec.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

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
};

// What is known of it; or what must be looked at; or what must be done.
using Step = std::variant<JobSeen, Refused, model::Ref, engine::Action>;

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

  private:
    bool is_ours(const model::CustomObject& job) const { return job.owner_uid == owner_uid_; }
    Step what_is(const model::CustomObject& job) const;
    Refused refused(const engine::Refusal& refusal) const;

    const model::Ref job_;
    const std::string& owner_uid_;
    const std::string_view right_;
    const engine::Snapshot& seen_;
};

}  // namespace sluice::api::jobs
