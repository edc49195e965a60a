// The words, numbers, texts and signs of an expression, without its blanks and comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "language/value.hpp"

namespace sluice::language {

struct Token {
    enum class Kind { End, Number, Text, Word, Sign };
    Kind kind = Kind::End;
    std::string_view spelled;  // a part of the expression
    std::size_t at = 0;
    Value value{};  // of a number or a text
};

// The last one is an End. Throws a Refusal if the text does not consist of tokens; the text is
// UTF-8 and outlives them.
std::vector<Token> tokens_of(std::string_view text);

}  // namespace sluice::language
