#include "api/extended_stateful_set/owner_list.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "api/extended_stateful_set/spec.hpp"
#include "model/json_text.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

namespace json = boost::json;
using model::CustomObject;

json::object own_reference(const CustomObject& object) {
    return {{"apiVersion", model::api_version(resource)},
            {"kind", resource.kind},
            {"name", object.meta.key.name},
            {"uid", object.meta.uid},
            {"controller", false},
            {"blockOwnerDeletion", true}};
}

// In full, so that nobody else's is taken for it.
json::object namespace_reference(const std::string& ns, const std::string& uid) {
    return {{"apiVersion", model::api_version(namespaces)},
            {"kind", namespaces.kind},
            {"name", ns},
            {"uid", uid},
            {"controller", false},
            {"blockOwnerDeletion", false}};
}

bool is_own(const json::value& owner, const CustomObject& object) {
    return model::text_at(owner, "/uid") == object.meta.uid;
}
// Somebody else has written it, and has to take it away.
bool is_controller(const json::value& owner) {
    const json::value* said = model::value_at(owner, "/controller");
    return said && *said == json::value(true);
}
bool is_namespace(const json::value& owner, const std::string& ns) {
    const std::string uid{model::text_at(owner, "/uid")};
    return owner == json::value(namespace_reference(ns, uid));
}
bool is_of_same_kind(const json::value& owner) {
    return model::text_at(owner, "/kind") == resource.kind &&
           model::text_at(owner, "/apiVersion") == model::api_version(resource);
}

// Null: they cannot be read.
std::optional<json::array> owners_in(std::string_view list) {
    if (list.empty()) return json::array{};
    json::value owners = model::parse_json(list);
    return owners.is_array() ? std::optional{std::move(owners.get_array())} : std::nullopt;
}

}  // namespace

bool is_marked(std::string_view list, const CustomObject& object) {
    const auto owners = owners_in(list);
    return owners &&
           std::ranges::any_of(*owners,
                               [&](const json::value& one) { return is_own(one, object); }) &&
           std::ranges::any_of(*owners, [&](const json::value& one) {
               return is_namespace(one, object.meta.key.ns);
           });
}

std::optional<std::string> with_owner(std::string_view list, const CustomObject& object,
                                      const std::string& namespace_uid) {
    auto owners = owners_in(list);
    if (!owners || is_marked(list, object)) return std::nullopt;
    const auto is_known = [&](const json::value& one) { return is_own(one, object); };
    if (std::ranges::none_of(*owners, is_known)) owners->push_back(own_reference(object));
    const auto is_space = [&](const json::value& one) {
        return is_namespace(one, object.meta.key.ns);
    };
    if (std::ranges::none_of(*owners, is_space))
        owners->push_back(namespace_reference(object.meta.key.ns, namespace_uid));
    return json::serialize(*owners);
}

std::optional<std::string> without_owner(std::string_view list, const CustomObject& object) {
    const auto owners = owners_in(list);
    if (!owners) return std::nullopt;
    json::array others;
    for (const json::value& one : *owners)
        if (!is_own(one, object) || is_controller(one)) others.push_back(one);
    if (others.size() == owners->size()) return std::nullopt;
    if (std::ranges::any_of(others, is_of_same_kind)) return json::serialize(others);
    json::array rest;
    for (const json::value& one : others)
        if (!is_namespace(one, object.meta.key.ns)) rest.push_back(one);
    return json::serialize(rest);
}

}  // namespace sluice::api::extended_stateful_set
