// The fields of documents of the built-in types: which a document has, and which differ between two
// versions of it. What identifies an object and what the API server alone writes is nobody's field.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/api/field_set.hpp"
#include "sim/api/shapes.hpp"

namespace sluice::sim {

// How a value is taken apart: a list by its keys, an object by its fields, or not at all.
struct Texture {
    const Shape* shape = nullptr;
    std::string_view keys = {};
    bool is_whole = false;
};
Texture texture_of(const Field* field);
// Of the entries of a list.
Texture entry_texture(const Texture& list);

// "k:{\"name\":\"a\"}" or "v:\"a\"": the name of an entry in a set. Nothing if it lacks a key.
std::optional<std::string> entry_name(const json::value& entry, std::string_view keys);

// All fields of a document that somebody applies.
FieldSet fields_of(const json::object& document);

struct Difference {
    FieldSet written;  // added or changed
    FieldSet removed;
    bool empty() const { return written.empty() && removed.empty(); }
};
Difference difference_of(const json::object& before, const json::object& after);

// Takes the fields of `last` that are not in `kept` out of the document, with what they hold.
void prune(json::object& document, const FieldSet& last, const FieldSet& kept);

}  // namespace sluice::sim
