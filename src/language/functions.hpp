// The functions of expressions by their names, and what those do that need no closure, in groups of
// one file each. They throw a Refusal where an argument is not what the function is about.
#pragma once

#include <span>
#include <string>

#include "language/syntax.hpp"
#include "language/value.hpp"
#include "language/work.hpp"

namespace sluice::language {

using Arguments = std::span<const Value>;

// What a function does. Each stands in the file of its group.
using Body = Value(Function function, Arguments arguments, Work& work);
Body absolute, about_number, extreme, average, bitwise;
Body in_other_letters, trimmed, without_end, split, replaced, repeated, joined, place;
Body sum, count, at_end, got, taken, listed, from_pairs, reversed, unique, one_list, sort;
Body length, kind_name, is_nil, otherwise, as_integer, as_float, as_text, to_json, from_json,
    in_base64;
Body duration, date;

// What a function takes at a place.
enum class Parameter : char {
    None = 0,
    Anything = 'a',
    Number = 'n',
    Text = 's',
    TextOrNumber = 'x',
    Array = 'l',
    Map = 'm',
    Lengthy = 'h',  // text, array or map
    Numbers = 'v',  // number or array
    Holder = 'o',   // array or map
    Closure = 'c',
};

// What is known about a function by its name.
struct Signature {
    std::string_view name;
    Function function;
    // A letter for each parameter. What stands behind "?" may be left out, and the last one is
    // there as often as one likes if "*" stands behind it.
    std::string_view parameters;
    Type type;
    Body* body = nullptr;  // null: it needs a closure

    Parameter parameter(std::size_t place) const;
    std::size_t least() const;
};
const Signature* signature_of(std::string_view name);
std::string_view name_of(Function function);

// As many arguments as the function's signature says.
Value called(Function function, Arguments arguments, Work& work);

// The methods of times and durations, which expressions call as Go names them: "date(x).Unix()".
bool is_method(std::string_view name);
// Throws a Refusal if this value has no such method.
Value method_called(std::string_view name, const Value& of, const Work& work);

// What a function makes of the items and of what its closure said about each.
Value collected(Function function, Arguments arguments, Value::Array answers, Work& work);

// The argument as the function wants it.
[[noreturn]] void refuse_argument(Function function, const Value& value, const Work& work);
double number_for(Function function, const Value& value, const Work& work);
std::int64_t integer_for(Function function, const Value& value, const Work& work);
const std::string& text_for(Function function, const Value& value, Work& work);
const Value::Array& array_for(Function function, const Value& value, const Work& work);

}  // namespace sluice::language
