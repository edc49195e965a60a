// YAML text as a JSON value, with bounds on depth and on the number of values, so that a hostile
// or damaged file costs no more than its size. Plain scalars mean what YAML 1.2 says: null, true,
// false, numbers; everything else, and everything in quotes, is a string. Refuses aliases, custom
// tags, keys that are not strings and keys that appear twice. Only the first document is read.
#pragma once

#include <boost/json/value.hpp>
#include <string_view>

#include "base/result.hpp"

namespace sluice::kube {

// Errors name the line and never quote the text: it may be a secret.
Result<boost::json::value> parse_yaml(std::string_view text);

}  // namespace sluice::kube
