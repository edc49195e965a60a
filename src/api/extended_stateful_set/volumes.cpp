#include "api/extended_stateful_set/volumes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/extended_stateful_set/spec.hpp"
#include "base/hash.hpp"
#include "base/names.hpp"
#include "base/quantity.hpp"
#include "model/json_text.hpp"

namespace sluice::api::extended_stateful_set {

const model::Resource claims{"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"};
const model::Resource whole_sets{"apps", "v1", "statefulsets", "StatefulSet"};

namespace {

namespace json = boost::json;

constexpr std::size_t claim_spec_max = 8u << 10;
constexpr std::size_t name_max = 63;
constexpr const char* size_at = "/resources/requests/storage";

bool has_mode(const json::value& spec, std::string_view mode) {
    const json::value* modes = model::value_at(spec, "/accessModes");
    return modes && modes->is_array() &&
           std::ranges::any_of(modes->get_array(), [&](const json::value& one) {
               return one.is_string() && one.get_string() == mode;
           });
}

bool is_shared(const json::value& spec) {
    return has_mode(spec, "ReadWriteMany") || has_mode(spec, "ReadOnlyMany");
}

ClaimTemplate read_template(const Fields& fields) {
    ClaimTemplate claim;
    if (const auto meta = fields.object("metadata", required)) {
        claim.name = meta->text("name", name_max, required);
        if (!claim.name.empty() && !is_dns_label(claim.name))
            meta->fault("name", "is no name of a volume");
        claim.metadata = meta->json();
    }
    claim.spec = fields.json("spec", claim_spec_max, required);
    const json::value spec = model::parse_json(claim.spec);
    claim.size = std::string{model::text_at(spec, size_at)};
    if (!claim.spec.empty() && quantity(claim.size).value_or(0) <= 0)
        fields.fault("spec", "must say how large it is to be, in resources.requests.storage");
    claim.is_shared = is_shared(spec);
    const bool is_alone = has_mode(spec, "ReadWriteOnce") || has_mode(spec, "ReadWriteOncePod");
    if (!claim.spec.empty() && !claim.is_shared && !is_alone)
        fields.fault("spec", "must have accessModes");
    return claim;
}

json::object object_in(const std::string& text, const char* pointer) {
    const json::value whole = model::parse_json(text);
    const json::value* found = model::value_at(whole, pointer);
    return found && found->is_object() ? found->get_object() : json::object{};
}

json::object owner(const model::CustomObject& object) {
    return {{"apiVersion", model::api_version(resource)},
            {"kind", resource.kind},
            {"name", object.meta.key.name},
            {"uid", object.meta.uid},
            {"controller", true}};
}

json::object operation(const char* op, const char* path, json::value value) {
    return {{"op", op}, {"path", path}, {"value", std::move(value)}};
}

}  // namespace

bool Volumes::are_handed_over() const {
    return !std::ranges::all_of(templates, &ClaimTemplate::is_shared);
}

std::string Volumes::identity() const {
    std::string text;
    for (const ClaimTemplate& one : templates) {
        json::value spec = model::parse_json(one.spec);
        if (spec.is_object()) spec.get_object().erase("resources");
        text += fmt::format("{}={};", one.name, json::serialize(spec));
    }
    return text.empty() ? text : hex_digest(text);
}

std::string Volumes::shape() const {
    std::string text = deletes_when_deleted ? "deleted" : "retained";
    for (const ClaimTemplate& one : templates)
        text += fmt::format(";{}={}", one.name, one.size);
    return hex_digest(text);
}

Volumes read_volumes(const Fields& fields) {
    Volumes volumes;
    for (const Fields& one : fields.list("volumeClaimTemplates", claims_max)) {
        ClaimTemplate claim = read_template(one);
        const auto& known = volumes.templates;
        if (std::ranges::find(known, claim.name, &ClaimTemplate::name) != known.end())
            one.fault("metadata", "has a name that another claim template has, too");
        volumes.templates.push_back(std::move(claim));
    }
    if (const auto policy = fields.object("persistentVolumeClaimRetentionPolicy", !required)) {
        volumes.deletes_when_scaled = policy->choice("whenScaled", {"Retain", "Delete"}) == 1;
        volumes.deletes_when_deleted = policy->choice("whenDeleted", {"Retain", "Delete"}) == 1;
    }
    return volumes;
}

std::string claim_name(std::string_view owner, std::string_view claim, std::optional<int> zone,
                       std::string_view ordinal) {
    return zone ? fmt::format("{}-{}-z{}-{}", claim, owner, *zone, ordinal)
                : fmt::format("{}-{}-{}", claim, owner, ordinal);
}

std::string claim_body(const model::CustomObject& object, const Volumes& volumes,
                       const ClaimTemplate& claim, std::optional<int> zone, int ordinal) {
    const std::string number = std::to_string(ordinal);
    json::object labels = object_in(claim.metadata, "/labels");
    labels[owner_label] = object.meta.key.name;
    labels[ordinal_key] = number;
    if (zone) labels[zone_index_key] = std::to_string(*zone);
    json::object metadata{{"name", claim_name(object.meta.key.name, claim.name, zone, number)},
                          {"namespace", object.meta.key.ns},
                          {"labels", std::move(labels)}};
    json::object annotations = object_in(claim.metadata, "/annotations");
    if (!annotations.empty()) metadata["annotations"] = std::move(annotations);
    if (volumes.deletes_when_deleted) metadata["ownerReferences"] = json::array{owner(object)};
    return json::serialize(json::object{{"apiVersion", "v1"},
                                        {"kind", claims.kind},
                                        {"metadata", std::move(metadata)},
                                        {"spec", model::parse_json(claim.spec)}});
}

bool is_own_claim(const model::CustomObject& claim, std::string_view owner,
                  std::optional<int> zone) {
    const auto says = [&](std::string_view key, const std::string& value) {
        const auto found = claim.labels.find(std::string{key});
        return (found == claim.labels.end() ? std::string{} : found->second) == value;
    };
    return says(owner_label, std::string{owner}) &&
           says(zone_index_key, zone ? std::to_string(*zone) : std::string{});
}

bool can_be_shared(const model::CustomObject& claim) {
    return is_shared(model::parse_json(claim.spec));
}

std::string owner_change(const model::CustomObject& object, const Volumes& volumes,
                         const model::CustomObject& claim) {
    const char* owners_at = "/metadata/ownerReferences";
    const bool is_owned = claim.owner_uid == object.meta.uid;
    if (is_owned && !volumes.deletes_when_deleted)
        return json::serialize(json::array{
            operation("test", "/metadata/ownerReferences/0/uid", json::string(object.meta.uid)),
            json::object{{"op", "remove"}, {"path", "/metadata/ownerReferences/0"}}});
    if (claim.owner_uid.empty() && volumes.deletes_when_deleted)
        return json::serialize(
            json::array{operation("test", owners_at, nullptr),
                        operation("add", owners_at, json::array{owner(object)})});
    return {};
}

std::string size_change(const ClaimTemplate& wanted, const model::CustomObject& claim) {
    const char* size_of_claim = "/spec/resources/requests/storage";
    const std::string size{model::text_at(model::parse_json(claim.spec), size_at)};
    if (quantity(size).value_or(0) >= quantity(wanted.size).value_or(0)) return {};
    return json::serialize(
        json::array{operation("test", size_of_claim, json::string(size)),
                    operation("replace", size_of_claim, json::string(wanted.size))});
}

}  // namespace sluice::api::extended_stateful_set
