// Log lines for people (console) or machines (json). Texts are escaped and capped: whatever comes
// from outside cannot forge a line.
#pragma once

#include <string>
#include <string_view>

#include "controller/effect.hpp"

namespace sluice::operators {

// format: console or json; level: debug, info, warning, error.
void open_log(const std::string& format, const std::string& level);
// In json the kind of `about` is the name of the field, in small letters.
void log_line(controller::Log::Level level, std::string_view text, const model::Ref& about = {});

}  // namespace sluice::operators
