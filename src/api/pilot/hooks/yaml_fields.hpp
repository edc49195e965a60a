// A small YAML document that is one flat mapping of names to texts. Everything that makes YAML
// dangerous or ambiguous is refused: anchors, aliases, tags, repeated keys, a second document,
// more than 64 KiB, more than 8 levels, more than 64 fields.
#pragma once

#include <expected>
#include <map>
#include <string>

#include "base/field_error.hpp"

namespace sluice::api::pilot {

using Fields = std::map<std::string, std::string>;

std::expected<Fields, FieldError> read_yaml_fields(const std::string& text);

}  // namespace sluice::api::pilot
