#include "language/syntax.hpp"

#include <algorithm>
#include <array>

namespace sluice::language {

namespace {

constexpr std::array signatures{
    Signature{"all", Function::All, "lc", Type::Bool},
    Signature{"any", Function::Any, "lc", Type::Bool},
    Signature{"none", Function::None, "lc", Type::Bool},
    Signature{"one", Function::One, "lc", Type::Bool},
    Signature{"filter", Function::Filter, "lc", Type::Array},
    Signature{"map", Function::Map, "lc", Type::Array},
    Signature{"count", Function::Count, "l?c", Type::Number},
    Signature{"sum", Function::Sum, "l?c", Type::Anything},
    Signature{"find", Function::Find, "lc", Type::Anything},
    Signature{"findIndex", Function::FindIndex, "lc", Type::Number},
    Signature{"findLast", Function::FindLast, "lc", Type::Anything},
    Signature{"findLastIndex", Function::FindLastIndex, "lc", Type::Number},
    Signature{"groupBy", Function::GroupBy, "lc", Type::Map},
    Signature{"sortBy", Function::SortBy, "lc?s", Type::Array},
    Signature{"reduce", Function::Reduce, "lc?a", Type::Anything},
    Signature{"first", Function::First, "l", Type::Anything},
    Signature{"last", Function::Last, "l", Type::Anything},
    Signature{"get", Function::Get, "oa", Type::Anything},
    Signature{"take", Function::Take, "ln", Type::Array},
    Signature{"keys", Function::Keys, "m", Type::Array},
    Signature{"values", Function::Values, "m", Type::Array},
    Signature{"toPairs", Function::ToPairs, "m", Type::Array},
    Signature{"fromPairs", Function::FromPairs, "l", Type::Map},
    Signature{"reverse", Function::Reverse, "l", Type::Array},
    Signature{"uniq", Function::Uniq, "l", Type::Array},
    Signature{"concat", Function::Concat, "l*", Type::Array},
    Signature{"flatten", Function::Flatten, "l", Type::Array},
    Signature{"sort", Function::Sort, "l?s", Type::Array},
    Signature{"isNaN", Function::IsNan, "n", Type::Bool},
    Signature{"isInf", Function::IsInf, "n", Type::Bool},
    Signature{"abs", Function::Abs, "n", Type::Number},
    Signature{"ceil", Function::Ceil, "n", Type::Number},
    Signature{"floor", Function::Floor, "n", Type::Number},
    Signature{"round", Function::Round, "n", Type::Number},
    Signature{"min", Function::Min, "v*", Type::Anything},
    Signature{"max", Function::Max, "v*", Type::Anything},
    Signature{"mean", Function::Mean, "v*", Type::Number},
    Signature{"median", Function::Median, "v*", Type::Number},
    Signature{"bitand", Function::BitAnd, "nn", Type::Number},
    Signature{"bitor", Function::BitOr, "nn", Type::Number},
    Signature{"bitxor", Function::BitXor, "nn", Type::Number},
    Signature{"bitnand", Function::BitNand, "nn", Type::Number},
    Signature{"bitshl", Function::BitShl, "nn", Type::Number},
    Signature{"bitshr", Function::BitShr, "nn", Type::Number},
    Signature{"bitushr", Function::BitUshr, "nn", Type::Number},
    Signature{"bitnot", Function::BitNot, "n", Type::Number},
    Signature{"lower", Function::Lower, "s", Type::Text},
    Signature{"upper", Function::Upper, "s", Type::Text},
    Signature{"trim", Function::Trim, "s?s", Type::Text},
    Signature{"trimPrefix", Function::TrimPrefix, "s?s", Type::Text},
    Signature{"trimSuffix", Function::TrimSuffix, "s?s", Type::Text},
    Signature{"split", Function::Split, "ss?n", Type::Array},
    Signature{"splitAfter", Function::SplitAfter, "ss?n", Type::Array},
    Signature{"replace", Function::Replace, "sss?n", Type::Text},
    Signature{"repeat", Function::Repeat, "sn", Type::Text},
    Signature{"join", Function::Join, "l?s", Type::Text},
    Signature{"indexOf", Function::IndexOf, "ss", Type::Number},
    Signature{"lastIndexOf", Function::LastIndexOf, "ss", Type::Number},
    Signature{"hasPrefix", Function::HasPrefix, "ss", Type::Bool},
    Signature{"hasSuffix", Function::HasSuffix, "ss", Type::Bool},
    Signature{"len", Function::Len, "h", Type::Number},
    Signature{"type", Function::TypeOf, "a", Type::Text},
    Signature{"isNil", Function::IsNil, "a", Type::Bool},
    Signature{"default", Function::Default, "aa", Type::Anything},
    Signature{"asInt", Function::AsInt, "a", Type::Number},
    Signature{"asFloat", Function::AsFloat, "a", Type::Number},
    Signature{"int", Function::AsInt, "a", Type::Number},
    Signature{"float", Function::AsFloat, "x", Type::Number},
    Signature{"string", Function::AsText, "a", Type::Text},
    Signature{"toJSON", Function::ToJson, "a", Type::Text},
    Signature{"fromJSON", Function::FromJson, "s", Type::Anything},
    Signature{"toBase64", Function::ToBase64, "s", Type::Text},
    Signature{"fromBase64", Function::FromBase64, "s", Type::Text},
    Signature{"now", Function::Now, "", Type::Time},
    Signature{"duration", Function::Duration, "s", Type::Duration},
    Signature{"date", Function::Date, "a?aa", Type::Time},
};

}  // namespace

std::string_view spelled(Operator op) {
    static constexpr std::array<std::string_view, 25> all{
        "or",      "and",      "==",         "!=",       "<",  "<=", ">", ">=", "in",
        "matches", "contains", "startsWith", "endsWith", "..", "+",  "-", "*",  "/",
        "%",       "**",       "??",         "not",      "-",  "+",  "|"};
    return all[static_cast<std::size_t>(op)];
}

Parameter Signature::parameter(std::size_t place) const {
    std::string_view letters = parameters;
    const bool goes_on = letters.ends_with('*');
    if (goes_on) letters.remove_suffix(1);
    const std::size_t mark = letters.find('?');
    if (place >= mark) ++place;
    if (place < letters.size()) return static_cast<Parameter>(letters[place]);
    return goes_on ? static_cast<Parameter>(letters.back()) : Parameter::None;
}

std::size_t Signature::least() const {
    return std::min(parameters.find_first_of("?*"), parameters.size());
}

const Signature* signature_of(std::string_view name) {
    const auto found = std::ranges::find(signatures, name, &Signature::name);
    return found == signatures.end() ? nullptr : &*found;
}

std::string_view name_of(Function function) {
    return std::ranges::find(signatures, function, &Signature::function)->name;
}

}  // namespace sluice::language
