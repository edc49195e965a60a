// Base64 with the standard alphabet. Decoding is strict: padding is complete, unused bits are zero,
// and nothing but line breaks (which kubectl skips too) may stand between the characters.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/redacted.hpp"

namespace sluice {

std::optional<Redacted> decode_base64(std::string_view text);
std::string encode_base64(std::string_view bytes);

}  // namespace sluice
