// Text from others on its way into status, events and logs. What comes out is valid UTF-8, on one
// line, without control characters or marks that reorder what is read, and not longer than asked.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/inquiry/inquiry.hpp"

namespace sluice::api {

// A condition or an event shows a sentence, not a document.
inline constexpr std::size_t message_bytes_max = 256;
// What we say ourselves may hold the command that helps.
inline constexpr std::size_t advice_bytes_max = 400;

std::string printable(std::string_view text, std::size_t bytes_max = message_bytes_max);

// The text in double quotes, shortened to what a sentence can carry.
std::string quoted(std::string_view text);

// A message that the other side wrote, with every secret it was shown blotted out: a server that
// echoes its Authorization header must not carry it into an event. `more` are secrets that did not
// come as a Secret, such as a token.
std::string confined(std::string_view message, const Learnt& learnt,
                     std::span<const Redacted> more = {});

// With the letters A to Z in lower case.
std::string in_lower_case(std::string_view text);

// Secrets are often made with `echo`, which adds a newline that nobody means.
std::string_view without_trailing_newline(std::string_view text);

}  // namespace sluice::api
