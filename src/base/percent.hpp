// Percent-encoding for paths, queries and forms: everything but letters, digits, "-", ".", "_" and
// "~" is encoded, so that no text can end the part of a URL that it stands in.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

std::string percent_encoded(std::string_view text);

}  // namespace sluice
