// How an object looks once Go has read it into its own type and written it out again.
#include <algorithm>

#include "sim/api/defaults.hpp"

namespace sluice::sim {
namespace {

// Maps of strings; an empty one is not written. Every other empty object is a struct, which is.
constexpr std::string_view maps[] = {"labels",     "annotations", "data",     "binaryData",
                                     "stringData", "matchLabels", "requests", "limits",
                                     "capacity",   "nodeSelector"};

bool is_left_out(std::string_view key, const json::value& value) {
    if (value.is_null()) return true;
    if (const json::array* list = value.if_array()) return list->empty();
    const json::object* object = value.if_object();
    return object && object->empty() && std::ranges::count(maps, key) > 0;
}

void tidy_value(json::value& value);

void tidy_object(json::object& object) {
    json::object kept;
    kept.reserve(object.size());
    for (auto& member : object) {
        const std::string_view key = member.key();
        if (key != "managedFields") tidy_value(member.value());
        if (!is_left_out(key, member.value()))
            kept.emplace(member.key(), std::move(member.value()));
    }
    object = std::move(kept);
}

void tidy_value(json::value& value) {
    if (json::object* object = value.if_object()) tidy_object(*object);
    if (json::array* list = value.if_array())
        for (json::value& entry : *list)
            tidy_value(entry);
}

// What these carry is written by others, and kept as it is.
bool carries_foreign_parts(const Resource& resource) {
    return resource.is_custom() || resource.kind == "CustomResourceDefinition" ||
           resource.kind == "ControllerRevision" ||
           resource.group.starts_with("admissionregistration");
}

// Their times are written out, also when nobody knows them.
void complete_conditions(json::object& pod) {
    json::value* conditions = find(pod, "/status/conditions");
    if (!conditions || !conditions->is_array()) return;
    for (json::value& entry : conditions->get_array())
        for (const char* time : {"lastProbeTime", "lastTransitionTime"})
            if (entry.is_object()) entry.get_object().emplace(time, nullptr);
}

}  // namespace

void tidy(const Resource& resource, json::object& object) {
    if (!carries_foreign_parts(resource)) tidy_object(object);
    if (resource.kind == "Pod") complete_conditions(object);
    if (!carries_foreign_parts(resource)) return;
    if (json::value* meta = object.if_contains("metadata")) tidy_value(*meta);
}

}  // namespace sluice::sim
