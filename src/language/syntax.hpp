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

#include "base/pattern.hpp"
#include "language/value.hpp"

namespace sluice::language {

enum class NodeId : std::uint32_t {};

// clang-format off
enum class Operator {
    Or, And, Equal, Unequal, Less, LessOrEqual, Greater, GreaterOrEqual,
    In, Matches, Contains, StartsWith, EndsWith, Range,
    Add, Subtract, Multiply, Divide, Modulo, Power, Coalesce,
    Not, Negate, Plus, Pipe,
};

enum class Function {
    // about items, with a closure
    All, Any, None, One, Filter, Map, Count, Sum, Find, FindIndex, FindLast, FindLastIndex, GroupBy,
    SortBy, Reduce,
    // about lists and maps
    First, Last, Get, Take, Keys, Values, ToPairs, FromPairs, Reverse, Uniq, Concat, Flatten, Sort,
    // about numbers
    IsNan, IsInf, Abs, Ceil, Floor, Round, Min, Max, Mean, Median,
    BitAnd, BitOr, BitXor, BitNand, BitShl, BitShr, BitUshr, BitNot,
    // about texts
    Lower, Upper, Trim, TrimPrefix, TrimSuffix, Split, SplitAfter, Replace, Repeat, Join, IndexOf,
    LastIndexOf, HasPrefix, HasSuffix,
    // about any value, and from one kind to another
    Len, TypeOf, IsNil, Default, AsInt, AsFloat, AsText, ToJson, FromJson, ToBase64, FromBase64,
    // about times
    Now, Duration, Date,
};

// clang-format on

struct Literal {
    Value value;
};
struct Named {
    std::string name;
};
// What a closure is asked about: "#", "#index", and "#acc", which it has made so far.
struct Item {
    enum class Part { Whole, Index, Accumulated };
    Part part = Part::Whole;
};
// `let name = value; body`. The slot is the number of declarations around it.
struct Let {
    std::size_t slot;
    NodeId value;
    NodeId body;
};
struct Variable {
    std::size_t slot;
    NodeId value;  // that it was declared with
};
// `a; b`: the last one counts.
struct Sequence {
    std::vector<NodeId> parts;
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
// One way into a value: ".name", ".Name()", "[index]", "[from:to]".
struct Link {
    enum class Kind { Member, Method, Index, Slice };
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

// A kind of values, as far as it is known.
enum class Type { Anything, Nil, Bool, Number, Text, Array, Map, Time, Duration };

struct Node {
    std::variant<Literal, Named, Item, Let, Variable, Sequence, Unary, Binary, Conditional, ListOf,
                 MapOf, Chain, Call>
        what;
    std::size_t at;  // where a sentence about it points to
};

struct Tree {
    std::vector<Node> nodes;
    NodeId root{};
    std::vector<Pattern> patterns;
    std::map<std::string, std::size_t> names;     // that must be given, and where each stands first
    std::map<std::string, std::size_t> declared;  // that must not be given

    const Node& operator[](NodeId id) const { return nodes[static_cast<std::size_t>(id)]; }
};

// "==", "and": as a sentence shows it.
std::string_view spelled(Operator op);

// Reads the text of an expression. Throws a Refusal for what is none, and for what no values could
// make sense of: `asFloat(result) == "1"` is wrong before there is a result. `depth_max` bounds how
// often the parser, and later the evaluation, calls itself.
Tree tree_of(std::string_view text, std::size_t depth_max);

}  // namespace sluice::language
