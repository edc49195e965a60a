// Elasticsearch and OpenSearch: shards stay where they are while a node restarts, and no node
// restarts while the cluster is not green. After a pod's update allocation is opened again and the
// cluster must become green; before one it must be green, allocation is narrowed to new primaries,
// and a flush makes the recovery short. A rollout that starts with a cluster that is not green
// opens allocation too, for an earlier one may have ended half way.
#include "api/hooks/elasticsearch.hpp"

#include <functional>
#include <span>

#include "api/hooks/built_in.hpp"
#include "api/inquiry/url.hpp"
#include "api/json_parts.hpp"
#include "base/printable.hpp"

namespace sluice::api::hooks {

namespace {

// The server itself gives up on a settings change after 30 s and says so; let it.
constexpr Duration request_timeout = 60s;

const std::string settings_path = "/_cluster/settings";
const std::string health_path = "/_cat/health";

// Either what is wrong with the answer, or nothing.
using Fault = std::optional<std::string>;

// One transition, walked from its beginning: the answers so far are taken in order, and the first
// request without an answer is the next step.
class Conversation {
  public:
    Conversation(const ElasticsearchAccess& access, std::span<const Result<Answer>> answers)
        : access_(access), answers_(answers) {}

    // The answer to this request; nothing if it is still to be asked.
    const Result<Answer>* answer() {
        return asked_ < answers_.size() ? &answers_[asked_++] : nullptr;
    }
    Ask ask(const HookPod& pod, std::string method, const std::string& path,
            std::string body = "") const {
        const bool ipv6 = pod.ip.contains(':');
        Ask request;
        request.method = std::move(method);
        request.url = access_.scheme + "://" + (ipv6 ? "[" + pod.ip + "]" : pod.ip) + ":" +
                      access_.port + path;
        if (!access_.authorization.empty()) {
            request.headers.push_back({"Authorization", access_.authorization});
        }
        if (!body.empty()) {
            request.headers.push_back({"Content-Type", Redacted{"application/json"}});
        }
        request.body = std::move(body);
        request.timeout = request_timeout;
        request.ca_pem = access_.ca_pem;
        return request;
    }

