// A fact that must come from outside, and the evidence that came back. Evidence is bound to what it
// was asked about by its key; evidence with another key proves nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace sluice::engine {

// Only whoever asks a question and whoever answers it know its type; all others hand it on.
struct Question {
    virtual ~Question() = default;
};
struct Answer {
    virtual ~Answer() = default;
};
// What whoever runs the operator has declared for an API; only that API can read it.
struct OwnSettings {
    virtual ~OwnSettings() = default;
};

template <class Base, class What>
struct Holding final : Base {
    explicit Holding(What one) : what(std::move(one)) {}
    const What what;
};
template <class What>
std::shared_ptr<const Question> question_of(What what) {
    return std::make_shared<const Holding<Question, What>>(std::move(what));
}
template <class What>
std::shared_ptr<const Answer> answer_of(What what) {
    return std::make_shared<const Holding<Answer, What>>(std::move(what));
}
// Null: it is a question, or an answer, of another type.
template <class What>
const What* opened(const Question& question) {
    const auto* held = dynamic_cast<const Holding<Question, What>*>(&question);
    return held ? &held->what : nullptr;
}
template <class What>
const What* opened(const Answer& answer) {
    const auto* held = dynamic_cast<const Holding<Answer, What>*>(&answer);
    return held ? &held->what : nullptr;
}

struct Probe {
    std::string key;  // the same key, the same question
    std::shared_ptr<const Question> question;
    bool outlasts_step = false;  // its answer is of use after the next step, too
};

struct Evidence {
    std::string key;
    std::shared_ptr<const Answer> answer;
    Instant at;
    bool outlasts_step = false;
};

// What was said last, and of what; at most one of a type.
using AllEvidence = std::vector<Evidence>;
template <class What>
const Evidence* last_of(const AllEvidence& all) {
    for (const Evidence& one : all)
        if (opened<What>(*one.answer)) return &one;
    return nullptr;
}

struct PodRef {
    std::string name;
    std::string uid;
    friend bool operator==(const PodRef&, const PodRef&) = default;
};

// Ask the hook about one transition: prev was updated last, next would be updated next. The key of
// the probe holds also what else an answer is bound to: the hook, its declaration and settings, the
// generation. An approval that was given to another question is no approval, even about the same
// pods.
struct HookQuestion {
    std::string hook;
    std::optional<PodRef> prev;
    std::optional<PodRef> next;
    std::string idempotency_key;  // set UID, revision and pod UIDs: the same transition, the same
    friend bool operator==(const HookQuestion&, const HookQuestion&) = default;
};
struct HookAnswer {
    bool allowed = false;
    std::string message = {};
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
struct MetricAnswer {
    enum class Kind : std::uint8_t { NoData, Data, Unknown };
    Kind kind = Kind::Unknown;
    bool is_number = true;       // false: the first value is NaN, which nobody can be glad of
    bool misconfigured = false;  // Unknown, and it will stay so until somebody changes something
    std::string text = {};       // the value, or of Unknown a sentence; nothing secret
};

}  // namespace sluice::engine
