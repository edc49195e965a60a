// Text from others, fit to be shown: what comes out is valid UTF-8, on one line, without control
// characters or marks that reorder what is read, and not longer than asked.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// A condition or an event shows a sentence, not a document.
inline constexpr std::size_t message_bytes_max = 256;
// What we say ourselves may hold the command that helps.
inline constexpr std::size_t advice_bytes_max = 400;

std::string printable(std::string_view text, std::size_t bytes_max = message_bytes_max);

// The text in double quotes, shortened to what a sentence can carry.
std::string quoted(std::string_view text);
// Where <iomanip> is in sight, std::quoted would be taken for a string.
inline std::string quoted(const std::string& text) {
    return quoted(std::string_view{text});
}

}  // namespace sluice
