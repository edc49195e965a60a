// What is wrong with something that a user wrote, and where.
#pragma once

#include <string>

namespace sluice {

struct FieldError {
    std::string field;  // "spec.check.query.url"; empty: all of it
    std::string what;   // completes the sentence `<field>: ...`; printable, and not long
    friend bool operator==(const FieldError&, const FieldError&) = default;
};

}  // namespace sluice
