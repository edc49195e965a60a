#include "language/functions.hpp"

#include <algorithm>

namespace sluice::language {

namespace {

constexpr Signature signatures[] = {
    {"all", Function::All, "lc", Type::Bool},
    {"any", Function::Any, "lc", Type::Bool},
    {"none", Function::None, "lc", Type::Bool},
    {"one", Function::One, "lc", Type::Bool},
    {"filter", Function::Filter, "lc", Type::Array},
    {"map", Function::Map, "lc", Type::Array},
    {"count", Function::Count, "l?c", Type::Number, count},
    {"sum", Function::Sum, "l?c", Type::Anything, sum},
    {"find", Function::Find, "lc", Type::Anything},
    {"findIndex", Function::FindIndex, "lc", Type::Number},
    {"findLast", Function::FindLast, "lc", Type::Anything},
    {"findLastIndex", Function::FindLastIndex, "lc", Type::Number},
    {"groupBy", Function::GroupBy, "lc", Type::Map},
    {"sortBy", Function::SortBy, "lc?s", Type::Array},
    {"reduce", Function::Reduce, "lc?a", Type::Anything},
    {"first", Function::First, "l", Type::Anything, at_end},
    {"last", Function::Last, "l", Type::Anything, at_end},
    {"get", Function::Get, "oa", Type::Anything, got},
    {"take", Function::Take, "ln", Type::Array, taken},
    {"keys", Function::Keys, "m", Type::Array, listed},
    {"values", Function::Values, "m", Type::Array, listed},
    {"toPairs", Function::ToPairs, "m", Type::Array, listed},
    {"fromPairs", Function::FromPairs, "l", Type::Map, from_pairs},
    {"reverse", Function::Reverse, "l", Type::Array, reversed},
    {"uniq", Function::Uniq, "l", Type::Array, unique},
    {"concat", Function::Concat, "l*", Type::Array, one_list},
    {"flatten", Function::Flatten, "l", Type::Array, one_list},
    {"sort", Function::Sort, "l?s", Type::Array, sort},
    {"isNaN", Function::IsNan, "n", Type::Bool, about_number},
    {"isInf", Function::IsInf, "n", Type::Bool, about_number},
    {"abs", Function::Abs, "n", Type::Number, absolute},
    {"ceil", Function::Ceil, "n", Type::Number, about_number},
    {"floor", Function::Floor, "n", Type::Number, about_number},
    {"round", Function::Round, "n", Type::Number, about_number},
    {"min", Function::Min, "v*", Type::Anything, extreme},
    {"max", Function::Max, "v*", Type::Anything, extreme},
    {"mean", Function::Mean, "v*", Type::Anything, average},
    {"median", Function::Median, "v*", Type::Anything, average},
    {"bitand", Function::BitAnd, "nn", Type::Number, bitwise},
    {"bitor", Function::BitOr, "nn", Type::Number, bitwise},
    {"bitxor", Function::BitXor, "nn", Type::Number, bitwise},
    {"bitnand", Function::BitNand, "nn", Type::Number, bitwise},
    {"bitshl", Function::BitShl, "nn", Type::Number, bitwise},
    {"bitshr", Function::BitShr, "nn", Type::Number, bitwise},
    {"bitushr", Function::BitUshr, "nn", Type::Number, bitwise},
    {"bitnot", Function::BitNot, "n", Type::Number, bitwise},
    {"lower", Function::Lower, "s", Type::Text, in_other_letters},
    {"upper", Function::Upper, "s", Type::Text, in_other_letters},
    {"trim", Function::Trim, "s?s", Type::Text, trimmed},
    {"trimPrefix", Function::TrimPrefix, "s?s", Type::Text, without_end},
    {"trimSuffix", Function::TrimSuffix, "s?s", Type::Text, without_end},
    {"split", Function::Split, "ss?n", Type::Array, split},
    {"splitAfter", Function::SplitAfter, "ss?n", Type::Array, split},
    {"replace", Function::Replace, "sss?n", Type::Text, replaced},
    {"repeat", Function::Repeat, "sn", Type::Text, repeated},
    {"join", Function::Join, "l?s", Type::Text, joined},
    {"indexOf", Function::IndexOf, "ss", Type::Number, place},
    {"lastIndexOf", Function::LastIndexOf, "ss", Type::Number, place},
    {"hasPrefix", Function::HasPrefix, "ss", Type::Bool, place},
    {"hasSuffix", Function::HasSuffix, "ss", Type::Bool, place},
    {"len", Function::Len, "h", Type::Number, length},
    {"type", Function::TypeOf, "a", Type::Text, kind_name},
    {"isNil", Function::IsNil, "a", Type::Bool, is_nil},
    {"default", Function::Default, "aa", Type::Anything, otherwise},
    {"asInt", Function::AsInt, "a", Type::Number, as_integer},
    {"asFloat", Function::AsFloat, "a", Type::Number, as_float},
    {"int", Function::AsInt, "a", Type::Number, as_integer},
    {"float", Function::AsFloat, "x", Type::Number, as_float},
    {"string", Function::AsText, "a", Type::Text, as_text},
    {"toJSON", Function::ToJson, "a", Type::Text, to_json},
    {"fromJSON", Function::FromJson, "s", Type::Anything, from_json},
    {"toBase64", Function::ToBase64, "s", Type::Text, in_base64},
    {"fromBase64", Function::FromBase64, "s", Type::Text, in_base64},
    {"now", Function::Now, "", Type::Time},
    {"duration", Function::Duration, "s", Type::Duration, duration},
    {"date", Function::Date, "a?aa", Type::Time, date},
};

}  // namespace

void refuse_argument(Function function, const Value& value, const Work& work) {
    work.refuse(fmt::format("{} does not go with {}", name_of(function), noun_of(value)));
}

double number_for(Function function, const Value& value, const Work& work) {
    if (const std::optional<double> number = value.number()) return *number;
    refuse_argument(function, value, work);
}

std::int64_t integer_for(Function function, const Value& value, const Work& work) {
    if (const std::int64_t* integer = value.if_integer()) return *integer;
    if (value.is_number()) work.refuse(fmt::format("{} wants a whole number", name_of(function)));
    refuse_argument(function, value, work);
}

const std::string& text_for(Function function, const Value& value, Work& work) {
    if (!value.if_text()) refuse_argument(function, value, work);
    work.take_bytes(value.if_text()->size());
    return *value.if_text();
}

const Value::Array& array_for(Function function, const Value& value, const Work& work) {
    if (const Value::Array* items = value.if_array()) return *items;
    refuse_argument(function, value, work);
}

Value called(Function function, Arguments arguments, Work& work) {
    const Signature* signature = signature_of(name_of(function));
    if (signature->body) return signature->body(function, arguments, work);
    work.refuse(fmt::format("{} needs a closure", signature->name));
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
    return found == std::end(signatures) ? nullptr : &*found;
}

std::string_view name_of(Function function) {
    return std::ranges::find(signatures, function, &Signature::function)->name;
}

}  // namespace sluice::language
