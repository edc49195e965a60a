#include "language/evaluator.hpp"

#include <algorithm>
#include <ranges>

#include "base/assert.hpp"
#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "language/functions.hpp"
#include "language/operators.hpp"

namespace sluice::language {

Value Evaluator::of(NodeId id) {
    const Node& node = tree_[id];
    work_.at = node.at;
    work_.take(1);
    if (const auto* literal = std::get_if<Literal>(&node.what)) return literal->value;
    if (const auto* named = std::get_if<Named>(&node.what))
        return values_.find(named->name)->second;
    if (const auto* part = std::get_if<Item>(&node.what)) return item(*part);
    if (const auto* variable = std::get_if<Variable>(&node.what)) return variables_[variable->slot];
    if (const auto* let = std::get_if<Let>(&node.what)) return declared(*let);
    if (const auto* parts = std::get_if<Sequence>(&node.what)) return last_of(*parts);
    if (const auto* one = std::get_if<Unary>(&node.what)) return unary(*one, node.at);
    if (std::holds_alternative<Binary>(node.what)) return in_a_row(id);
    if (const auto* choice = std::get_if<Conditional>(&node.what))
        return conditional(*choice, node.at);
    if (const auto* items = std::get_if<ListOf>(&node.what)) return list(*items, node.at);
    if (const auto* members = std::get_if<MapOf>(&node.what)) return map(*members, node.at);
    if (const auto* links = std::get_if<Chain>(&node.what)) return chain(*links);
    return call(std::get<Call>(node.what), node.at);
}

Value Evaluator::item(const Item& item) const {
    const Scope& scope = scopes_.back();
    switch (item.part) {
        case Item::Part::Index: return scope.index;
        case Item::Part::Accumulated: return scope.accumulated;
        default: return scope.item;
    }
}

Value Evaluator::declared(const Let& let) {
    Value value = of(let.value);
    variables_.resize(let.slot);
    variables_.push_back(std::move(value));
    return of(let.body);
}

Value Evaluator::last_of(const Sequence& sequence) {
    Value value;
    for (const NodeId part : sequence.parts)
        value = of(part);
    return value;
}

Value Evaluator::conditional(const Conditional& choice, std::size_t at) {
    const Value condition = of(choice.condition);
    work_.at = at;
    if (!condition.if_bool())
        work_.refuse(fmt::format("the condition is {}, not a bool", noun_of(condition)));
    return of(*condition.if_bool() ? choice.yes : choice.no);
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
    if (link.kind == Link::Kind::Method) return method_called(link.name, base, work_);
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
    if (const Value::Map* members = base.if_map()) return member_of(*members, index, work_);
    const Value::Array* items = base.if_array();
    if (!items) work_.refuse(fmt::format("{} has no items", noun_of(base)));
    const std::int64_t wanted = whole(index, "the index", work_);
    const std::optional<std::size_t> place = place_in(items->size(), wanted);
    if (!place)
        work_.refuse(fmt::format("there is no item {} in an array of {}", wanted, items->size()));
    return (*items)[*place];
}

// Bounds beyond the ends are the ends. A text is cut between its characters only.
Value Evaluator::sliced(const Value& base, const Link& link) {
    const Value::Array* items = base.if_array();
    const std::string* text = base.if_text();
    if (!items && !text) work_.refuse(fmt::format("{} has no items", noun_of(base)));
    const std::int64_t size = items ? std::ssize(*items) : std::ssize(*text);
    const auto bound = [&](const std::optional<NodeId>& id, std::int64_t otherwise) {
        if (!id) return otherwise;
        const Value value = of(*id);
        work_.at = link.at;
        const std::int64_t wanted = std::clamp(whole(value, "the index", work_), -size, size);
        return wanted < 0 ? wanted + size : wanted;
    };
    const std::int64_t to = bound(link.to, size);
    const std::int64_t from = std::min(bound(link.from, 0), to);
    if (items) {
        work_.take(static_cast<std::size_t>(to - from));
        return Value::Array(items->begin() + from, items->begin() + to);
    }
    work_.take_bytes(static_cast<std::size_t>(to - from));
    std::string part(text->begin() + from, text->begin() + to);
    if (!is_utf8(part)) work_.refuse("the slice cuts through a character");
    return part;
}

Value Evaluator::call(const Call& call, std::size_t at) {
    std::vector<Value> arguments;
    arguments.reserve(call.arguments.size());
    for (const NodeId argument : call.arguments)
        arguments.push_back(of(argument));
    work_.at = at;
    if (call.function == Function::Now) return go_time(now_);
    return call.closure ? over_items(call.function, *call.closure, arguments, at)
                        : called(call.function, arguments, work_);
}

Value Evaluator::over_items(Function function, NodeId closure, std::span<const Value> arguments,
                            std::size_t at) {
    const Value::Array& items = array_for(function, arguments[0], work_);
    switch (function) {
        case Function::Reduce: return reduced(closure, arguments);
        case Function::Map:
        case Function::Sum:
        case Function::GroupBy:
        case Function::SortBy: break;
        default: return chosen(function, closure, items, at);
    }
    Value::Array answers;
    for (std::size_t i = 0; i < items.size(); ++i)
        answers.push_back(asked(closure, items[i], i));
    work_.at = at;
    return collected(function, arguments, std::move(answers), work_);
}

namespace {

// What is known as soon as a closure has said yes or no about an item.
std::optional<Value> known_from(Function function, bool yes, const Value& item,
                                std::int64_t index) {
    switch (function) {
        case Function::All: return yes ? std::nullopt : std::optional<Value>(false);
        case Function::Any: return yes ? std::optional<Value>(true) : std::nullopt;
        case Function::None: return yes ? std::optional<Value>(false) : std::nullopt;
        case Function::Find:
        case Function::FindLast: return yes ? std::optional(item) : std::nullopt;
        case Function::FindIndex:
        case Function::FindLastIndex: return yes ? std::optional<Value>(index) : std::nullopt;
        default: return std::nullopt;
    }
}

}  // namespace

// The functions whose closure says yes or no.
Value Evaluator::chosen(Function function, NodeId closure, const Value::Array& items,
                        std::size_t at) {
    const bool backwards = function == Function::FindLast || function == Function::FindLastIndex;
    Value::Array kept;
    std::int64_t count = 0;
    for (std::size_t n = 0; n < items.size(); ++n) {
        const std::size_t i = backwards ? items.size() - 1 - n : n;
        const Value answer = asked(closure, items[i], i);
        work_.at = at;
        if (!answer.if_bool())
            work_.refuse(fmt::format("the closure of {} gives {}, not a bool", name_of(function),
                                     noun_of(answer)));
        const bool yes = *answer.if_bool();
        const auto known = known_from(function, yes, items[i], static_cast<std::int64_t>(i));
        if (known) return *known;
        if (yes && function == Function::Filter) kept.push_back(items[i]);
        count += yes ? 1 : 0;
    }
    switch (function) {
        case Function::All:
        case Function::None: return true;
        case Function::Any: return false;
        case Function::One: return count == 1;
        case Function::Count: return count;
        case Function::Filter: return work_.holding(std::move(kept));
        default: return Value{};
    }
}

Value Evaluator::reduced(NodeId closure, std::span<const Value> arguments) {
    const Value::Array& items = array_for(Function::Reduce, arguments[0], work_);
    const bool has_first = arguments.size() > 1;
    if (!has_first && items.empty()) work_.refuse("reduce has nothing to begin with");
    Value made = has_first ? arguments[1] : items[0];
    for (std::size_t i = has_first ? 0 : 1; i < items.size(); ++i)
        made = asked(closure, items[i], i, made);
    return made;
}

Value Evaluator::asked(NodeId closure, const Value& item, std::size_t index, Value accumulated) {
    scopes_.push_back({item, static_cast<std::int64_t>(index), std::move(accumulated)});
    Value answer = of(closure);
    scopes_.pop_back();
    return answer;
}

}  // namespace sluice::language
