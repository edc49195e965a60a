#include "api/analysis/syntax.hpp"

#include <algorithm>
#include <array>

#include "api/analysis/refusal.hpp"

namespace sluice::api::analysis {

namespace {

using Closure = Signature::Closure;
constexpr std::size_t any_count = 64;

constexpr std::array signatures{
    Signature{"len", Function::Len, 1, 1, Closure::No, Type::Number},
    Signature{"isNaN", Function::IsNan, 1, 1, Closure::No, Type::Bool},
    Signature{"isInf", Function::IsInf, 1, 1, Closure::No, Type::Bool},
    Signature{"isNil", Function::IsNil, 1, 1, Closure::No, Type::Bool},
    Signature{"default", Function::Default, 2, 2, Closure::No, Type::Anything},
    Signature{"asInt", Function::AsInt, 1, 1, Closure::No, Type::Number},
    Signature{"asFloat", Function::AsFloat, 1, 1, Closure::No, Type::Number},
    Signature{"int", Function::AsInt, 1, 1, Closure::No, Type::Number},
    Signature{"float", Function::AsFloat, 1, 1, Closure::No, Type::Number},
    Signature{"abs", Function::Abs, 1, 1, Closure::No, Type::Number},
    Signature{"ceil", Function::Ceil, 1, 1, Closure::No, Type::Number},
    Signature{"floor", Function::Floor, 1, 1, Closure::No, Type::Number},
    Signature{"round", Function::Round, 1, 1, Closure::No, Type::Number},
    Signature{"min", Function::Min, 1, any_count, Closure::No, Type::Number},
    Signature{"max", Function::Max, 1, any_count, Closure::No, Type::Number},
    Signature{"sum", Function::Sum, 1, 1, Closure::Perhaps, Type::Number},
    Signature{"count", Function::Count, 1, 1, Closure::Perhaps, Type::Number},
    Signature{"all", Function::All, 1, 1, Closure::Yes, Type::Bool},
    Signature{"any", Function::Any, 1, 1, Closure::Yes, Type::Bool},
    Signature{"none", Function::None, 1, 1, Closure::Yes, Type::Bool},
    Signature{"one", Function::One, 1, 1, Closure::Yes, Type::Bool},
    Signature{"filter", Function::Filter, 1, 1, Closure::Yes, Type::Array},
    Signature{"map", Function::Map, 1, 1, Closure::Yes, Type::Array},
    Signature{"first", Function::First, 1, 1, Closure::No, Type::Anything},
    Signature{"last", Function::Last, 1, 1, Closure::No, Type::Anything},
    Signature{"keys", Function::Keys, 1, 1, Closure::No, Type::Array},
    Signature{"values", Function::Values, 1, 1, Closure::No, Type::Array},
    Signature{"lower", Function::Lower, 1, 1, Closure::No, Type::Text},
    Signature{"upper", Function::Upper, 1, 1, Closure::No, Type::Text},
    Signature{"trim", Function::Trim, 1, 2, Closure::No, Type::Text},
};

std::string_view noun(Type type) {
    switch (type) {
        case Type::Anything: return "anything";
        case Type::Nil: return "nil";
        case Type::Bool: return "a bool";
        case Type::Number: return "a number";
        case Type::Text: return "a string";
        case Type::Array: return "an array";
        case Type::Map: return "a map";
    }
    return "";
}

Type type_of_value(const Value& value) {
    switch (value.kind()) {
        case Value::Kind::Nil: return Type::Nil;
        case Value::Kind::Bool: return Type::Bool;
        case Value::Kind::Integer:
        case Value::Kind::Float: return Type::Number;
        case Value::Kind::Text: return Type::Text;
        case Value::Kind::Array: return Type::Array;
        case Value::Kind::Map: return Type::Map;
    }
    return Type::Anything;
}

void want(Type type, std::initializer_list<Type> fine, Operator op, std::size_t at) {
    if (type == Type::Anything || std::ranges::find(fine, type) != fine.end()) return;
    refuse(at, fmt::format("{} does not go with {}", spelled(op), noun(type)));
}

// Two sides that are to be of one type; what is known of it.
Type common(Type left, Type right, Operator op, std::size_t at) {
    if (left == Type::Anything) return right;
    if (right == Type::Anything || left == right) return left;
    refuse(at,
           fmt::format("{} does not go between {} and {}", spelled(op), noun(left), noun(right)));
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
            if (left != Type::Nil && right != Type::Nil) common(left, right, op, at);
            return Type::Bool;
        case Operator::Less:
        case Operator::LessOrEqual:
        case Operator::Greater:
        case Operator::GreaterOrEqual:
            want(common(left, right, op, at), {Type::Number, Type::Text}, op, at);
            return Type::Bool;
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
        case Operator::Add: {
            const Type both = common(left, right, op, at);
            want(both, {Type::Number, Type::Text}, op, at);
            return both;
        }
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

}  // namespace

std::string_view spelled(Operator op) {
    static constexpr std::array<std::string_view, 24> all{
        "or", "and",     "==",       "!=",         "<",        "<=",  ">", ">=",
        "in", "matches", "contains", "startsWith", "endsWith", "..",  "+", "-",
        "*",  "/",       "%",        "**",         "??",       "not", "-", "+"};
    return all[static_cast<std::size_t>(op)];
}

const Signature* signature_of(std::string_view name) {
    const auto found = std::ranges::find(signatures, name, &Signature::name);
    return found == signatures.end() ? nullptr : &*found;
}

std::string_view name_of(Function function) {
    return std::ranges::find(signatures, function, &Signature::function)->name;
}

Type type_of(const Tree& tree, const Node& node) {
    if (const auto* literal = std::get_if<Literal>(&node.what))
        return type_of_value(literal->value);
    if (const auto* item = std::get_if<Item>(&node.what))
        return item->index ? Type::Number : Type::Anything;
    if (const auto* unary = std::get_if<Unary>(&node.what))
        return type_of_unary(unary->op, tree[unary->of].type, node.at);
    if (const auto* binary = std::get_if<Binary>(&node.what))
        return type_of_binary(binary->op, tree[binary->left].type, tree[binary->right].type,
                              node.at);
    if (const auto* conditional = std::get_if<Conditional>(&node.what)) {
        const Type condition = tree[conditional->condition].type;
        if (condition != Type::Anything && condition != Type::Bool)
            refuse(node.at, fmt::format("what stands before ? is {}, not a bool", noun(condition)));
        const Type yes = tree[conditional->yes].type;
        return yes == tree[conditional->no].type ? yes : Type::Anything;
    }
    if (std::holds_alternative<ListOf>(node.what)) return Type::Array;
    if (std::holds_alternative<MapOf>(node.what)) return Type::Map;
    if (const auto* call = std::get_if<Call>(&node.what))
        return std::ranges::find(signatures, call->function, &Signature::function)->type;
    return Type::Anything;
}

}  // namespace sluice::api::analysis
