// What is known about the values of an expression before it is evaluated: at first by what it is
// made of, and once the values of its names are there, by theirs. What no values could make sense
// of is refused at once, even where it would not be asked for.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "language/syntax.hpp"

namespace sluice::language {

using NamedTypes = std::map<std::string, Type, std::less<>>;

Type type_of(const Value& value);

// The type of a node, given those of the nodes before it and of the names that are known. Throws a
// Refusal.
Type type_of(const Node& node, const std::vector<Type>& before, const NamedTypes& names);

}  // namespace sluice::language
