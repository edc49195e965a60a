// A hook that somebody else runs: one POST, one answer.
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <set>

#include "api/hooks/built_in.hpp"
#include "api/inquiry/text.hpp"
#include "api/inquiry/url.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace sluice::api::hooks {

namespace {

constexpr std::size_t headers_max = 32;
// Deeper than any pod; the parser's own bound of 32 is meant for strangers.
constexpr std::size_t pod_depth_max = 64;
constexpr std::size_t answer_depth_max = 32;

// Headers that frame the request, and those that are ours.
constexpr std::array<std::string_view, 12> reserved_headers{
    "connection", "content-length",    "content-type", "expect",
    "host",       "idempotency-key",   "keep-alive",   "te",
    "trailer",    "transfer-encoding", "upgrade",      "user-agent",
};

Result<void> check_header_name(const SecretReader& secret, const std::string& name) {
    const std::string shown = printable(name, 64);
    if (!is_token(name)) return secret.wrong("key " + shown + " is not the name of a header");
    if (std::ranges::find(reserved_headers, in_lower_case(name)) != reserved_headers.end()) {
        return secret.wrong("key " + shown + " names a header that a Secret may not set");
    }
    return {};
}

Result<std::vector<AskHeader>> read_headers(const SecretReader& secret) {
    if (secret.data().empty()) return secret.wrong("has no keys, so there is no header to send");
    if (secret.data().size() > headers_max) return secret.wrong("has more than 32 keys");
    std::vector<AskHeader> headers;
    std::set<std::string> seen;
    for (const auto& [name, value] : secret.data()) {
        if (Result<void> named = check_header_name(secret, name); !named) {
            return std::unexpected(named.error());
        }
        if (!seen.insert(in_lower_case(name)).second) {
            return secret.wrong("key " + printable(name, 64) + " names the same header as another");
        }
        const Result<std::string_view> text = secret.header_value(name);
        if (!text) return std::unexpected(text.error());
        headers.push_back({name, Redacted{std::string(*text)}});
    }
    return headers;
}

Result<boost::json::value> pod_value(const std::optional<HookPod>& pod) {
    if (!pod) return boost::json::value{};
    boost::json::parse_options options;
    options.max_depth = pod_depth_max;
    boost::system::error_code broken;
    boost::json::value value = boost::json::parse(pod->json, broken, {}, options);
    if (broken || !value.is_object()) {
        return failure(ErrorKind::Malformed, "pod " + pod->name + " cannot be read as JSON");
    }
    return value;
}

Result<std::string> request_body(const Transition& transition) {
    const Result<boost::json::value> prev = pod_value(transition.prev);
    if (!prev) return std::unexpected(prev.error());
    const Result<boost::json::value> next = pod_value(transition.next);
    if (!next) return std::unexpected(next.error());
    return boost::json::serialize(boost::json::object{
        {"hook", transition.hook},
        {"namespace", transition.ns},
        {transition.kind, transition.workload},
        {"prev", *prev},
        {"next", *next},
        {"idempotencyKey", transition.idempotency_key},
    });
}

// What the Secrets of the hook add to the request; instead of it, the step that must come first.
std::expected<Ask, HookStep> with_secrets(const ExternalHook& hook, const Transition& transition,
                                          const Learnt& learnt) {
    Ask ask;
    if (!hook.ca_secret.empty()) {
        const auto secret = read_secret(transition, learnt, hook.ca_secret);
        if (!secret) return std::unexpected(secret.error());
        const Result<std::string_view> pem = secret->text(ca_key);
        if (!pem) return std::unexpected<HookStep>(refuse(pem.error().message));
        ask.ca_pem = *pem;
    }
    if (!hook.headers_secret.empty()) {
        const auto secret = read_secret(transition, learnt, hook.headers_secret);
        if (!secret) return std::unexpected(secret.error());
        const Result<Url> url = api::read_url(hook.url, "headersSecret");
        if (!url) return std::unexpected<HookStep>(refuse("the url " + url.error().message));
        if (const Result<void> sent = secret->is_not_kept_from(*url); !sent) {
            return std::unexpected<HookStep>(refuse(sent.error().message));
        }
        Result<std::vector<AskHeader>> headers = read_headers(*secret);
        if (!headers) return std::unexpected<HookStep>(refuse(headers.error().message));
        ask.headers = std::move(*headers);
    }
    return ask;
}

struct ExternalAnswer {
    bool allowed = false;
    std::string message;
};

const char* type_name(simdjson::dom::element value) {
    switch (value.type()) {
        case simdjson::dom::element_type::ARRAY: return "an array";
        case simdjson::dom::element_type::OBJECT: return "an object";
        case simdjson::dom::element_type::STRING: return "a string";
        case simdjson::dom::element_type::BOOL: return "a boolean";
        case simdjson::dom::element_type::NULL_VALUE: return "null";
        default: return "a number";
    }
}

std::unexpected<std::string> not_a_reply(std::string why) {
    return std::unexpected(std::move(why));
}

// A reader that keeps the last of two equal keys would let {"allowed":false,"allowed":true} pass,
// so the fields are walked one by one.
std::expected<ExternalAnswer, std::string> read_fields(simdjson::dom::object object) {
    std::optional<simdjson::dom::element> allowed;
    ExternalAnswer reply;
    for (const auto& [key, value] : object) {
        if (key == "message" && value.is_string()) reply.message = value.get_string().value();
        if (key != "allowed") continue;
        if (allowed) return not_a_reply("hook's answer gives allowed twice");
        allowed = value;
    }
    if (!allowed) return not_a_reply("hook's answer does not say allowed");
    if (!allowed->is_bool()) {
        return not_a_reply(std::string("hook's answer gives allowed as ") + type_name(*allowed) +
                           ", not as true or false");
    }
    reply.allowed = allowed->get_bool().value();
    return reply;
}

std::expected<ExternalAnswer, std::string> read_answer(const std::string& body) {
    simdjson::dom::parser parser;
    const simdjson::padded_string padded(body);
    simdjson::dom::element root;
    if (parser.allocate(padded.size(), answer_depth_max) != simdjson::SUCCESS ||
        parser.parse(padded).get(root) != simdjson::SUCCESS) {
        return not_a_reply("hook's answer is not JSON");
    }
    simdjson::dom::object object;
    if (root.get(object) != simdjson::SUCCESS) {
        return not_a_reply(std::string("hook's answer is ") + type_name(root) +
                           ", not a JSON object");
    }
    return read_fields(object);
}

bool is_blank(std::string_view body) {
    return body.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

HookVerdict refused_by_status(const Answer& answer) {
    std::string message = "hook answered HTTP " + std::to_string(answer.status);
    if (answer.status >= 300 && answer.status < 400) message += "; redirects are not followed";
    const auto reply = read_answer(answer.body);
    if (reply && !reply->message.empty()) message += ": " + reply->message;
    return {false, message};
}

// What the answer of an external hook means. Consent is a 2xx without a body, or a 2xx with a JSON
// object whose one `allowed` is true; everything else refuses and says what was wrong. The message
// is the hook's own where it gave one, and as it gave it: confined() comes after.
HookVerdict read_external_answer(const Answer& answer) {
    if (answer.status < 200 || answer.status >= 300) return refused_by_status(answer);
    if (is_blank(answer.body)) return {true, ""};
    const auto reply = read_answer(answer.body);
    if (!reply) return {false, reply.error()};
    if (!reply->allowed && reply->message.empty()) return {false, "hook refused without a message"};
    return {reply->allowed, reply->message};
}

}  // namespace

HookStep external(const ExternalHook& hook, const Transition& transition, const Learnt& learnt) {
    if (!learnt.answers.empty()) {
        const Result<Answer>& answer = learnt.answers.front();
        if (!answer) return HookVerdict{false, confined(answer.error().message, learnt)};
        const HookVerdict verdict = read_external_answer(*answer);
        return HookVerdict{verdict.allowed, confined(verdict.message, learnt)};
    }
    std::expected<Ask, HookStep> ask = with_secrets(hook, transition, learnt);
    if (!ask) return ask.error();
    Result<std::string> body = request_body(transition);
    if (!body) return refuse(body.error().message);
    ask->method = "POST";
    ask->url = hook.url;
    ask->timeout = hook.timeout;
    ask->body = std::move(*body);
    ask->headers.push_back({"Content-Type", Redacted{"application/json"}});
    ask->headers.push_back({"Idempotency-Key", Redacted{transition.idempotency_key}});
    return *ask;
}

}  // namespace sluice::api::hooks
