// The functions of expressions that need no closure, in groups of one file each. They throw a
// Refusal where an argument is not what the function is about.
#pragma once

#include <span>
#include <string>

#include "language/syntax.hpp"
#include "language/value.hpp"
#include "language/work.hpp"

namespace sluice::language {

using Arguments = std::span<const Value>;

// As many arguments as the function's signature says.
Value called(Function function, Arguments arguments, Work& work);

// What a function does; of one that belongs to another group, nothing.
using Body = Value (*)(Function function, Arguments arguments, Work& work);
Body number_function(Function function);
Body text_function(Function function);
Body list_function(Function function);
Body conversion(Function function);
Body time_function(Function function);

// What a function makes of the items and of what its closure said about each.
Value collected(Function function, Arguments arguments, Value::Array answers, Work& work);

// The argument as the function wants it.
[[noreturn]] void refuse_argument(Function function, const Value& value, const Work& work);
double number_for(Function function, const Value& value, const Work& work);
std::int64_t integer_for(Function function, const Value& value, const Work& work);
const std::string& text_for(Function function, const Value& value, Work& work);
const Value::Array& array_for(Function function, const Value& value, const Work& work);

}  // namespace sluice::language
