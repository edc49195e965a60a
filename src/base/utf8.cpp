#include "base/utf8.hpp"

#include <cstdint>

namespace sluice {

namespace {

std::uint8_t byte_at(std::string_view text, std::size_t i) {
    return static_cast<std::uint8_t>(text[i]);
}

std::size_t length_by_lead(std::uint8_t lead) {
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) return 2;
    if (lead >= 0xE0 && lead <= 0xEF) return 3;
    if (lead >= 0xF0 && lead <= 0xF4) return 4;
    return 0;
}

bool is_surrogate(char32_t point) {
    return point >= 0xD800 && point <= 0xDFFF;
}

}  // namespace

std::optional<Rune> first_rune(std::string_view text) {
    if (text.empty()) return std::nullopt;
    const std::uint8_t lead = byte_at(text, 0);
    const std::size_t length = length_by_lead(lead);
    if (length == 0 || length > text.size()) return std::nullopt;
    if (length == 1) return Rune{lead, 1};

    char32_t point = lead & (0xFFu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte_at(text, i) & 0xC0u) != 0x80u) return std::nullopt;
        point = (point << 6) | (byte_at(text, i) & 0x3Fu);
    }
    const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
    if (overlong || is_surrogate(point) || point > 0x10FFFF) return std::nullopt;
    return Rune{point, length};
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::optional<Rune> rune = first_rune(text);
        if (!rune) return false;
        text.remove_prefix(rune->length);
    }
    return true;
}

std::string_view beginning(std::string_view text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) return text;
    std::size_t end = bytes_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
        --end;
    return text.substr(0, end);
}

std::string utf8_of(char32_t point) {
    if (is_surrogate(point) || point > 0x10FFFF) point = 0xFFFD;
    const auto tail = [&](unsigned shift) {
        return static_cast<char>(0x80u | ((point >> shift) & 0x3Fu));
    };
    if (point < 0x80) return {static_cast<char>(point)};
    if (point < 0x800) return {static_cast<char>(0xC0u | (point >> 6)), tail(0)};
    if (point < 0x10000) return {static_cast<char>(0xE0u | (point >> 12)), tail(6), tail(0)};
    return {static_cast<char>(0xF0u | (point >> 18)), tail(12), tail(6), tail(0)};
}

}  // namespace sluice
