// The managedFields of an object: who wrote which of its fields.
#pragma once

#include <string>
#include <vector>

#include "sim/api/field_set.hpp"
#include "sim/api/patching.hpp"

namespace sluice::sim {

struct ManagedEntry {
    std::string manager;
    bool applies = false;  // operation Apply; else Update
    std::string api_version;
    std::string time;
    FieldSet fields;
    std::string subresource;
};

// Empty if there are none, or if they do not have the form of managedFields.
std::vector<ManagedEntry> managed_entries(const json::object& document);
// Puts them into the document in the order of the API server; without entries it has none.
void set_managed_entries(json::object& document, std::vector<ManagedEntry> entries);

// After a write through the scale subresource, whose entry has no time.
json::object with_scale_fields(json::object document, const std::string& manager, Instant now);

// What the write of these fields by these updater leaves to everybody.
std::vector<ManagedEntry> after_update(std::vector<ManagedEntry> entries, const FieldSet& written,
                                       const FieldSet& removed, const std::string& api_version,
                                       const Apply& update);

}  // namespace sluice::sim
