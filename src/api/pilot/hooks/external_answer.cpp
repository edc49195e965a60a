#include "api/pilot/hooks/external_answer.hpp"

#include <simdjson.h>

#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::api::pilot {

namespace {

constexpr std::size_t depth_max = 32;

struct Reply {
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
std::expected<Reply, std::string> read_fields(simdjson::dom::object object) {
    std::optional<simdjson::dom::element> allowed;
    Reply reply;
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

std::expected<Reply, std::string> read_reply(const std::string& body) {
    simdjson::dom::parser parser;
    const simdjson::padded_string padded(body);
    simdjson::dom::element root;
    if (parser.allocate(padded.size(), depth_max) != simdjson::SUCCESS ||
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
    const auto reply = read_reply(answer.body);
    if (reply && !reply->message.empty()) message += ": " + reply->message;
    return {false, message};
}

}  // namespace

HookVerdict read_external_answer(const Answer& answer) {
    if (answer.status < 200 || answer.status >= 300) return refused_by_status(answer);
    if (is_blank(answer.body)) return {true, ""};
    const auto reply = read_reply(answer.body);
    if (!reply) return {false, reply.error()};
    if (!reply->allowed && reply->message.empty()) return {false, "hook refused without a message"};
    return {reply->allowed, reply->message};
}

}  // namespace sluice::api::pilot
