// The Retry-After header: whole seconds, or a date as RFC 9110 prefers it.
#pragma once

#include <optional>
#include <string_view>

#include "base/time.hpp"

namespace sluice::kube {

// How long to wait, clamped to 1..60 s; zero if the header is absent or cannot be read.
Duration parse_retry_after(std::string_view header, Instant now);

// "Sun, 06 Nov 1994 08:49:37 GMT"; the two obsolete forms are nothing.
std::optional<Instant> parse_http_date(std::string_view text);

}  // namespace sluice::kube
