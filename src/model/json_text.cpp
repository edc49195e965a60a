#include "model/json_text.hpp"

namespace sluice::model {

namespace json = boost::json;

json::value merge_patch_between(const json::value& from, const json::value& to) {
    if (!from.is_object() || !to.is_object()) return to;
    json::object changes;
    for (const auto& [key, value] : from.get_object())
        if (!to.get_object().contains(key)) changes[key] = nullptr;
    for (const auto& [key, value] : to.get_object()) {
        const json::value* old = from.get_object().if_contains(key);
        if (!old || *old != value) changes[key] = old ? merge_patch_between(*old, value) : value;
    }
    return changes;
}

}  // namespace sluice::model
