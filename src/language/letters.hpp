// Upper and lower case of single letters, of the Latin, Greek and Cyrillic alphabets as Europe
// writes them. Every other character is its own upper and lower case. No locale has a say.
#pragma once

#include <string>
#include <string_view>

namespace sluice::language {

// White space as Unicode has it.
bool is_space(char32_t point);

// Bytes that are not UTF-8 stay as they are.
std::string lowered(std::string_view text);
std::string uppered(std::string_view text);

}  // namespace sluice::language