  private:
    const ElasticsearchAccess& access_;
    std::span<const Result<Answer>> answers_;
    std::size_t asked_ = 0;
};

// What a part of the walk ends in: a step to take now, or nothing, and the walk goes on.
using Halt = std::optional<HookStep>;

Halt halt(const HookPod& pod, const std::string& why) {
    return refuse("pod " + pod.name + ": " + why);
}

Fault not_acknowledged(const Answer& answer) {
    const boost::json::value reply = model::parse_json(answer.body);
    const std::optional<bool> acknowledged = JsonReader{&reply}.truth("acknowledged");
    if (!acknowledged) return "PUT " + settings_path + " answered without a word on acknowledged";
    if (!*acknowledged) return "PUT " + settings_path + " was not acknowledged";
    return std::nullopt;
}

// "green", "yellow" or "red"; empty if the answer does not say.
std::string color_of(const Answer& answer) {
    const boost::json::value reply = model::parse_json(answer.body);
    const boost::json::array* rows = reply.if_array();
    const bool is_one = rows && rows->size() == 1;
    const std::string color = JsonReader{is_one ? &rows->front() : nullptr}.text("status");
    return color == "green" || color == "yellow" || color == "red" ? color : "";
}

// Only words of the server's vocabulary are repeated, never its text.
Fault not_green(const Answer& answer) {
    const std::string color = color_of(answer);
    if (color == "green") return std::nullopt;
    if (color.empty()) return "GET " + health_path + " did not say whether the cluster is green";
    return "the cluster is " + color + ", not green";
}

// Asks, and halts unless the answer is a 200 in which `fault` finds nothing wrong.
Halt require(Conversation& talk, const HookPod& pod, Ask request, const std::string& what,
             Fault (*fault)(const Answer&)) {
    const Result<Answer>* answer = talk.answer();
    if (!answer) return request;
    if (!*answer) return halt(pod, what + ": " + answer->error().message);
    if ((*answer)->status != 200) {
        return halt(pod, what + " answered HTTP " + std::to_string((*answer)->status));
    }
    if (const Fault found = fault(**answer)) return halt(pod, *found);
    return std::nullopt;
}

Halt set_allocation(Conversation& talk, const HookPod& pod, const std::string& enable) {
    const std::string body =
        R"({"persistent":{"cluster.routing.allocation.enable":")" + enable + R"("}})";
    return require(talk, pod, talk.ask(pod, "PUT", settings_path, body), "PUT " + settings_path,
                   not_acknowledged);
}

Halt require_green(Conversation& talk, const HookPod& pod) {
    return require(talk, pod, talk.ask(pod, "GET", health_path + "?format=json"),
                   "GET " + health_path, not_green);
}

bool is_unknown_request(const Answer& answer) {
    return answer.status == 400 || answer.status == 404 || answer.status == 405 ||
           answer.status == 410;
}

// An answer that was too long to read is an answer too: the server reports on every shard.
bool went_unanswered(const Result<Answer>& answer) {
    return !answer && answer.error().kind != ErrorKind::TooLarge;
}

// Best effort: a flush that some shards refuse only makes their recovery longer. The synced flush
// is gone from Elasticsearch 8 and OpenSearch, where the plain one does the same.
Halt flush(Conversation& talk, const HookPod& pod) {
    const Result<Answer>* synced = talk.answer();
    if (!synced) return talk.ask(pod, "POST", "/_flush/synced");
    if (went_unanswered(*synced)) {
        return halt(pod, "POST /_flush/synced: " + synced->error().message);
    }
    if (!*synced || !is_unknown_request(**synced)) return std::nullopt;

    const Result<Answer>* plain = talk.answer();
    if (!plain) return talk.ask(pod, "POST", "/_flush");
    if (went_unanswered(*plain)) return halt(pod, "POST /_flush: " + plain->error().message);
    return std::nullopt;
}

Halt require_address(const HookPod& pod) {
    if (pod.ip.empty()) return halt(pod, "it has no IP address yet");
    if (!is_ipv4(pod.ip) && !is_ipv6(pod.ip)) {
        return halt(pod, quoted(pod.ip) + " is not an IP address");
    }
    return std::nullopt;
}

Halt after_update(Conversation& talk, const HookPod& pod) {
    if (Halt now = require_address(pod)) return now;
    if (Halt now = set_allocation(talk, pod, "all")) return now;
    return require_green(talk, pod);
}

// At the start of a rollout: a step that was cut short (a new template, a label removed) may have
// left allocation narrowed, and then the cluster never becomes green by itself. Opening it again is
// what the transition that was lost would have done.
Halt require_green_or_open(Conversation& talk, const HookPod& pod) {
    const Result<Answer>* health = talk.answer();
    if (!health) return talk.ask(pod, "GET", health_path + "?format=json");
    if (!*health) return halt(pod, "GET " + health_path + ": " + health->error().message);
    if ((*health)->status != 200)
        return halt(pod,
                    "GET " + health_path + " answered HTTP " + std::to_string((*health)->status));
    const Fault fault = not_green(**health);
    if (!fault) return std::nullopt;
    if (color_of(**health).empty()) return halt(pod, *fault);
    if (Halt now = set_allocation(talk, pod, "all")) return now;
    return halt(pod, *fault + "; shard allocation was set to all, so that it can recover");
}

Halt before_update(Conversation& talk, const HookPod& pod, bool is_first) {
    if (Halt now = require_address(pod)) return now;
    if (Halt now = is_first ? require_green_or_open(talk, pod) : require_green(talk, pod))
        return now;
    if (Halt now = set_allocation(talk, pod, "new_primaries")) return now;
    return flush(talk, pod);
}

}  // namespace

HookStep elasticsearch(const Transition& transition, const Learnt& learnt) {
    const auto access = elasticsearch_access(transition, learnt);
    if (!access) return access.error();
    Conversation talk{*access, learnt.answers};
    if (transition.prev) {
        if (Halt now = after_update(talk, *transition.prev)) return *now;
    }
    if (transition.next) {
        if (Halt now = before_update(talk, *transition.next, !transition.prev)) return *now;
    }
    return HookVerdict{true, ""};
}

}  // namespace sluice::api::hooks
