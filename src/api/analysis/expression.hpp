// The conditions of analysis templates: the part of the language of github.com/expr-lang/expr that
// people write into successCondition and failureCondition.
//
//   result[0] >= 0.95      result.status == "ok" and not (result.errors?.fatal ?? false)
//   all(result, {# > 5})   len(filter(result.items, {.latency > 0.5})) < 3   default(result, 0) < 1
//
// Promises: any text can be given to parse() and any values to evaluate(); both end within their
// bounds, without an exception. What cannot be evaluated is an Error with the position, counted in
// bytes from 1, and never true. A sentence repeats words of the expression, never a value.
//
// As in expr: a division by zero is infinite or NaN, and NaN is neither equal to nor less than
// anything; a key that a map does not have is nil, but nil has no members; `contains` and its like
// are false of nil; values of different kinds differ, but to compare kinds that are known to differ
// is refused at once; a name that is not given is refused even where it would not be asked for.
// Otherwise than in expr: an integer that outgrows 64 bits is an Error, not another integer, and a
// number from JSON without a fraction is an integer. There is no `let`, no `|` and no method.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "api/analysis/value.hpp"
#include "base/result.hpp"

namespace sluice::api::analysis {

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

Result<Value> evaluate(const Expression& expression, const Values& values);

// Whether a condition holds; one that is not about true and false is an Error.
Result<bool> holds(const Expression& condition, const Values& values);

}  // namespace sluice::api::analysis
