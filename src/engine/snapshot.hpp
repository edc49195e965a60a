// One look at the world, as values: everything a decision may use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "engine/decision.hpp"
#include "engine/probe.hpp"
#include "engine/progress.hpp"
#include "engine/reason.hpp"
#include "model/custom_object.hpp"
#include "model/pod.hpp"
#include "model/statefulset.hpp"

namespace sluice::engine {

// Prevent: admission policies keep others from opening the gate. Detect: we see it and close it.
enum class Guarantee : std::uint8_t { Detect, Prevent };

// Settings and facts that hold for all workloads.
struct Environment {
    Duration hook_retry = 30s;
    Guarantee guarantee = Guarantee::Detect;
    std::string plugin_directory =
        {};                       // where rollouts may name programs of their own; empty: none
    bool passes_on_data = false;  // checks that do not say which answer passes
    // Objects that others name are not marked as owned by them.
    bool marks_no_owners = false;
    std::string fence = {};      // of the leader that we are; empty: nobody else can lead
    std::string home = {};       // the operator's own namespace
    std::string fresh_key = {};  // random bytes that nobody has ever seen
};

// Why a request came to nothing: the HTTP status, 0 if there was no answer, and the server's words.
struct Refusal {
    int status = 0;
    std::string why;
    bool unreadable = false;  // there was an answer, and it could not be understood

    // It was refused for good, and not for having come too late or at a bad time.
    bool is_final() const {
        return status >= 400 && status < 500 && status != 404 && status != 408 && status != 409 &&
               status != 429;
    }
};
struct Fetched {
    model::Ref ref;
    std::optional<model::CustomObject> object;
    std::optional<Refusal> refusal = {};  // it could not be looked at
};
// What an object in `objects` names, and is watched for that.
struct NamedObject {
    model::Ref ref;
    std::optional<model::ObjectMeta> meta = {};  // nothing: it is not there
    std::string owners = {};                     // a JSON list, as of Form::Content
    bool is_seen = false;                        // false: nobody has looked yet
    std::string problem = {};                    // why nobody can
};
// What became of the last write to an object that nobody watches, or of one to anything but the
// subject that was refused.
struct Attempt {
    Action::Verb verb;
    model::Ref ref;
    std::optional<model::CustomObject> object = {};  // as it is now, if it was not deleted
    std::optional<Refusal> refusal = {};
};

struct Snapshot {
    model::Ref subject;            // what is decided about
    model::StatefulSet workload;   // the subject if it is one, and there
    std::vector<model::Pod> pods;  // controlled by the workload, or by `sets`, in no order
    std::vector<model::CustomObject> objects;  // of the API that looks, naming it, oldest first
    AllEvidence evidence;                      // what the last probes brought
    std::optional<CheckProgress> progress;     // what the API remembers of the checks
    std::vector<model::CustomObject> owned;  // by an object in `objects`, that the API watches, too
    std::vector<model::StatefulSet> sets;    // the same
    // Of other resources that the API watches, and that name the subject; oldest first.
    std::vector<model::CustomObject> naming;
    // Objects of its namespace that the API watches because one in `objects` minds them.
    std::vector<model::CustomObject> neighbours;
    std::vector<NamedObject> named = {};
    std::vector<model::Pod> strays;  // that look like its pods, and none of `sets` has them
    // What a decision wanted to look at: each with its object, or without one if there is none.
    std::vector<Fetched> fetched;
    std::optional<Attempt> attempt;     // until something else is done, or nothing
    std::optional<Reason> waiting_for;  // what the last look found, and since when it has been so
    Instant waiting_since;
    std::optional<Error> hook_problem;       // why the hook that the workload names cannot be asked
    std::string hook_binding;                // which hook that is, in full
    std::optional<Instant> contested_until;  // somebody changes our writes: not before this again
    std::shared_ptr<const OwnSettings> settings;  // of the API that looks; null if it has none
    Environment environment;

    // Null: nobody names it.
    const NamedObject* named_as(const model::Ref& ref) const {
        const auto found = std::ranges::find(named, ref, &NamedObject::ref);
        return found == named.end() ? nullptr : &*found;
    }
    // Null: it was not looked at.
    const Fetched* fetched_as(const model::Ref& ref) const {
        const auto found = std::ranges::find(fetched, ref, &Fetched::ref);
        return found == fetched.end() ? nullptr : &*found;
    }
    // Null: it has not been looked at, or could not be.
    const Fetched* looked_at(const model::Ref& ref) const {
        const Fetched* found = fetched_as(ref);
        return found && !found->refusal ? found : nullptr;
    }
    // Null: that is not what was done last.
    const Attempt* attempted(Action::Verb verb, const model::Ref& ref) const {
        return attempt && attempt->verb == verb && attempt->ref == ref ? &*attempt : nullptr;
    }
};

}  // namespace sluice::engine
