#include "sim/api/list_order.hpp"
#include "sim/api/refusals.hpp"

namespace sluice::sim {
namespace {

// A value that comes new into the document: its nulls ask for nothing to be removed.
json::value without_nulls(json::value value) {
    if (json::array* array = value.if_array()) {
        for (json::value& entry : *array)
            entry = without_nulls(std::move(entry));
        return value;
    }
    const json::object* object = value.if_object();
    if (!object) return value;
    json::object kept;
    for (const auto& [key, member] : *object)
        if (!member.is_null()) kept.emplace(key, without_nulls(member));
    return kept;
}

void merge(json::object& target, const json::object& patch) {
    for (const auto& [key, wanted] : patch) {
        if (wanted.is_null()) {
            erase_member(target, key);
            continue;
        }
        json::value* current = target.if_contains(key);
        if (current && current->is_object() && wanted.is_object())
            merge(current->get_object(), wanted.get_object());
        else
            target[key] = without_nulls(wanted);
    }
}

}  // namespace

Patched merge_patch(const json::object& document, const json::value& patch) {
    if (auto refused = too_deep(document, patch)) return std::unexpected{*refused};
    const json::object* wanted = patch.if_object();
    if (!wanted) return cannot_unmarshal(patch, "value of type map[string]interface {}");
    json::object patched = document;
    merge(patched, *wanted);
    return patched;
}

}  // namespace sluice::sim
