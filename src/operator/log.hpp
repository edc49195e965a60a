// Log lines for people (console) or machines (json). Texts are escaped and capped: whatever comes
// from outside cannot forge a line.
#pragma once

#include <string>
#include <string_view>

#include "controller/effect.hpp"

namespace sluice::operators {

// format: console or json; level: debug, info, warning, error.
void open_log(const std::string& format, const std::string& level);
// `kind` is the kind of `about`; in json its small letters are the name of the field.
void log_line(controller::Log::Level level, std::string_view text,
              const model::ObjectKey& about = {}, std::string_view kind = "StatefulSet");

}  // namespace sluice::operators
