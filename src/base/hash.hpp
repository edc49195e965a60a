// FNV-1a: tells changed bytes from unchanged ones. Nothing depends on it being hard to forge.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

constexpr std::uint64_t fnv1a(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : bytes)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

// As sixteen hexadecimal digits.
std::string hex_digest(std::string_view bytes);

}  // namespace sluice
