// How the built-in types are put together, as far as patches care: which lists are told apart by a
// key, which values are one piece, and which structs are always there. What is not in the table is
// the common case: an object is merged field by field and a list is one piece.
#pragma once

#include <string_view>
#include <vector>

#include "sim/api/json.hpp"

namespace sluice::sim {

struct Shape;

struct Field {
    std::string_view name = {};
    const Shape* shape = nullptr;  // of the value, or of every entry of the list
    // In a strategic merge: the key of a list's entries, "*" for a set, empty for a list that is
    // replaced.
    std::string_view merge_key = {};
    // In server-side apply: the keys with commas between them, in their order; "*" for a set, empty
    // for a list that is one piece.
    std::string_view apply_keys = {};
    bool is_replaced = false;      // an object that a strategic merge replaces
    bool is_whole = false;         // an object that is one piece for server-side apply
    bool is_always_there = false;  // Go writes it out even when it is empty
};

struct Shape {
    std::vector<Field> fields = {};
    bool is_whole = false;  // entries that are one piece each
};

// Of a custom resource, and of a kind that is not in the table: that of its metadata.
const Shape& shape_of(const json::object& document);
const Field* field_of(const Shape* shape, std::string_view name);

// What the API server puts in for a key that an entry leaves out: the protocol of a port is TCP.
// Nothing for every other key.
json::value default_of_key(std::string_view key);

}  // namespace sluice::sim
