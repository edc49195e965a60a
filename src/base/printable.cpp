#include "base/printable.hpp"

#include <optional>

#include "base/utf8.hpp"

namespace sluice {
namespace {

bool is_white(char32_t point) {
    return point == '\n' || point == '\r' || point == '\t' || point == 0x2028 || point == 0x2029;
}

// Control characters, and the marks that turn the direction of what follows.
bool is_unseen(char32_t point) {
    return point < 0x20 || (point >= 0x7F && point <= 0x9F) || point == 0x061C ||
           (point >= 0x200B && point <= 0x200F) || (point >= 0x202A && point <= 0x202E) ||
           (point >= 0x2060 && point <= 0x206F) || point == 0xFEFF;
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

}  // namespace sluice
