#include "language/expression.hpp"

#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "language/evaluator.hpp"
#include "language/refusal.hpp"
#include "language/types.hpp"

namespace sluice::language {

namespace {

// What is wrong with the values, if anything is.
void check_values(const Tree& tree, const Values& values) {
    for (const auto& [name, at] : tree.names) {
        const auto found = values.find(name);
        if (found == values.end())
            refuse(at, quoted(name) + " is not a value that is known", ErrorKind::Invalid);
        if (found->second.depth() > json_depth_max)
            refuse(at, quoted(name) + " is nested too deeply", ErrorKind::TooLarge);
    }
    for (const auto& [name, at] : tree.declared)
        if (values.contains(name)) refuse(at, quoted(name) + " has a meaning already");
    NamedTypes names;
    for (const auto& [name, value] : values)
        if (!value.is_nil()) names.emplace(name, type_of(value));  // nil is often asked for first
    std::vector<Type> types;
    types.reserve(tree.nodes.size());
    for (const Node& node : tree.nodes)
        types.push_back(type_of(node, types, names));
}

}  // namespace

Expression::Expression(Tree tree) : tree_(std::make_shared<const Tree>(std::move(tree))) {}

Result<Expression> parse(std::string_view text) {
    if (text.size() > expression_bytes_max) {
        return failure(ErrorKind::TooLarge,
                       fmt::format("is longer than {} bytes", expression_bytes_max));
    }
    if (!is_utf8(text)) return failure(ErrorKind::Malformed, "is not UTF-8");
    return attempted([&] { return Expression(tree_of(text, expression_depth_max)); });
}

Result<Value> evaluate(const Expression& expression, const Values& values, Instant now) {
    const Tree& tree = expression.tree();
    Result<Value> outcome = attempted([&] {
        check_values(tree, values);
        return Evaluator(tree, values, now, evaluation_steps_max).of(tree.root);
    });
    if (outcome && (outcome->depth() > json_depth_max ||
                    weight(*outcome, value_weight_max) > value_weight_max))
        return failure(ErrorKind::TooLarge, "makes a value that is too large");
    return outcome;
}

Result<bool> holds(const Expression& condition, const Values& values, Instant now) {
    const Result<Value> outcome = evaluate(condition, values, now);
    if (!outcome) return std::unexpected(outcome.error());
    if (const bool* truth = outcome->if_bool()) return *truth;
    return failure(ErrorKind::Invalid,
                   fmt::format("gives {}, and a condition gives a bool", noun_of(*outcome)));
}

Result<Instant> time_at(std::string_view text, Instant now) {
    const auto refusal = [](std::string_view why) {
        return failure(
            ErrorKind::Malformed,
            fmt::format("must be a time such as now() or now() - duration(\"5m\"); it {}", why));
    };
    const Result<Expression> expression = parse(text);
    if (!expression) return refusal("is wrong " + expression.error().message);
    const Result<Value> outcome = evaluate(*expression, {}, now);
    if (!outcome) return refusal("is wrong " + outcome.error().message);
    if (const GoTime* time = outcome->if_time()) return to_instant(*time);
    return refusal(fmt::format("gives {}", noun_of(*outcome)));
}

}  // namespace sluice::language
