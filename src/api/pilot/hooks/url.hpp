// A strict reading of the URL of an external hook. What two parsers could read in two ways is
// refused: userinfo, fragments, backslashes, numbers that only some resolvers take for addresses.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace sluice::api::pilot {

// The Error completes the sentence `<field>: ...`. It does not repeat the URL: one with a password
// in it is refused here, and must not be printed.
Result<void> check_url(std::string_view url);

bool is_ipv4(std::string_view text);
bool is_ipv6(std::string_view text);
// A decimal port between 1 and 65535, without leading zeros.
bool is_port(std::string_view text);

}  // namespace sluice::api::pilot
