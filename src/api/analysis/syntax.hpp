// The tree of an expression, as a row of nodes in which the parts of a node stand before it.
// Nothing in it is nested deeper than the parser goes, but for operators in a row: `a + b + c +
// ...` is as long as it likes, and is walked over from left to right.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/analysis/value.hpp"
#include "base/pattern.hpp"

namespace sluice::api::analysis {

enum class NodeId : std::uint32_t {};

// clang-format off
enum class Operator {
    Or, And, Equal, Unequal, Less, LessOrEqual, Greater, GreaterOrEqual,
    In, Matches, Contains, StartsWith, EndsWith, Range,
    Add, Subtract, Multiply, Divide, Modulo, Power, Coalesce,
    Not, Negate, Plus,
};

enum class Function {
    Len, IsNan, IsInf, IsNil, Default, AsInt, AsFloat, Abs, Ceil, Floor, Round, Min, Max,
    Sum, Count, All, Any, None, One, Filter, Map, First, Last, Keys, Values, Lower, Upper, Trim,
};

// clang-format on

struct Literal {
    Value value;
};
struct Named {
    std::string name;
};
// What a closure is asked about: "#", or "#index".
struct Item {
    bool index = false;
};
struct Unary {
    Operator op;
    NodeId of;
};
struct Binary {
    Operator op;
    NodeId left;
    NodeId right;
    bool denied = false;                   // "not in" and its like
    std::optional<std::size_t> pattern{};  // of `matches` with a literal: which one of the tree
};
struct Conditional {
    NodeId condition;
    NodeId yes;
    NodeId no;
};
struct ListOf {
    std::vector<NodeId> items;
};
struct MapOf {
    std::vector<std::pair<NodeId, NodeId>> members;
};
// One way into a value: ".name", "[index]", "[from:to]".
struct Link {
    enum class Kind { Member, Index, Slice };
    Kind kind;
    std::size_t at;
    bool optional = false;  // "?.": of nil, the whole chain is nil
    std::string name{};
    std::optional<NodeId> from{};  // or the index
    std::optional<NodeId> to{};
};
struct Chain {
    NodeId base;
    std::vector<Link> links;
};
struct Call {
    Function function;
    std::vector<NodeId> arguments;
    std::optional<NodeId> closure{};
};

// What is known about the value of a node before it is evaluated.
enum class Type { Anything, Nil, Bool, Number, Text, Array, Map };

struct Node {
    std::variant<Literal, Named, Item, Unary, Binary, Conditional, ListOf, MapOf, Chain, Call> what;
    std::size_t at;  // where a sentence about it points to
    Type type;
};

struct Tree {
    std::vector<Node> nodes;
    NodeId root{};
    std::vector<Pattern> patterns;
    std::map<std::string, std::size_t> names;  // that must be given, and where each stands first

    const Node& operator[](NodeId id) const { return nodes[static_cast<std::size_t>(id)]; }
};

// "==", "and": as a sentence shows it.
std::string_view spelled(Operator op);

// What is known about a function by its name.
struct Signature {
    enum class Closure { No, Perhaps, Yes };
    std::string_view name;
    Function function;
    std::size_t least;  // arguments, without the closure
    std::size_t most;
    Closure closure;
    Type type;
};
const Signature* signature_of(std::string_view name);
std::string_view name_of(Function function);

// The type of a node, given its parts. Throws a Refusal if no values could make sense of it.
Type type_of(const Tree& tree, const Node& node);

}  // namespace sluice::api::analysis
