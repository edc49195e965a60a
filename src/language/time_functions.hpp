// The methods of times and durations, which expressions call as Go names them: "date(x).Unix()".
#pragma once

#include <string_view>

#include "language/value.hpp"
#include "language/work.hpp"

namespace sluice::language {

bool is_method(std::string_view name);

// Throws a Refusal if this value has no such method.
Value method_called(std::string_view name, const Value& of, const Work& work);

}  // namespace sluice::language
