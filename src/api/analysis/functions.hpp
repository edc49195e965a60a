// The functions of expressions that need no closure. They throw a Refusal where an argument is not
// what the function is about.
#pragma once

#include <span>

#include "api/analysis/syntax.hpp"
#include "api/analysis/value.hpp"
#include "api/analysis/work.hpp"

namespace sluice::api::analysis {

// As many arguments as the function's signature says.
Value called(Function function, std::span<const Value> arguments, Work& work);

// The array that a function goes over.
const Value::Array& array_for(Function function, const Value& value, const Work& work);

}  // namespace sluice::api::analysis
