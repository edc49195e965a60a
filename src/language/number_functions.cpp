#include <algorithm>
#include <cmath>
#include <vector>

#include "language/functions.hpp"
#include "language/operators.hpp"

namespace sluice::language {

namespace {

void gather(Function function, const Value& from, std::vector<double>& into, Work& work) {
    work.take(1);
    const Value::Array* items = from.if_array();
    if (!items) {
        into.push_back(number_for(function, from, work));
        return;
    }
    for (const Value& item : *items)
        gather(function, item, into, work);
}

}  // namespace

Value absolute(Function function, Arguments arguments, Work& work) {
    const Value& value = arguments[0];
    if (const std::int64_t* integer = value.if_integer())
        return *integer < 0 ? negated(value, work) : value;
    return std::fabs(number_for(function, value, work));
}

Value about_number(Function function, Arguments arguments, Work& work) {
    const double number = number_for(function, arguments[0], work);
    switch (function) {
        case Function::IsNan: return std::isnan(number);
        case Function::IsInf: return std::isinf(number);
        case Function::Ceil: return std::ceil(number);
        case Function::Floor: return std::floor(number);
        default: return std::round(number);
    }
}

// The least or the greatest of the numbers, those in arrays included; nil if there are none.
Value extreme(Function function, Arguments values, Work& work) {
    Value out;
    for (const Value& value : values) {
        work.take(1);
        const Value::Array* items = value.if_array();
        for (const Value& by : items ? Arguments(*items) : Arguments(&value, 1)) {
            const Value one = by.if_array() ? extreme(function, {&by, 1}, work) : by;
            number_for(function, one, work);
            const bool is_beyond =
                out.is_nil() || (function == Function::Max ? less(out, one, Operator::Less, work)
                                                           : less(one, out, Operator::Less, work));
            if (is_beyond) out = one;
            work.take(1);
        }
    }
    return out;
}

// Of all numbers, those in arrays included; 0 if there are none.
Value average(Function function, Arguments arguments, Work& work) {
    std::vector<double> all;
    for (const Value& argument : arguments)
        gather(function, argument, all, work);
    if (all.empty()) return 0.0;
    if (function == Function::Mean) {
        double sum = 0;
        for (const double number : all)
            sum += number;
        return sum / static_cast<double>(all.size());
    }
    if (std::ranges::any_of(all, [](double number) { return std::isnan(number); }))
        return std::nan("");
    const auto middle = all.begin() + std::ssize(all) / 2;
    std::ranges::nth_element(all, middle);
    if (all.size() % 2 == 1) return *middle;
    return (*std::max_element(all.begin(), middle) + *middle) / 2;
}

Value bitwise(Function function, Arguments arguments, Work& work) {
    const std::int64_t x = integer_for(function, arguments[0], work);
    if (function == Function::BitNot) return ~x;
    const std::int64_t y = integer_for(function, arguments[1], work);
    const auto bits = static_cast<std::uint64_t>(x);
    switch (function) {
        case Function::BitAnd: return x & y;
        case Function::BitOr: return x | y;
        case Function::BitXor: return x ^ y;
        case Function::BitNand: return x & ~y;
        default: break;
    }
    if (y < 0) work.refuse(fmt::format("{} cannot shift by less than 0", name_of(function)));
    const bool is_beyond = y > 63;
    if (function == Function::BitShr) return x >> (is_beyond ? 63 : y);
    if (is_beyond) return 0;
    return static_cast<std::int64_t>(function == Function::BitShl ? bits << y : bits >> y);
}

}  // namespace sluice::language
