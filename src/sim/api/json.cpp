#include "sim/api/json.hpp"

#include <algorithm>
#include <charconv>

namespace sluice::sim {
namespace {

// The first part of a pointer, as it is written, and the rest.
std::pair<std::string_view, std::string_view> split(std::string_view pointer) {
    if (pointer.starts_with('/')) pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    return {pointer.substr(0, end), pointer.substr(end)};
}

const json::value* member(const json::object& in, std::string_view token) {
    return token.contains('~') ? in.if_contains(unescaped(token)) : in.if_contains(token);
}

json::value& member_in(json::object& in, std::string_view token) {
    return token.contains('~') ? in[unescaped(token)] : in[token];
}

const json::value* child(const json::value& in, std::string_view token) {
    if (const json::object* object = in.if_object()) return member(*object, token);
    const json::array* array = in.if_array();
    if (!array) return nullptr;
    std::size_t index = 0;
    const auto [end, failed] = std::from_chars(token.data(), token.data() + token.size(), index);
    if (failed != std::errc{} || end != token.data() + token.size()) return nullptr;
    return index < array->size() ? &(*array)[index] : nullptr;
}

json::value& place_in(json::object& in, std::string_view pointer) {
    const std::size_t last = pointer.rfind('/');
    return member_in(object_in(in, pointer.substr(0, last)), pointer.substr(last + 1));
}

}  // namespace

std::string unescaped(std::string_view token) {
    if (!token.contains('~')) return std::string{token};
    std::string key;
    for (std::size_t i = 0; i < token.size(); ++i) {
        const bool escapes = token[i] == '~' && i + 1 < token.size();
        if (escapes && (token[i + 1] == '0' || token[i + 1] == '1'))
            key += token[++i] == '1' ? '/' : '~';
        else
            key += token[i];
    }
    return key;
}

std::string pointer_to(std::string_view field) {
    std::string pointer = "/" + std::string{field};
    std::ranges::replace(pointer, '.', '/');
    return pointer;
}

const json::value* find(const json::object& in, std::string_view pointer) {
    auto [token, rest] = split(pointer);
    const json::value* at = member(in, token);
    while (at && !rest.empty()) {
        std::tie(token, rest) = split(rest);
        at = child(*at, token);
    }
    return at;
}

json::value* find(json::object& in, std::string_view pointer) {
    return const_cast<json::value*>(find(std::as_const(in), pointer));
}

const json::object& object_at(const json::object& in, std::string_view pointer) {
    static const json::object nothing;
    const json::value* at = find(in, pointer);
    return at && at->is_object() ? at->get_object() : nothing;
}

const json::array& array_at(const json::object& in, std::string_view pointer) {
    static const json::array nothing;
    const json::value* at = find(in, pointer);
    return at && at->is_array() ? at->get_array() : nothing;
}

std::string text_at(const json::object& in, std::string_view pointer) {
    const json::value* at = find(in, pointer);
    return at && at->is_string() ? std::string{at->get_string()} : std::string{};
}

std::int64_t number_at(const json::object& in, std::string_view pointer, std::int64_t otherwise) {
    const json::value* at = find(in, pointer);
    if (!at) return otherwise;
    if (at->is_int64()) return at->get_int64();
    if (at->is_uint64()) return static_cast<std::int64_t>(at->get_uint64());
    return at->is_double() ? static_cast<std::int64_t>(at->get_double()) : otherwise;
}

bool flag_at(const json::object& in, std::string_view pointer) {
    const json::value* at = find(in, pointer);
    return at && at->is_bool() && at->get_bool();
}

bool has(const json::object& in, std::string_view pointer) {
    return find(in, pointer) != nullptr;
}

json::object& object_in(json::object& in, std::string_view pointer) {
    json::object* at = &in;
    std::string_view rest = pointer;
    while (!rest.empty()) {
        const auto [token, behind] = split(rest);
        json::value& next = member_in(*at, token);
        if (!next.is_object()) next.emplace_object();
        at = &next.get_object();
        rest = behind;
    }
    return *at;
}

json::array& array_in(json::object& in, std::string_view pointer) {
    json::value& at = place_in(in, pointer);
    return at.is_array() ? at.get_array() : at.emplace_array();
}

void set(json::object& in, std::string_view pointer, json::value value) {
    place_in(in, pointer) = std::move(value);
}

void erase(json::object& in, std::string_view pointer) {
    const std::size_t last = pointer.rfind('/');
    json::value* at = last == 0 ? nullptr : find(in, pointer.substr(0, last));
    json::object* parent = last == 0 ? &in : (at ? at->if_object() : nullptr);
    if (parent) parent->erase(unescaped(pointer.substr(last + 1)));
}

bool same(const json::value& left, const json::value& right) {
    return left == right;
}

}  // namespace sluice::sim
