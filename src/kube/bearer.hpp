// A bearer token on its way into the Authorization header.
#pragma once

#include <string>
#include <string_view>

#include "base/redacted.hpp"
#include "base/result.hpp"

namespace sluice::kube {

// Real tokens have a few KiB; servers refuse headers far below this.
inline constexpr std::size_t token_bytes_max = 64 << 10;

// "Bearer <token>". The error is a sentence that starts with `where` and does not quote the token.
Result<Redacted> bearer(const std::string& where, std::string_view token);

}  // namespace sluice::kube
