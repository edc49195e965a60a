// YAML as people write it into ConfigMaps: one document of at most 64 KiB, in which every scalar is
// a text or null. model/yaml.hpp says what else is refused.
#pragma once

#include <boost/json/value.hpp>
#include <expected>
#include <string>

#include "base/field_error.hpp"

namespace sluice::api {

// Null if there is nothing in it.
std::expected<boost::json::value, FieldError> read_strictly(const std::string& text);

}  // namespace sluice::api
