#include "runtime/packed_uid.hpp"

namespace sluice::runtime {

// "123e4567-e89b-12d3-a456-426614174000" in two words; any other text by FNV-1a, twice.
PackedUid pack_uid(const std::string& text) {
    PackedUid uid;
    std::size_t digits = 0;
    for (const char c : text) {
        if (c == '-') continue;
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0 || digits == 32) {
            digits = 0;
            break;
        }
        uid.words[digits / 16] = uid.words[digits / 16] << 4 | static_cast<std::uint64_t>(digit);
        ++digits;
    }
    if (digits == 32 && text.size() == 36) return uid;
    uid.words = {0xcbf29ce484222325, 0x84222325cbf29ce4};
    for (const char c : text)
        for (auto& word : uid.words)
            word = (word ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return uid;
}

std::string unpack_uid(const PackedUid& uid) {
    constexpr char hex[] = "0123456789abcdef";
    std::string text;
    text.reserve(36);
    for (std::size_t digit = 0; digit < 32; ++digit) {
        if (digit == 8 || digit == 12 || digit == 16 || digit == 20) text += '-';
        text += hex[uid.words[digit / 16] >> (60 - digit % 16 * 4) & 0xF];
    }
    return text;
}

}  // namespace sluice::runtime
