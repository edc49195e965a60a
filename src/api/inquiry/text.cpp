#include "api/inquiry/text.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace sluice::api {

namespace {

// A sequence of UTF-8: its code point and its length in bytes.
struct Rune {
    char32_t point;
    std::size_t length;
};

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

// The first rune of the text; nothing if its bytes are not UTF-8.
std::optional<Rune> first_rune(std::string_view text) {
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
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    if (overlong || surrogate || point > 0x10FFFF) return std::nullopt;
    return Rune{point, length};
}

bool is_white(char32_t point) {
    return point == '\n' || point == '\r' || point == '\t' || point == 0x2028 || point == 0x2029;
}

// Control characters, and the marks that turn the direction of what follows.
bool is_unseen(char32_t point) {
    return point < 0x20 || (point >= 0x7F && point <= 0x9F) || point == 0x061C ||
           (point >= 0x200B && point <= 0x200F) || (point >= 0x202A && point <= 0x202E) ||
           (point >= 0x2060 && point <= 0x206F) || point == 0xFEFF;
}

void blot(std::string& text, std::string_view secret) {
    constexpr std::string_view mark = "[redacted]";
    for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
        text.replace(at, secret.size(), mark);
        at += mark.size();
    }
}

// The value as a whole, and its longer words: "Bearer x" is echoed as "x" too. Shorter pieces are
// no secrets, and blotting them would garble the sentence.
void blot_words(std::string& text, std::string_view secret) {
    constexpr std::size_t value_bytes_min = 4;
    constexpr std::size_t word_bytes_min = 6;
    if (secret.size() >= value_bytes_min) blot(text, secret);
    while (!secret.empty()) {
        const std::size_t end = std::min(secret.find(' '), secret.size());
        if (end >= word_bytes_min) blot(text, secret.substr(0, end));
        secret.remove_prefix(std::min(end + 1, secret.size()));
    }
}

}  // namespace

std::string printable(std::string_view text, std::size_t bytes_max) {
    std::string out;
    while (!text.empty()) {
        const std::optional<Rune> rune = first_rune(text);
        const std::size_t length = rune ? rune->length : 1;
        if (rune && is_white(rune->point)) {
            if (out.size() + 1 > bytes_max) break;
            out += ' ';
        } else if (rune && !is_unseen(rune->point)) {
            if (out.size() + length > bytes_max) break;
            out.append(text.substr(0, length));
        }
        text.remove_prefix(length);
    }
    return out;
}

std::string quoted(std::string_view text) {
    constexpr std::size_t quote_bytes_max = 64;
    return '"' + printable(text, quote_bytes_max) + '"';
}

std::string confined(std::string_view message, const Learnt& learnt) {
    std::string text = printable(message, message.size());
    for (const auto& [name, secret] : learnt.secrets) {
        if (!secret) continue;
        for (const auto& [key, value] : secret->data) {
            blot_words(text, without_trailing_newline(value.reveal()));
        }
    }
    return printable(text);
}

std::string_view without_trailing_newline(std::string_view text) {
    while (text.ends_with('\n') || text.ends_with('\r'))
        text.remove_suffix(1);
    return text;
}

}  // namespace sluice::api
