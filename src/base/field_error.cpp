#include "base/field_error.hpp"

#include <fmt/format.h>

namespace sluice {

std::string to_text(const FieldErrors& errors) {
    std::string text;
    for (const FieldError& error : errors)
        text += fmt::format("{}{}: {}.", text.empty() ? "" : " ", error.field, error.what);
    return text;
}

}  // namespace sluice
