// The operators that stand between two values, and how tightly each binds.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "language/syntax.hpp"
#include "language/tokens.hpp"

namespace sluice::language {

struct Infix {
    std::string_view spelled;
    Operator op;
    int precedence;
    bool to_the_right = false;  // a ** b ** c is a ** (b ** c)
};

inline constexpr std::array infixes{
    Infix{"|", Operator::Pipe, 0},
    Infix{"or", Operator::Or, 10},
    Infix{"||", Operator::Or, 10},
    Infix{"and", Operator::And, 15},
    Infix{"&&", Operator::And, 15},
    Infix{"==", Operator::Equal, 20},
    Infix{"!=", Operator::Unequal, 20},
    Infix{"<", Operator::Less, 20},
    Infix{"<=", Operator::LessOrEqual, 20},
    Infix{">", Operator::Greater, 20},
    Infix{">=", Operator::GreaterOrEqual, 20},
    Infix{"in", Operator::In, 20},
    Infix{"matches", Operator::Matches, 20},
    Infix{"contains", Operator::Contains, 20},
    Infix{"startsWith", Operator::StartsWith, 20},
    Infix{"endsWith", Operator::EndsWith, 20},
    Infix{"..", Operator::Range, 25},
    Infix{"+", Operator::Add, 30},
    Infix{"-", Operator::Subtract, 30},
    Infix{"*", Operator::Multiply, 60},
    Infix{"/", Operator::Divide, 60},
    Infix{"%", Operator::Modulo, 60},
    Infix{"**", Operator::Power, 100, true},
    Infix{"^", Operator::Power, 100, true},
    Infix{"??", Operator::Coalesce, 500},
};

inline const Infix* infix_of(const Token& token) {
    if (token.kind != Token::Kind::Sign && token.kind != Token::Kind::Word) return nullptr;
    const auto found = std::ranges::find(infixes, token.spelled, &Infix::spelled);
    return found == infixes.end() ? nullptr : &*found;
}

inline bool can_be_denied(Operator op) {
    return op >= Operator::In && op <= Operator::EndsWith;
}

inline bool is_order(Operator op) {
    return op >= Operator::Less && op <= Operator::GreaterOrEqual;
}

}  // namespace sluice::language
