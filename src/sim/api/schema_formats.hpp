// The formats of strings that a schema can ask for. A format that is not known asks for nothing.
#pragma once

#include <string_view>

namespace sluice::sim {

bool has_format(std::string_view text, std::string_view format);

}  // namespace sluice::sim
