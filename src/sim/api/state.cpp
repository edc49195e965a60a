#include "sim/api/state.hpp"

namespace sluice::sim {

const json::object* condition(const json::object& status, std::string_view type) {
    for (const json::value& entry : array_at(status, "/conditions"))
        if (entry.is_object() && text_at(entry.get_object(), "/type") == type)
            return &entry.get_object();
    return nullptr;
}

bool holds(const json::object& status, std::string_view type) {
    const json::object* found = condition(status, type);
    return found && text_at(*found, "/status") == "True";
}

bool is_terminating(const json::object& object) {
    const json::value* meta = object.if_contains("metadata");
    return meta && meta->is_object() && meta->get_object().contains("deletionTimestamp");
}

}  // namespace sluice::sim
