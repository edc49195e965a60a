// What others wrote and sent, on its way into status, events, logs and requests.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/inquiry/inquiry.hpp"

namespace sluice::api {

// A message that the other side wrote, printable and with every secret it was shown blotted out: a
// server that echoes its Authorization header must not carry it into an event. `more` are secrets
// that did not come as a Secret, such as a token.
std::string confined(std::string_view message, const Learnt& learnt,
                     std::span<const Redacted> more = {});

// A token of RFC 7230: what a header may be called.
bool is_token(std::string_view text);

// Secrets are often made with `echo`, which adds a newline that nobody means.
std::string_view without_trailing_newline(std::string_view text);

}  // namespace sluice::api
