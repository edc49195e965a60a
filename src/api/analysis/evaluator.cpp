#include "api/analysis/evaluator.hpp"

#include <algorithm>
#include <ranges>

#include "api/analysis/functions.hpp"
#include "api/analysis/operators.hpp"
#include "api/inquiry/text.hpp"
#include "base/assert.hpp"

namespace sluice::api::analysis {

Value Evaluator::of(NodeId id) {
    const Node& node = tree_[id];
    work_.at = node.at;
    work_.take(1);
    if (const auto* literal = std::get_if<Literal>(&node.what)) return literal->value;
    if (const auto* named = std::get_if<Named>(&node.what))
        return values_.find(named->name)->second;
    if (const auto* item = std::get_if<Item>(&node.what))
        return item->index ? Value(scopes_.back().index) : scopes_.back().item;
    if (const auto* one = std::get_if<Unary>(&node.what)) return unary(*one, node.at);
    if (std::holds_alternative<Binary>(node.what)) return in_a_row(id);
    if (const auto* choice = std::get_if<Conditional>(&node.what)) {
        const Value condition = of(choice->condition);
        work_.at = node.at;
        if (!condition.if_bool())
            work_.refuse(fmt::format("what stands before ? is {}, not a bool", noun_of(condition)));
        return of(*condition.if_bool() ? choice->yes : choice->no);
    }
    if (const auto* items = std::get_if<ListOf>(&node.what)) return list(*items, node.at);
    if (const auto* members = std::get_if<MapOf>(&node.what)) return map(*members, node.at);
    if (const auto* links = std::get_if<Chain>(&node.what)) return chain(*links);
    return call(std::get<Call>(node.what), node.at);
}

// `a + b + c` is one row: the left sides are followed by going, not by calling.
Value Evaluator::in_a_row(NodeId id) {
    std::vector<NodeId> row;
    for (const Binary* binary = std::get_if<Binary>(&tree_[id].what); binary;
         binary = std::get_if<Binary>(&tree_[id].what)) {
        row.push_back(id);
        id = binary->left;
    }
    Value value = of(id);
    for (const NodeId at : row | std::views::reverse) {
        work_.take(1);
        value = with_right(value, tree_[at]);
    }
    return value;
}

Value Evaluator::with_right(const Value& left, const Node& node) {
    const auto& binary = std::get<Binary>(node.what);
    work_.at = node.at;
    const bool is_logic = binary.op == Operator::And || binary.op == Operator::Or;
    if (is_logic && truth(left, binary.op, work_) == (binary.op == Operator::Or)) return left;
    if (binary.op == Operator::Coalesce) return left.is_nil() ? of(binary.right) : left;

    const Value right = of(binary.right);
    work_.at = node.at;
    if (is_logic) return truth(right, binary.op, work_);
    Value out = binary.pattern ? Value(fits(left, tree_.patterns[*binary.pattern], work_))
                               : applied(binary.op, left, right, work_);
    return binary.denied ? Value(!truth(out, binary.op, work_)) : out;
}

Value Evaluator::unary(const Unary& unary, std::size_t at) {
    Value value = of(unary.of);
    work_.at = at;
    if (unary.op == Operator::Not) return !truth(value, unary.op, work_);
    if (unary.op == Operator::Negate) return negated(value, work_);
    if (!value.is_number()) work_.refuse(fmt::format("+ does not go with {}", noun_of(value)));
    return value;
}

Value Evaluator::list(const ListOf& list, std::size_t at) {
    Value::Array out;
    for (const NodeId item : list.items)
        out.push_back(of(item));
    work_.at = at;
    return work_.holding(std::move(out));
}

Value Evaluator::map(const MapOf& map, std::size_t at) {
    Value::Map out;
    for (const auto& [key_id, member] : map.members) {
        const Value key = of(key_id);
        work_.at = at;
        if (!key.if_text()) work_.refuse(fmt::format("a key is {}, not a string", noun_of(key)));
        work_.take_bytes(key.if_text()->size());
        out.insert_or_assign(*key.if_text(), of(member));
    }
    work_.at = at;
    return work_.holding(std::move(out));
}

Value Evaluator::chain(const Chain& chain) {
    Value value = of(chain.base);
    for (const Link& link : chain.links) {
        if (link.optional && value.is_nil()) return value;
        value = linked(value, link);
    }
    return value;
}

Value Evaluator::linked(const Value& base, const Link& link) {
    work_.at = link.at;
    work_.take(1);
    if (link.kind == Link::Kind::Slice) return sliced(base, link);
    if (link.kind == Link::Kind::Index) {
        SLUICE_ASSERT(link.from.has_value());
        const Value index = of(*link.from);
        work_.at = link.at;
        return indexed(base, index);
    }
    const Value::Map* members = base.if_map();
    if (!members)
        work_.refuse(fmt::format("{} has no member {}", noun_of(base), quoted(link.name)));
    const auto found = members->find(link.name);
    return found == members->end() ? Value{} : found->second;
}

Value Evaluator::indexed(const Value& base, const Value& index) {
    if (const Value::Map* members = base.if_map()) {
        if (!index.if_text())
            work_.refuse(fmt::format("the key of a map is {}, not a string", noun_of(index)));
        work_.take_bytes(index.if_text()->size());
        const auto found = members->find(*index.if_text());
        return found == members->end() ? Value{} : found->second;
    }
    const Value::Array* items = base.if_array();
    if (!items) work_.refuse(fmt::format("{} has no items", noun_of(base)));
    const std::int64_t size = std::ssize(*items);
    const std::int64_t wanted = whole(index, "the index", work_);
    const std::int64_t place = wanted < 0 && wanted >= -size ? wanted + size : wanted;
    if (place < 0 || place >= size)
        work_.refuse(fmt::format("there is no item {} in an array of {}", wanted, size));
    return (*items)[static_cast<std::size_t>(place)];
}

// Bounds beyond the ends are the ends.
Value Evaluator::sliced(const Value& base, const Link& link) {
    const Value::Array* items = base.if_array();
    if (!items) work_.refuse(fmt::format("{} has no items", noun_of(base)));
    const std::int64_t size = std::ssize(*items);
    const auto bound = [&](const std::optional<NodeId>& id, std::int64_t otherwise) {
        if (!id) return otherwise;
        const Value value = of(*id);
        work_.at = link.at;
        const std::int64_t wanted = std::clamp(whole(value, "the index", work_), -size, size);
        return wanted < 0 ? wanted + size : wanted;
    };
    const std::int64_t to = bound(link.to, size);
    const std::int64_t from = std::min(bound(link.from, 0), to);
    work_.take(static_cast<std::size_t>(to - from));
    return Value::Array(items->begin() + from, items->begin() + to);
}

Value Evaluator::call(const Call& call, std::size_t at) {
    std::vector<Value> arguments;
    arguments.reserve(call.arguments.size());
    for (const NodeId argument : call.arguments)
        arguments.push_back(of(argument));
    work_.at = at;
    if (call.closure) return over_items(call.function, *call.closure, arguments.front(), at);
    return called(call.function, arguments, work_);
}

Value Evaluator::over_items(Function function, NodeId closure, const Value& items, std::size_t at) {
    const Value::Array& array = array_for(function, items, work_);
    const bool is_mapping = function == Function::Map || function == Function::Sum;
    Value::Array out;
    std::int64_t count = 0;
    for (std::size_t i = 0; i < array.size(); ++i) {
        Value answer = asked(closure, array[i], i);
        work_.at = at;
        if (is_mapping) {
            out.push_back(std::move(answer));
            continue;
        }
        if (!answer.if_bool())
            work_.refuse(fmt::format("the closure of {} gives {}, not a bool", name_of(function),
                                     noun_of(answer)));
        if (!*answer.if_bool() && function == Function::All) return false;
        if (*answer.if_bool() && function == Function::Any) return true;
        if (*answer.if_bool() && function == Function::None) return false;
        if (*answer.if_bool() && function == Function::Filter) out.push_back(array[i]);
        count += *answer.if_bool() ? 1 : 0;
    }
    switch (function) {
        case Function::All:
        case Function::None: return true;
        case Function::Any: return false;
        case Function::One: return count == 1;
        case Function::Count: return count;
        case Function::Sum: {
            const Value all = work_.holding(std::move(out));
            return called(Function::Sum, {&all, 1}, work_);
        }
        default: return work_.holding(std::move(out));
    }
}

Value Evaluator::asked(NodeId closure, const Value& item, std::size_t index) {
    scopes_.push_back({item, static_cast<std::int64_t>(index)});
    Value answer = of(closure);
    scopes_.pop_back();
    return answer;
}

}  // namespace sluice::api::analysis
