// An answer of the API server that is not a success, as an error. The sentence is the message of
// the server's Status, capped and cleaned; a body that is no Status is dropped, never shown.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "kube/api_client.hpp"
#include "net/http_client.hpp"

namespace sluice::kube {

// What a status means for whoever asked. A 422 to a JSON Patch is a Conflict: the server answers a
// failed `test` so, and in the same words a path that is not there; both mean plan again.
ErrorKind error_kind(int status, bool is_json_patch);

ApiError api_error(const ApiRequest& request, const net::HttpResponse& response, Instant now);

// The Retry-After header: whole seconds, or a date as RFC 9110 prefers it. How long to wait,
// clamped to 1..60 s; zero if the header is absent or cannot be read.
Duration parse_retry_after(std::string_view header, Instant now);

// "Sun, 06 Nov 1994 08:49:37 GMT"; the two obsolete forms are nothing.
std::optional<Instant> parse_http_date(std::string_view text);

}  // namespace sluice::kube
