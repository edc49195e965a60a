// Reading the parts that every object has, without copies: the views live as long as the object.
// What is not there reads as empty.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "sim/api/api_server.hpp"
#include "sim/api/json.hpp"
#include "sim/api/state.hpp"

namespace sluice::sim {

// Names an object among those of one resource.
struct Key {
    std::string ns;
    std::string name;
    friend auto operator<=>(const Key&, const Key&) = default;
};

const json::object& child(const json::object& in, std::string_view key);
const json::array& children(const json::object& in, std::string_view key);
std::string_view text(const json::object& in, std::string_view key);
bool contains(const json::array& in, const json::value& entry);
bool is_set(const json::object& in, std::string_view key);  // there, and true

const json::object& metadata(const json::object& object);
std::string_view name_of(const json::object& object);
std::string_view uid_of(const json::object& object);
Key key_of(const json::object& object);
bool has_finalizer(const json::object& object, std::string_view finalizer);

// The owner reference that says `controller: true`, or null.
const json::object* controller_of(const json::object& object);
// A reference that makes `owner` the controller of whoever carries it.
json::object controller_reference(const json::object& owner);
void add_owner(json::object& object, json::object reference);
// Removes the references that the predicate names.
void drop_owners(json::object& object,
                 const std::function<bool(const json::object& reference)>& which);
void drop_finalizer(json::object& object, std::string_view finalizer);

// The update of a status subresource: the object without its spec.
json::object with_status(const json::object& object, json::object status);

// Whether the node is there and says of itself that it is well.
inline bool is_ready_node(const ObjectPtr& node) {
    return node && has_condition(node->object(), "Ready");
}

inline bool went(const Response& response) {
    return response.status / 100 == 2;
}

}  // namespace sluice::sim
