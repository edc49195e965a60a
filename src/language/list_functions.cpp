#include <algorithm>
#include <bit>
#include <cmath>
#include <ranges>

#include "language/functions.hpp"
#include "language/operators.hpp"

namespace sluice::language {

namespace {

void append(Function function, const Value& list, bool is_deep, Value::Array& into, Work& work) {
    for (const Value& item : array_for(function, list, work)) {
        work.take(1);
        if (is_deep && item.if_array())
            append(function, item, is_deep, into, work);
        else
            into.push_back(item);
    }
}

// An order that holds for integers and floats together: each of both is exactly one long double.
// NaN is before all numbers.
bool before(const Value& one, const Value& other, Work& work) {
    if (!one.is_number() || !other.is_number()) return less(one, other, Operator::Less, work);
    const auto exact = [](const Value& value) {
        const std::int64_t* integer = value.if_integer();
        return integer ? static_cast<long double>(*integer) : *value.number();
    };
    if (std::isnan(exact(one)) || std::isnan(exact(other)))
        return std::isnan(exact(one)) && !std::isnan(exact(other));
    return exact(one) < exact(other);
}

// Items in the order of their values, where equal ones stay as they stood.
Value sorted(const Value::Array& items, const Value::Array& by, const Value* order, Work& work) {
    const std::string* const wanted = order ? order->if_text() : nullptr;
    if (order && !(wanted && (*wanted == "asc" || *wanted == "desc")))
        work.refuse("the order is neither asc nor desc");
    const bool is_falling = wanted && *wanted == "desc";
    work.take(items.size() * static_cast<std::size_t>(std::bit_width(items.size())));
    std::vector<std::size_t> places(items.size());
    std::ranges::copy(std::views::iota(std::size_t{0}, items.size()), places.begin());
    std::ranges::sort(places, [&](std::size_t one, std::size_t other) {
        const Value& first = by[is_falling ? other : one];
        const Value& second = by[is_falling ? one : other];
        if (before(first, second, work)) return true;
        return one < other && !before(second, first, work);
    });
    Value::Array out;
    for (const std::size_t place : places)
        out.push_back(items[place]);
    return out;
}

Value grouped(const Value::Array& items, const Value::Array& by, Work& work) {
    std::map<std::string, Value::Array, std::less<>> groups;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!by[i].if_text())
            work.refuse(
                fmt::format("the closure of groupBy gives {}, not a string", noun_of(by[i])));
        work.take_bytes(by[i].if_text()->size());
        groups[*by[i].if_text()].push_back(items[i]);
    }
    Value::Map out;
    for (auto& [key, group] : groups)
        out.emplace(key, work.holding(std::move(group)));
    return work.holding(std::move(out));
}

}  // namespace

Value sum(Function function, Arguments arguments, Work& work) {
    Value out = 0;
    for (const Value& item : array_for(function, arguments[0], work)) {
        work.take(1);
        number_for(function, item, work);
        out = added(out, item, work);
    }
    return out;
}

Value count(Function function, Arguments arguments, Work& work) {
    std::int64_t out = 0;
    for (const Value& item : array_for(function, arguments[0], work)) {
        work.take(1);
        if (!item.if_bool()) refuse_argument(function, item, work);
        out += *item.if_bool() ? 1 : 0;
    }
    return out;
}

Value at_end(Function function, Arguments arguments, Work& work) {
    if (arguments[0].is_nil()) return Value{};
    const Value::Array& items = array_for(function, arguments[0], work);
    if (items.empty()) return Value{};
    return function == Function::First ? items.front() : items.back();
}

// Nil where an index or a member would be refused.
Value got(Function function, Arguments arguments, Work& work) {
    const Value& from = arguments[0];
    const Value& key = arguments[1];
    if (const Value::Map* members = from.if_map())
        return key.is_nil() ? Value{} : member_of(*members, key, work);
    if (from.if_text()) refuse_argument(function, from, work);
    const Value::Array* items = from.if_array();
    if (!items) return Value{};
    const std::optional<std::size_t> place = place_in(items->size(), whole(key, "the index", work));
    return place ? (*items)[*place] : Value{};
}

Value taken(Function function, Arguments arguments, Work& work) {
    const Value::Array& items = array_for(function, arguments[0], work);
    const std::int64_t count = integer_for(function, arguments[1], work);
    if (count < 0) work.refuse("take cannot take less than 0 items");
    const std::int64_t taken = std::min<std::int64_t>(count, std::ssize(items));
    work.take(static_cast<std::size_t>(taken));
    return Value::Array(items.begin(), items.begin() + taken);
}

Value listed(Function function, Arguments arguments, Work& work) {
    const Value::Map* members = arguments[0].if_map();
    if (!members) refuse_argument(function, arguments[0], work);
    Value::Array out;
    for (const auto& [key, member] : *members) {
        work.take_bytes(key.size());
        if (function == Function::Keys)
            out.emplace_back(key);
        else if (function == Function::Values)
            out.push_back(member);
        else
            out.push_back(work.holding(Value::Array{key, member}));
    }
    return work.holding(std::move(out));
}

Value from_pairs(Function function, Arguments arguments, Work& work) {
    Value::Map out;
    for (const Value& item : array_for(function, arguments[0], work)) {
        const Value::Array& pair = array_for(function, item, work);
        if (pair.size() != 2) work.refuse("an item of fromPairs is not a key and a value");
        out.insert_or_assign(text_for(function, pair[0], work), pair[1]);
    }
    return work.holding(std::move(out));
}

Value reversed(Function function, Arguments arguments, Work& work) {
    const Value::Array& items = array_for(function, arguments[0], work);
    work.take(items.size());
    return Value::Array(items.rbegin(), items.rend());
}

// Each value where it stands first.
Value unique(Function function, Arguments arguments, Work& work) {
    Value::Array out;
    for (const Value& item : array_for(function, arguments[0], work)) {
        const bool is_known =
            std::ranges::any_of(out, [&](const Value& one) { return equal(item, one, work); });
        if (!is_known) out.push_back(item);
    }
    return out;
}

Value one_list(Function function, Arguments arguments, Work& work) {
    Value::Array out;
    for (const Value& list : arguments)
        append(function, list, function == Function::Flatten, out, work);
    return work.holding(std::move(out));
}

Value sort(Function function, Arguments arguments, Work& work) {
    const Value::Array& items = array_for(function, arguments[0], work);
    return sorted(items, items, arguments.size() > 1 ? &arguments[1] : nullptr, work);
}

Value collected(Function function, Arguments arguments, Value::Array answers, Work& work) {
    const Value::Array& items = array_for(function, arguments[0], work);
    const Value* const order = arguments.size() > 1 ? &arguments[1] : nullptr;
    if (function == Function::SortBy) return sorted(items, answers, order, work);
    if (function == Function::GroupBy) return grouped(items, answers, work);
    const Value all = work.holding(std::move(answers));
    return function == Function::Sum ? sum(function, {&all, 1}, work) : all;
}

}  // namespace sluice::language
