// Reading and writing JSON documents by pointer ("/spec/replicas"). Reads never fail: what is not
// there, or is of another type, reads as empty, zero or the value given.
#pragma once

#include <boost/json.hpp>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::sim {

namespace json = boost::json;

// A part of a pointer: "~0" and "~1" stand for "~" and "/", as in RFC 6901.
std::string unescaped(std::string_view token);

// "/spec/replicas" of "spec.replicas".
std::string pointer_to(std::string_view field);

// Nothing if there is no such place.
const json::value* find(const json::object& in, std::string_view pointer);
json::value* find(json::object& in, std::string_view pointer);

const json::object& object_at(const json::object& in, std::string_view pointer);
const json::array& array_at(const json::object& in, std::string_view pointer);
std::string text_at(const json::object& in, std::string_view pointer);
std::int64_t number_at(const json::object& in, std::string_view pointer,
                       std::int64_t otherwise = 0);
bool flag_at(const json::object& in, std::string_view pointer);
bool has(const json::object& in, std::string_view pointer);

// Makes the objects on the way; whatever else stood there is replaced.
void set(json::object& in, std::string_view pointer, json::value value);
template <std::same_as<std::string> Text>
void set(json::object& in, std::string_view pointer, const Text& text) {
    set(in, pointer, json::value(std::string_view{text}));
}
// An object with this at this place, and nothing else.
template <class Value>
json::object only(std::string_view pointer, Value&& value) {
    json::object made;
    set(made, pointer, std::forward<Value>(value));
    return made;
}
void erase(json::object& in, std::string_view pointer);
// The object or array at the place, made if it is not there.
json::object& object_in(json::object& in, std::string_view pointer);
json::array& array_in(json::object& in, std::string_view pointer);

// Deep equality that does not care about the order of keys.
bool same(const json::value& left, const json::value& right);

}  // namespace sluice::sim
