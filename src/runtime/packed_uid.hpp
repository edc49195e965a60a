// A UID in 16 bytes when it is one, as a hash of the text otherwise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace sluice::runtime {

struct PackedUid {
    std::array<std::uint64_t, 2> words{};
    friend bool operator==(const PackedUid&, const PackedUid&) = default;
};
struct PackedUidHash {
    std::size_t operator()(const PackedUid& uid) const { return uid.words[0] ^ uid.words[1]; }
};

PackedUid pack_uid(const std::string& text);
// The text, if it was a UID.
std::string unpack_uid(const PackedUid& uid);

}  // namespace sluice::runtime
