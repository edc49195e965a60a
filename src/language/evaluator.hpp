// Walks over the tree of an expression. It calls itself as often as the tree is nested, which the
// parser bounds, and ends when its work is used up. Throws a Refusal where there is no value.
#pragma once

#include <span>
#include <vector>

#include "language/expression.hpp"
#include "language/syntax.hpp"
#include "language/work.hpp"

namespace sluice::language {

// Refers to the tree and the values, in which every name of the tree is given.
class Evaluator {
  public:
    Evaluator(const Tree& tree, const Values& values, Instant now, std::size_t steps)
        : tree_(tree), values_(values), now_(now), work_(steps) {}

    Value of(NodeId id);

  private:
    // What the innermost closure is asked about.
    struct Scope {
        Value item;
        std::int64_t index;
        Value accumulated;
    };

    Value item(const Item& item) const;
    Value declared(const Let& let);
    Value last_of(const Sequence& sequence);
    Value conditional(const Conditional& choice, std::size_t at);
    Value in_a_row(NodeId id);
    Value with_right(const Value& left, const Node& node);
    Value unary(const Unary& unary, std::size_t at);
    Value list(const ListOf& list, std::size_t at);
    Value map(const MapOf& map, std::size_t at);
    Value chain(const Chain& chain);
    Value linked(const Value& base, const Link& link);
    Value indexed(const Value& base, const Value& index);
    Value sliced(const Value& base, const Link& link);
    Value call(const Call& call, std::size_t at);
    Value over_items(Function function, NodeId closure, std::span<const Value> arguments,
                     std::size_t at);
    Value chosen(Function function, NodeId closure, const Value::Array& items, std::size_t at);
    Value reduced(NodeId closure, std::span<const Value> arguments);
    Value asked(NodeId closure, const Value& item, std::size_t index, Value accumulated = {});

    const Tree& tree_;
    const Values& values_;
    Instant now_;
    Work work_;
    std::vector<Scope> scopes_;
    std::vector<Value> variables_;
};

}  // namespace sluice::language
