#include "kube/bearer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::kube {

Result<Redacted> bearer(const std::string& where, std::string_view token) {
    if (token.empty()) return failure(ErrorKind::Invalid, fmt::format("{} is empty", where));
    if (token.size() > token_bytes_max)
        return failure(ErrorKind::TooLarge,
                       fmt::format("{} is larger than {} KiB", where, token_bytes_max / 1024));
    const bool is_plain = std::ranges::all_of(token, [](char c) { return c > ' ' && c < 0x7f; });
    if (!is_plain)
        return failure(ErrorKind::Invalid,
                       fmt::format("{} has a blank, a line break or another character that no "
                                   "token has",
                                   where));
    return Redacted("Bearer " + std::string(token));
}

}  // namespace sluice::kube
