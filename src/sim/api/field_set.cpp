#include "sim/api/field_set.hpp"

#include <algorithm>
#include <map>

#include "sim/api/refusals.hpp"

namespace sluice::sim {
namespace {

constexpr std::string_view self = ".";

FieldSet children_of(FieldSet node) {
    node.erase(self);
    return node;
}

void collect(const FieldSet& left, const FieldSet& right, const std::string& path,
             std::vector<std::string>& found) {
    for (const auto& [name, node] : left) {
        const json::value* other = name == self ? nullptr : right.if_contains(name);
        if (!other) continue;
        const std::string at = path + path_step(name);
        if (is_member(node.get_object()) && is_member(other->get_object())) found.push_back(at);
        collect(node.get_object(), other->get_object(), at, found);
    }
}

bool is_node(const json::value& value, int levels) {
    const json::object* node = value.if_object();
    if (!node || levels <= 0) return false;
    return std::ranges::all_of(*node, [&](const auto& child) {
        const std::string_view name = child.key();
        const bool is_known = name == self || name.starts_with("f:") || name.starts_with("k:") ||
                              name.starts_with("v:") || name.starts_with("i:");
        return is_known && is_node(child.value(), levels - 1);
    });
}

}  // namespace

bool is_member(const FieldSet& node) {
    return node.empty() || node.contains(self);
}

FieldSet as_member(FieldSet children) {
    if (!children.empty()) children[self] = json::object{};
    return children;
}

void enter(FieldSet& set, const std::string& name, FieldSet children, bool is_in_set) {
    if (children.empty() && !is_in_set) return;
    set[name] = is_in_set ? as_member(std::move(children)) : std::move(children);
}

bool is_field_set(const json::value& value) {
    return is_node(value, depth_max);
}

FieldSet united(FieldSet set, const FieldSet& other) {
    for (const auto& [name, node] : other) {
        json::value& mine = set[name];
        if (!mine.is_object()) {
            mine = node;
            continue;
        }
        const FieldSet& theirs = node.get_object();
        const bool is_in_set = is_member(mine.get_object()) || is_member(theirs);
        FieldSet both = united(children_of(std::move(mine.get_object())), children_of(theirs));
        mine = is_in_set ? as_member(std::move(both)) : std::move(both);
    }
    return set;
}

FieldSet without(FieldSet set, const FieldSet& other) {
    for (const auto& [name, node] : other) {
        json::value* mine = name == self ? nullptr : set.if_contains(name);
        if (!mine) continue;
        const FieldSet& theirs = node.get_object();
        const bool is_in_set = is_member(mine->get_object()) && !is_member(theirs);
        FieldSet left = without(children_of(std::move(mine->get_object())), theirs);
        if (left.empty() && !is_in_set)
            set.erase(name);
        else
            *mine = is_in_set ? as_member(std::move(left)) : std::move(left);
    }
    return set;
}

FieldSet sorted(const FieldSet& set) {
    std::map<std::string_view, const json::value*> names;
    for (const auto& [name, node] : set)
        names.emplace(name, &node);
    FieldSet ordered;
    ordered.reserve(set.size());
    for (const auto& [name, node] : names)
        ordered.emplace(name, sorted(node->get_object()));
    return ordered;
}

std::string path_step(std::string_view name) {
    const std::string_view kind = name.substr(0, 2);
    const std::string text{name.substr(std::min<std::size_t>(2, name.size()))};
    if (kind == "f:") return "." + text;
    if (kind == "v:") return "[=" + text + "]";
    boost::system::error_code failed;
    const json::value keys = json::parse(text, failed);
    if (kind != "k:" || failed || !keys.is_object()) return "[" + text + "]";
    std::string steps;
    for (const auto& [key, value] : keys.get_object())
        steps += (steps.empty() ? "" : ",") + std::string{key} + "=" + json::serialize(value);
    return "[" + steps + "]";
}

std::vector<std::string> common_paths(const FieldSet& left, const FieldSet& right) {
    std::vector<std::string> found;
    collect(left, right, "", found);
    return found;
}

}  // namespace sluice::sim
