// SipHash-2-4 with 128 bits: a digest that nobody can guess or check who does not have the key.
// Whoever has no key gets a checksum: it tells changed bytes from unchanged ones and hides nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

struct HashKey {
    static constexpr std::size_t size = 16;
    std::array<std::uint8_t, size> bytes{};
    friend bool operator==(const HashKey&, const HashKey&) = default;
};

// Of exactly as many bytes; otherwise nothing.
std::optional<HashKey> hash_key(std::string_view bytes);

using Digest128 = std::array<std::uint8_t, 16>;
Digest128 keyed_hash(const HashKey& key, std::string_view bytes);

// Hexadecimal.
std::string to_text(const Digest128& digest);

}  // namespace sluice
