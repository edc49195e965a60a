// UTF-8, one code point at a time. Bytes that are not UTF-8 are never taken for a character:
// overlong forms, surrogates and what lies above U+10FFFF are refused.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// A sequence of UTF-8: its code point and its length in bytes.
struct Rune {
    char32_t point;
    std::size_t length;
};

// The first rune of the text; nothing if the text is empty or its first bytes are not UTF-8.
std::optional<Rune> first_rune(std::string_view text);

bool is_utf8(std::string_view text);

// The beginning of the text: at most so many bytes, and no half sequence at their end.
std::string_view beginning(std::string_view text, std::size_t bytes_max);

// The bytes of a code point; those of U+FFFD where it is none.
std::string utf8_of(char32_t point);

}  // namespace sluice
