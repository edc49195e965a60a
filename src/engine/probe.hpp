// A fact that must come from outside, and the evidence that came back. Evidence is bound to what it
// was asked about by its key; evidence with another key proves nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "base/time.hpp"

namespace sluice::engine {

struct PodRef {
    std::string name;
    std::string uid;
    friend bool operator==(const PodRef&, const PodRef&) = default;
};

// Ask the hook about one transition: prev was updated last, next would be updated next.
struct HookProbe {
    std::string key;  // StatefulSet UID, revision and pod UIDs: the same transition, the same key
    // What else an answer is bound to: the hook, its declaration and settings, the generation. An
    // approval that was given to another question is no approval, even about the same pods.
    std::string binding;
    std::string hook;
    std::optional<PodRef> prev;
    std::optional<PodRef> next;
    friend bool operator==(const HookProbe&, const HookProbe&) = default;
};

// One question to Prometheus. Secrets are of the namespace of the workload.
struct MetricQuery {
    std::string expr;
    std::string url;          // http(s)://host:port/path, or bare host:port/path, which means http
    std::string secret{};     // keys: token, or username and password; ca.crt if it has one
    std::string ca_secret{};  // key: ca.crt; goes before that of `secret`
    bool insecure_skip_verify = false;  // any certificate will do
    Duration timeout = 10s;             // of one request
    friend bool operator==(const MetricQuery&, const MetricQuery&) = default;
};

struct MetricProbe {
    std::string key;  // the step, the check and the window that the answer counts for
    MetricQuery query;
    friend bool operator==(const MetricProbe&, const MetricProbe&) = default;
};

// A question that only the API understands which asks it, and whoever carries it out. The engine
// hands it on and looks at nothing but its key.
struct OwnQuestion {
    virtual ~OwnQuestion() = default;
};
struct OwnAnswer {
    virtual ~OwnAnswer() = default;
};
// What whoever runs the operator has declared for an API; only that API can read it.
struct OwnSettings {
    virtual ~OwnSettings() = default;
};
struct OwnProbe {
    std::string key;  // the same key, the same question
    std::shared_ptr<const OwnQuestion> question;
    friend bool operator==(const OwnProbe& one, const OwnProbe& other) {
        return one.key == other.key;
    }
};

struct HookEvidence {
    std::string key;
    std::string binding;
    bool allowed = false;
    std::string message;
    Instant at;
};

struct MetricEvidence {
    enum class Kind : std::uint8_t { NoData, Data, Unknown };
    std::string key;
    Kind kind = Kind::Unknown;
    bool is_number = true;       // false: the first value is NaN, which nobody can be glad of
    bool misconfigured = false;  // Unknown, and it will stay so until somebody changes something
    std::string text;            // the value, or of Unknown a sentence; nothing secret
    Instant at;                  // in whole seconds, as the API keeps it
};

struct OwnEvidence {
    std::string key;
    std::shared_ptr<const OwnAnswer> answer;
    Instant at;
};

using Probe = std::variant<HookProbe, MetricProbe, OwnProbe>;
// Two probes that ask for the same thing on behalf of the same question.
bool is_same_question(const Probe& one, const Probe& other);

}  // namespace sluice::engine
