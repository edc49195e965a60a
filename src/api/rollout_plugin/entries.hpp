// A small YAML document that is a list of mappings of names to texts or lists of texts, with at
// most 64 entries, fields and texts in a list.
#pragma once

#include <expected>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/field_error.hpp"

namespace sluice::api::rollout_plugin {

using EntryValue = std::variant<std::string, std::vector<std::string>>;
using Entry = std::map<std::string, EntryValue>;

// The field of the error is a path below the document: "[2].args", or empty.
std::expected<std::vector<Entry>, FieldError> read_entries(const std::string& text);

}  // namespace sluice::api::rollout_plugin
