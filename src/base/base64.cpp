#include "base/base64.hpp"

#include <cstdint>

namespace sluice {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::optional<std::uint32_t> sextet(char c) {
    const std::size_t at = alphabet.find(c);
    if (at == std::string_view::npos) return std::nullopt;
    return static_cast<std::uint32_t>(at);
}

std::string without_line_breaks(std::string_view text) {
    std::string plain;
    plain.reserve(text.size());
    for (const char c : text) {
        if (c != '\n' && c != '\r') plain += c;
    }
    return plain;
}

// The one to three bytes that four characters stand for; nothing if they stand for none.
std::optional<std::string> decode_group(std::string_view four) {
    const std::size_t padding = four.ends_with("==") ? 2 : four.ends_with('=') ? 1 : 0;
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const auto six = i < 4 - padding ? sextet(four[i]) : std::optional<std::uint32_t>{0};
        if (!six) return std::nullopt;
        bits = bits << 6 | *six;
    }
    if ((bits & ((1u << (8 * padding)) - 1)) != 0) return std::nullopt;
    std::string bytes;
    for (std::size_t i = 0; i < 3 - padding; ++i)
        bytes += static_cast<char>(bits >> (16 - 8 * i) & 0xff);
    return bytes;
}

}  // namespace

std::optional<Redacted> decode_base64(std::string_view text) {
    const std::string plain = without_line_breaks(text);
    if (plain.size() % 4 != 0) return std::nullopt;
    std::string bytes;
    bytes.reserve(plain.size() / 4 * 3);
    for (std::size_t at = 0; at < plain.size(); at += 4) {
        const std::string_view four = std::string_view(plain).substr(at, 4);
        const bool is_last = at + 4 == plain.size();
        if (!is_last && four.contains('=')) return std::nullopt;
        const auto group = decode_group(four);
        if (!group) return std::nullopt;
        bytes += *group;
    }
    return Redacted(std::move(bytes));
}

std::string encode_base64(std::string_view bytes) {
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < 3; ++i)
            bits = bits << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0u);
        for (std::size_t i = 0; i < 4; ++i)
            text += i <= count ? alphabet[bits >> (18 - 6 * i) & 0x3f] : '=';
    }
    return text;
}

}  // namespace sluice
