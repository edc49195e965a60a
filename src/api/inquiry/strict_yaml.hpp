// YAML as people write it into ConfigMaps: one document of at most 64 KiB, in which every scalar is
// a text or null. model/yaml.hpp says what else is refused.
#pragma once

#include <boost/json/value.hpp>
#include <expected>
#include <string>
#include <utility>

#include "base/field_error.hpp"

namespace sluice::api {

inline std::unexpected<FieldError> wrong(std::string field, std::string what) {
    return std::unexpected(FieldError{std::move(field), std::move(what)});
}

// Null if there is nothing in it.
std::expected<boost::json::value, FieldError> read_strictly(const std::string& text);

}  // namespace sluice::api
