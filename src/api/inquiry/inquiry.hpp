// An inquiry asks the world one thing after another until it knows what it wanted to know. It is a
// pure function of what has been learnt so far: it says what to learn next, or ends with its
// answer. Each API says in its row how its questions are asked; whoever carries inquiries out, the
// operator's probe layer or the simulator, knows no API. Secrets and pods are named, never fetched
// here, and only those of the namespace that the inquiry is made for.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/inquiry/hosts.hpp"
#include "api/inquiry/plugin_call.hpp"
#include "base/redacted.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "engine/probe.hpp"

namespace sluice::api {

using SecretData = std::map<std::string, Redacted>;
struct Secret {
    SecretData data;
    std::map<std::string, std::string> annotations;  // those of ours only
};
struct PodSeen {
    std::string uid;
    std::string ip;    // status.podIP; may be empty
    std::string json;  // the whole pod, as the API server gave it, without managedFields
};

// What the inquiry wants to know next.
struct NeedSecret {
    std::string name;  // in the namespace of the inquiry; it cannot name another one
};
struct NeedPod {
    std::string name;  // the same
};
struct NeedPods {
    std::string selector;  // of labels, as a query says it; of very many only the first
};
struct NeedLog {  // what a container has printed
    std::string pod;
    std::string container;
    std::size_t bytes_max;  // a longer one is an Error
};
struct AskHeader {
    std::string name;
    Redacted value;
};
struct Ask {
    std::string method;
    std::string url;
    std::vector<AskHeader> headers;
    std::string body;
    Duration timeout = 10s;
    std::string ca_pem;                // empty: system trust store
    std::size_t body_max = 64u << 10;  // of the answer; a longer one is an Error
    bool verify = true;                // false: any certificate will do
};
template <class Outcome>
using Step = std::variant<NeedSecret, Ask, Outcome>;

struct Answer {
    int status = 0;
    std::string content_type;
    std::string body;
};
// What has been learnt so far, in the order it was asked for. A pod that is needed again is not
// fetched again.
struct Learnt {
    std::map<std::string, Result<Secret>> secrets;
    std::vector<Result<Answer>> answers;
    std::map<std::string, Result<PodSeen>> pods = {};
    std::vector<Result<PluginAnswer>> calls = {};                               // of plugins
    std::map<std::string, Result<std::vector<PodSeen>>> pod_lists = {};         // by selector
    std::map<std::pair<std::string, std::string>, Result<Redacted>> logs = {};  // by container
};

using Said = std::shared_ptr<const engine::Answer>;
using Move = std::variant<NeedSecret, NeedPod, NeedPods, NeedLog, Ask, PluginCall, Said>;

// The step of an inquiry as a move; `said` makes an answer of its outcome.
template <class Outcome, class ToAnswer>
Move move_of(Step<Outcome> step, ToAnswer said) {
    if (auto* need = std::get_if<NeedSecret>(&step)) return std::move(*need);
    if (auto* ask = std::get_if<Ask>(&step)) return std::move(*ask);
    return said(std::get<Outcome>(std::move(step)));
}

struct Inquiry {
    std::string ns;
    Duration deadline;                          // that of the bounds if it is shorter
    std::function<Move(const Learnt&)> next;    // pure; called once per step
    std::function<Said(const Error&)> give_up;  // the answer if a bound is met before it is known
};

struct InquiryBounds {
    std::size_t calls_max = 32;         // at once; a hung peer takes one place, not all of them
    std::size_t per_namespace_max = 8;  // of those; one tenant's hung peers hold only their own
    // Places that only namespaces get which have none: a few tenants whose peers all hang leave
    // these to the others.
    std::size_t first_places = 0;
    std::size_t waiting_max = 512;   // of one namespace; beyond, an inquiry is not begun at all
    int steps_max = 16;              // elasticsearch needs 10: 2 pods, a Secret, 6 requests, end
    Duration deadline = 5min + 30s;  // the longest timeout of a hook, and what surrounds it
};

// In whose name a question is asked, and whom it may reach.
struct Asking {
    std::string ns;         // where pods and Secrets are
    HostList metric_hosts;  // that may be asked for metrics; empty: any
};

// A kind of questions, and how they are asked.
struct Inquiries {
    // Never null. Nothing: it is a question of another type.
    std::optional<Inquiry> (*begin)(const engine::Question& question,
                                    const Asking& asking) = nullptr;
    std::string_view subject = {};  // what the sentences speak of: "hook"
    InquiryBounds bounds = {};
    bool is_about_metrics = false;  // peers on this machine are allowed with those of metrics
    bool may_act = false;           // whoever is asked may change the world
};

}  // namespace sluice::api
