// Questions about PEM bytes, asked before they reach the TLS library, so that the answer can name
// the file and the field. Never prompts for a password: an encrypted key is no key to us.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/time.hpp"

namespace sluice::kube {

// An int holds the length that OpenSSL wants; files are bounded far below.
inline constexpr std::size_t pem_bytes_max = 1 << 20;

bool holds_certificate(std::string_view pem);
bool holds_private_key(std::string_view pem);
// The first certificate and the key belong together.
bool is_pair(std::string_view cert_pem, std::string_view key_pem);
// When the first certificate ceases to be valid.
std::optional<Instant> certificate_expiry(std::string_view cert_pem);

}  // namespace sluice::kube
