#include "base/keyed_hash.hpp"

#include <algorithm>
#include <bit>

namespace sluice {
namespace {

// J.-P. Aumasson, D. J. Bernstein: SipHash, a fast short-input PRF.
struct State {
    std::uint64_t v0, v1, v2, v3;

    void rounds(int count) {
        for (int i = 0; i < count; ++i) {
            v0 += v1;
            v1 = std::rotl(v1, 13) ^ v0;
            v0 = std::rotl(v0, 32);
            v2 += v3;
            v3 = std::rotl(v3, 16) ^ v2;
            v0 += v3;
            v3 = std::rotl(v3, 21) ^ v0;
            v2 += v1;
            v1 = std::rotl(v1, 17) ^ v2;
            v2 = std::rotl(v2, 32);
        }
    }
    void take(std::uint64_t word) {
        v3 ^= word;
        rounds(2);
        v0 ^= word;
    }
    std::uint64_t sum() const { return v0 ^ v1 ^ v2 ^ v3; }
};

constexpr std::size_t word_size = 8;

// Little-endian, of at most eight bytes.
template <class Bytes>
std::uint64_t word_of(const Bytes& bytes) {
    std::uint64_t word = 0;
    int shift = 0;
    for (const auto byte : bytes) {
        word |= std::uint64_t{static_cast<std::uint8_t>(byte)} << shift;
        shift += 8;
    }
    return word;
}

}  // namespace

std::optional<HashKey> hash_key(std::string_view bytes) {
    HashKey key;
    if (bytes.size() != HashKey::size) return std::nullopt;
    std::ranges::transform(bytes, key.bytes.begin(),
                           [](char c) { return static_cast<std::uint8_t>(c); });
    return key;
}

Digest128 keyed_hash(const HashKey& key, std::string_view bytes) {
    const std::string_view text{reinterpret_cast<const char*>(key.bytes.data()), HashKey::size};
    const std::uint64_t k0 = word_of(text.substr(0, word_size));
    const std::uint64_t k1 = word_of(text.substr(word_size));
    State state{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d ^ 0xee, k0 ^ 0x6c7967656e657261,
                k1 ^ 0x7465646279746573};
    const std::uint64_t length = bytes.size();
    for (; bytes.size() >= word_size; bytes.remove_prefix(word_size))
        state.take(word_of(bytes.substr(0, word_size)));
    state.take(length << 56 | word_of(bytes));
    Digest128 digest{};
    const auto put = [&](std::size_t at) {
        state.rounds(4);
        const std::uint64_t sum = state.sum();
        for (std::size_t i = 0; i < word_size; ++i)
            digest[at + i] = static_cast<std::uint8_t>(sum >> (8 * i));
    };
    state.v2 ^= 0xee;
    put(0);
    state.v1 ^= 0xdd;
    put(word_size);
    return digest;
}

std::string to_text(const Digest128& digest) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t byte : digest) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

}  // namespace sluice
