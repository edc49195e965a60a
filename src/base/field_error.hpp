// What is wrong with something that a user wrote, and where.
#pragma once

#include <string>
#include <vector>

namespace sluice {

struct FieldError {
    std::string field;  // "spec.check.query.url"; empty: all of it
    std::string what;   // completes the sentence `<field>: ...`; printable, and not long
    friend bool operator==(const FieldError&, const FieldError&) = default;
};

using FieldErrors = std::vector<FieldError>;

// All of them in one line, for a status message.
std::string to_text(const FieldErrors& errors);

}  // namespace sluice
