// The conditions of measurements, in the language of github.com/expr-lang/expr, as people
// write them into successCondition and failureCondition:
//
//   result[0] >= 0.95
//   result.status == "ok" and not (result.errors?.fatal ?? false)
//   result.items | filter(.latency > 0.5) | len() < 3
//   let age = now() - date(result.made); age < duration("1h")
//
// Promises: any text can be given to parse() and any values to evaluate(); both end within their
// bounds, without an exception. What cannot be evaluated is an Error with the position, counted in
// bytes from 1, and never true. A sentence repeats words of the expression, never a value.
//
// As in expr: a division by zero is infinite or NaN, and NaN is neither equal to nor less than
// anything; a key that a map does not have is nil, but nil has no members; `contains` and its like
// are false of nil. What the kinds of the given values make senseless is refused even where it
// would not be asked for (but for nil: `result == nil or result > 5`), as is a name that is not
// given.
//
// Otherwise than in expr, an Error instead of a quiet answer:
//  - == and != between values of two kinds, also of items and members;
//  - an integer or a duration that outgrows 64 bits, where expr goes on with another one;
//  - an item of a text, a slice that cuts through a character, and functions over the items of what
//    is no list;
//  - keys of maps that are no texts; `and` and `or` of what is not true or false.
// And these differ:
//  - a number from JSON without a fraction is an integer;
//  - isNil() and default(), which the original adds to expr, are about their argument. There, they
//    are about the result whatever they are given; asked about the result both say the same;
//  - keys(), values() and toPairs() go by the order of the keys, sort() and sortBy() keep that of
//    equals;
//  - a time knows its offset from UTC and no zone, so there is no timezone(); of the methods of
//    times and durations there are those without arguments that give numbers; there is no $env.
// tests/differential compares the two.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "language/value.hpp"

namespace sluice::language {

inline constexpr std::size_t expression_bytes_max = 8u << 10;  // longer ones are not by people
inline constexpr std::size_t expression_depth_max = 64;        // bounds the stack
inline constexpr std::size_t evaluation_steps_max = 100'000;   // some milliseconds

struct Tree;

class Expression {
  public:
    explicit Expression(Tree tree);
    const Tree& tree() const { return *tree_; }

  private:
    std::shared_ptr<const Tree> tree_;
};

// What the names in an expression stand for. No value is nested deeper than json_depth_max.
using Values = std::map<std::string, Value, std::less<>>;

Result<Expression> parse(std::string_view text);

Result<Value> evaluate(const Expression& expression, const Values& values, Instant now);

// Whether a condition holds; one that is not about true and false is an Error.
Result<bool> holds(const Expression& condition, const Values& values, Instant now);

// The time that an expression gives: `now() - duration("5m")`. The Error completes the sentence
// `<field> ...`.
Result<Instant> time_at(std::string_view text, Instant now);

}  // namespace sluice::language
