// What the operators do to values, but for those that may leave a side alone (and, or, ??). They
// throw a Refusal where the operator has no meaning for what it is given.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/pattern.hpp"
#include "language/syntax.hpp"
#include "language/value.hpp"
#include "language/work.hpp"

namespace sluice::language {

// Values of different kinds differ; an integer equals a float of the same number.
bool equal(const Value& left, const Value& right, Work& work);
// Numbers by size, texts by their bytes, times and durations by what comes first and is shorter.
bool less(const Value& left, const Value& right, Operator op, Work& work);

// Integers stay integers in + - * and %; / and ** always make floats, so that a division by zero is
// infinite or NaN. An integer that outgrows 64 bits is refused, as is the rest of a division by 0;
// so is a duration that does.
Value added(const Value& left, const Value& right, Work& work);
Value negated(const Value& value, Work& work);

// Where the part stands in the text, one behind the other and at most so many, in time that grows
// with both lengths and not their product. An empty part stands around every character.
std::vector<std::size_t> places_of(std::string_view text, std::string_view part, std::size_t most,
                                   Work& work);

// Where the item of this index stands among so many; a negative index counts from the end.
std::optional<std::size_t> place_in(std::size_t size, std::int64_t index);

// What a map holds under a key, which must be a text; nil: nothing.
Value member_of(const Value::Map& members, const Value& key, Work& work);

// Whether a pattern fits; of nil, none does.
bool fits(const Value& text, const Pattern& pattern, Work& work);

Value applied(Operator op, const Value& left, const Value& right, Work& work);

bool truth(const Value& value, Operator op, const Work& work);
// The number without its fraction; `what` begins the sentence that refuses others.
std::int64_t whole(const Value& value, const char* what, const Work& work);

}  // namespace sluice::language
