#include "language/functions.hpp"

#include <array>

namespace sluice::language {

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
    constexpr std::array groups{number_function, text_function, list_function, conversion,
                                time_function};
    for (const auto group : groups)
        if (const Body body = group(function)) return body(function, arguments, work);
    work.refuse(fmt::format("{} needs a closure", name_of(function)));
}

}  // namespace sluice::language
