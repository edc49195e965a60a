#include "language/types.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/printable.hpp"
#include "language/functions.hpp"

namespace sluice::language {

namespace {

std::string_view noun(Type type) {
    constexpr std::array nouns{"anything", "nil",   "a bool", "a number",  "a string",
                               "an array", "a map", "a time", "a duration"};
    return nouns[static_cast<std::size_t>(type)];
}

Type at_node(const std::vector<Type>& before, NodeId id) {
    return before[static_cast<std::size_t>(id)];
}

void want(Type type, std::initializer_list<Type> fine, Operator op, std::size_t at) {
    if (type == Type::Anything || std::ranges::find(fine, type) != fine.end()) return;
    refuse(at, fmt::format("{} does not go with {}", spelled(op), noun(type)));
}

bool may_be(Type type, Type wanted) {
    return type == wanted || type == Type::Anything;
}

[[noreturn]] void refuse_pair(Operator op, Type left, Type right, std::size_t at) {
    refuse(at,
           fmt::format("{} does not go between {} and {}", spelled(op), noun(left), noun(right)));
}

// What operators make of which types.
struct Pair {
    Operator op;
    Type left;
    Type right;
    Type gives;
};

constexpr std::array pairs{
    Pair{Operator::Less, Type::Number, Type::Number, Type::Bool},
    Pair{Operator::Less, Type::Text, Type::Text, Type::Bool},
    Pair{Operator::Less, Type::Time, Type::Time, Type::Bool},
    Pair{Operator::Less, Type::Duration, Type::Duration, Type::Bool},
    Pair{Operator::Add, Type::Number, Type::Number, Type::Number},
    Pair{Operator::Add, Type::Text, Type::Text, Type::Text},
    Pair{Operator::Add, Type::Time, Type::Duration, Type::Time},
    Pair{Operator::Add, Type::Duration, Type::Time, Type::Time},
    Pair{Operator::Add, Type::Duration, Type::Duration, Type::Duration},
    Pair{Operator::Subtract, Type::Number, Type::Number, Type::Number},
    Pair{Operator::Subtract, Type::Time, Type::Time, Type::Duration},
    Pair{Operator::Subtract, Type::Time, Type::Duration, Type::Time},
    Pair{Operator::Subtract, Type::Duration, Type::Duration, Type::Duration},
    Pair{Operator::Multiply, Type::Number, Type::Number, Type::Number},
    Pair{Operator::Multiply, Type::Number, Type::Duration, Type::Duration},
    Pair{Operator::Multiply, Type::Duration, Type::Number, Type::Duration},
    Pair{Operator::Multiply, Type::Duration, Type::Duration, Type::Duration},
};

// What the pair of `like` that fits gives; if a type is not known, one of them must fit.
Type type_of_pair(Operator op, Operator like, Type left, Type right, std::size_t at) {
    std::optional<Type> gives;
    for (const Pair& pair : pairs) {
        if (pair.op != like || !may_be(left, pair.left) || !may_be(right, pair.right)) continue;
        gives = gives.value_or(pair.gives) == pair.gives ? pair.gives : Type::Anything;
    }
    if (!gives) refuse_pair(op, left, right, at);
    const bool is_sure = left != Type::Anything && right != Type::Anything;
    return is_sure || *gives == Type::Bool ? *gives : Type::Anything;
}

Type type_of_binary(Operator op, Type left, Type right, std::size_t at) {
    switch (op) {
        case Operator::Or:
        case Operator::And:
            want(left, {Type::Bool}, op, at);
            want(right, {Type::Bool}, op, at);
            return Type::Bool;
        case Operator::Equal:
        case Operator::Unequal:
            if (left != Type::Nil && right != Type::Nil && !may_be(left, right) &&
                !may_be(right, left))
                refuse_pair(op, left, right, at);
            return Type::Bool;
        case Operator::Less:
        case Operator::LessOrEqual:
        case Operator::Greater:
        case Operator::GreaterOrEqual: return type_of_pair(op, Operator::Less, left, right, at);
        case Operator::In:
            want(right, {Type::Array, Type::Map, Type::Nil}, op, at);
            return Type::Bool;
        case Operator::Matches:
        case Operator::Contains:
        case Operator::StartsWith:
        case Operator::EndsWith:
            want(left, {Type::Text, Type::Nil}, op, at);
            want(right, {Type::Text, Type::Nil}, op, at);
            return Type::Bool;
        case Operator::Add:
        case Operator::Subtract:
        case Operator::Multiply: return type_of_pair(op, op, left, right, at);
        case Operator::Coalesce: return left == right ? left : Type::Anything;
        default:
            want(left, {Type::Number}, op, at);
            want(right, {Type::Number}, op, at);
            return op == Operator::Range ? Type::Array : Type::Number;
    }
}

Type type_of_unary(Operator op, Type of, std::size_t at) {
    const Type type = op == Operator::Not ? Type::Bool : Type::Number;
    want(of, {type}, op, at);
    return type;
}

bool takes(Parameter parameter, Type type) {
    switch (parameter) {
        case Parameter::Number: return type == Type::Number;
        case Parameter::Text: return type == Type::Text;
        case Parameter::TextOrNumber: return type == Type::Text || type == Type::Number;
        case Parameter::Array: return type == Type::Array;
        case Parameter::Map: return type == Type::Map;
        case Parameter::Lengthy:
            return type == Type::Text || type == Type::Array || type == Type::Map;
        case Parameter::Holder: return type == Type::Array || type == Type::Map;
        case Parameter::Numbers: return type == Type::Number || type == Type::Array;
        default: return true;
    }
}

bool asks_yes_or_no(Function function) {
    switch (function) {
        case Function::Map:
        case Function::Sum:
        case Function::GroupBy:
        case Function::SortBy:
        case Function::Reduce: return false;
        default: return true;
    }
}

Type type_of_call(const Call& call, const std::vector<Type>& before, std::size_t at) {
    const Signature* const signature = signature_of(name_of(call.function));
    std::size_t place = 0;
    for (const NodeId argument : call.arguments) {
        if (signature->parameter(place) == Parameter::Closure) ++place;
        const Type type = at_node(before, argument);
        if (type != Type::Anything && !takes(signature->parameter(place), type))
            refuse(at, fmt::format("{} does not go with {}", signature->name, noun(type)));
        ++place;
    }
    if (call.closure && asks_yes_or_no(call.function) &&
        !may_be(at_node(before, *call.closure), Type::Bool))
        refuse(at, fmt::format("the closure of {} gives {}, not a bool", signature->name,
                               noun(at_node(before, *call.closure))));
    return signature->type;
}

void check_index(std::size_t at, Type base, Type index) {
    const bool is_map = base == Type::Map;
    if (may_be(index, is_map ? Type::Text : Type::Number)) return;
    refuse(at, fmt::format("{} is {}, not {}", is_map ? "the key of a map" : "the index",
                           noun(index), noun(is_map ? Type::Text : Type::Number)));
}

// The first link into a value whose type is known; what comes of it is mostly not.
Type type_of_chain(const Chain& chain, const std::vector<Type>& before) {
    const Type base = at_node(before, chain.base);
    const Link& link = chain.links.front();
    const bool is_only = chain.links.size() == 1;
    if (base == Type::Anything || (base == Type::Nil && link.optional)) return Type::Anything;
    if (link.kind == Link::Kind::Method) return is_only ? Type::Number : Type::Anything;
    if (link.kind == Link::Kind::Member) {
        if (base != Type::Map)
            refuse(link.at, fmt::format("{} has no member {}", noun(base), quoted(link.name)));
        return Type::Anything;
    }
    const bool is_sliced = link.kind == Link::Kind::Slice;
    if (base != Type::Array && base != (is_sliced ? Type::Text : Type::Map))
        refuse(link.at, fmt::format("{} has no items", noun(base)));
    if (!is_sliced && link.from) check_index(link.at, base, at_node(before, *link.from));
    const bool are_slices = std::ranges::all_of(
        chain.links, [](const Link& one) { return one.kind == Link::Kind::Slice; });
    return are_slices ? base : Type::Anything;
}

Type type_of_conditional(const Conditional& conditional, const std::vector<Type>& before,
                         std::size_t at) {
    const Type condition = at_node(before, conditional.condition);
    if (!may_be(condition, Type::Bool))
        refuse(at, fmt::format("the condition is {}, not a bool", noun(condition)));
    const Type yes = at_node(before, conditional.yes);
    return yes == at_node(before, conditional.no) ? yes : Type::Anything;
}

}  // namespace

Type type_of(const Value& value) {
    constexpr std::array types{Type::Nil,   Type::Bool, Type::Number, Type::Number,  Type::Text,
                               Type::Array, Type::Map,  Type::Time,   Type::Duration};
    return types[static_cast<std::size_t>(value.kind())];
}

Type type_of(const Node& node, const std::vector<Type>& before, const NamedTypes& names) {
    if (const auto* literal = std::get_if<Literal>(&node.what)) return type_of(literal->value);
    if (const auto* named = std::get_if<Named>(&node.what)) {
        const auto found = names.find(named->name);
        return found == names.end() ? Type::Anything : found->second;
    }
    if (const auto* item = std::get_if<Item>(&node.what))
        return item->part == Item::Part::Index ? Type::Number : Type::Anything;
    if (const auto* let = std::get_if<Let>(&node.what)) return at_node(before, let->body);
    if (const auto* variable = std::get_if<Variable>(&node.what))
        return at_node(before, variable->value);
    if (const auto* sequence = std::get_if<Sequence>(&node.what))
        return at_node(before, sequence->parts.back());
    if (const auto* unary = std::get_if<Unary>(&node.what))
        return type_of_unary(unary->op, at_node(before, unary->of), node.at);
    if (const auto* binary = std::get_if<Binary>(&node.what))
        return type_of_binary(binary->op, at_node(before, binary->left),
                              at_node(before, binary->right), node.at);
    if (const auto* conditional = std::get_if<Conditional>(&node.what))
        return type_of_conditional(*conditional, before, node.at);
    if (std::holds_alternative<ListOf>(node.what)) return Type::Array;
    if (std::holds_alternative<MapOf>(node.what)) return Type::Map;
    if (const auto* chain = std::get_if<Chain>(&node.what)) return type_of_chain(*chain, before);
    return type_of_call(std::get<Call>(node.what), before, node.at);
}

}  // namespace sluice::language
