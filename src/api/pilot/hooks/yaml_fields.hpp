// A small YAML document that is one flat mapping of names to texts, of at most 64 fields.
#pragma once

#include <expected>
#include <map>
#include <string>

#include "base/field_error.hpp"

namespace sluice::api::pilot {

using Fields = std::map<std::string, std::string>;

std::expected<Fields, FieldError> read_yaml_fields(const std::string& text);

}  // namespace sluice::api::pilot
