#include "cli/foreign_definitions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <vector>

#include "api/registry.hpp"
#include "base/assert.hpp"
#include "model/json_text.hpp"
#include "model/yaml.hpp"

namespace sluice::cli {
namespace {

namespace json = boost::json;
using model::text_at;

constexpr std::string_view separator = "---\n";
constexpr std::string_view keep_unknown = "x-kubernetes-preserve-unknown-fields";
constexpr std::size_t fields_told_max = 12;
constexpr std::size_t depth_max = 200;  // of a definition; those of others have some 60

const json::value* at(const json::value& whole, std::string_view pointer) {
    boost::system::error_code absent;
    return whole.find_pointer(pointer, absent);
}

bool is_set(const json::value& schema, std::string_view key) {
    const json::value* found = schema.is_object() ? schema.get_object().if_contains(key) : nullptr;
    return found && found->is_bool() && found->get_bool();
}

const json::object* part(const json::value& schema, std::string_view key) {
    const json::value* found = schema.is_object() ? schema.get_object().if_contains(key) : nullptr;
    return found ? found->if_object() : nullptr;
}

// Nothing: the server drops it.
const json::value* field_in(const json::value& schema, std::string_view name) {
    const json::object* properties = part(schema, "properties");
    if (const json::value* known = properties ? properties->if_contains(name) : nullptr)
        return known;
    return part(schema, "additionalProperties") ? at(schema, "/additionalProperties") : nullptr;
}

bool is_opaque(const json::value& schema) {
    return is_set(schema, keep_unknown) && !part(schema, "properties");
}

// What is kept without being looked into is not missed.
void compare(const json::value& ours, const json::value& theirs, const std::string& path,
             std::vector<std::string>& missing) {
    if (const json::object* properties = part(ours, "properties")) {
        for (const auto& [name, field] : *properties) {
            const std::string below = path.empty()
                                          ? std::string{name}
                                          : fmt::format("{}.{}", path, std::string_view{name});
            if (path.empty() && name != "spec" && name != "status") continue;
            if (const json::value* other = field_in(theirs, name))
                compare(field, *other, below, missing);
            else if (!is_set(theirs, keep_unknown) && !is_opaque(field))
                missing.push_back(below);
        }
    }
    const json::value* items = at(ours, "/items");
    const json::value* their_items = at(theirs, "/items");
    if (items && their_items) compare(*items, *their_items, path + "[]", missing);
}

struct Version {
    const json::value* schema = nullptr;  // nothing: it is not served
    bool has_status = false;              // as a subresource
};

Version version_in(const json::value& definition, std::string_view name) {
    const json::value* versions = at(definition, "/spec/versions");
    if (!versions || !versions->is_array()) return {};
    for (const json::value& one : versions->get_array())
        if (text_at(one, "/name") == name && is_set(one, "served"))
            return {at(one, "/schema/openAPIV3Schema"), at(one, "/subresources/status") != nullptr};
    return {};
}

bool is_of(const api::Api& api, std::string_view definition) {
    const model::Resource* resource = api.resource;
    return resource && definition == fmt::format("{}.{}", resource->plural, resource->group);
}

// What it lacks, as the end of "It has …"; empty: nothing.
std::string lack_of(const json::value& ours, const json::value& theirs) {
    const std::string_view name = text_at(ours, "/spec/versions/0/name");
    const Version mine = version_in(ours, name);
    const Version other = version_in(theirs, name);
    SLUICE_ASSERT(mine.schema);
    if (!other.schema) return fmt::format("no version {}", name);
    if (mine.has_status && !other.has_status) return "no status subresource";
    std::vector<std::string> missing;
    compare(*mine.schema, *other.schema, {}, missing);
    for (const api::Api& api : api::apis())
        if (is_of(api, text_at(ours, "/metadata/name")))
            for (const std::string_view field : api.dispensable)
                std::erase(missing, field);
    if (missing.empty()) return {};
    const std::size_t more = missing.size() - std::min(missing.size(), fields_told_max);
    missing.resize(missing.size() - more);
    return fmt::format("no {}{}", fmt::join(missing, ", "),
                       more ? fmt::format(" and {} more", more) : std::string{});
}

std::string note_about(const std::string& name, const json::value& ours,
                       const json::value& theirs) {
    std::string note = fmt::format("# {0} is there and not Sluice's: it stays as it is.\n", name);
    const std::string lack = lack_of(ours, theirs);
    if (lack.empty()) return note + "#   It has every field that Sluice needs.\n";
    return note + fmt::format(
                      "#   It has {}, which Sluice needs.\n"
                      "#   Bring in a newer one. Or, if nobody else uses it, let Sluice replace it "
                      "and keep its\n"
                      "#   objects: kubectl label crd {} app.kubernetes.io/name=sluice "
                      "--overwrite, then install again.\n",
                      lack, name);
}

bool is_ours(const json::value& definition) {
    return text_at(definition, "/metadata/labels/app.kubernetes.io~1name") == "sluice";
}

Result<std::map<std::string, json::value>> foreign_in(std::string_view installed) {
    std::map<std::string, json::value> foreign;
    if (installed.find_first_not_of(" \n") == std::string_view::npos) return foreign;
    boost::system::error_code failed;
    json::parse_options options;
    options.max_depth = depth_max;
    const json::value read = json::parse(installed, failed, {}, options);
    if (failed || !read.is_object())
        return failure(ErrorKind::Malformed,
                       "--installed: is not what `kubectl get crd -o json` prints.");
    const json::value* items = at(read, "/items");
    const json::array all = items && items->is_array() ? items->get_array() : json::array{read};
    for (const json::value& one : all)
        if (!is_ours(one)) foreign.emplace(text_at(one, "/metadata/name"), one);
    return foreign;
}

}  // namespace

Result<std::string> without_foreign(std::string_view definitions, std::string_view installed) {
    const auto foreign = foreign_in(installed);
    if (!foreign) return std::unexpected(foreign.error());
    std::string notes;
    std::string kept;
    while (!definitions.empty()) {
        const std::size_t end = definitions.find(separator);
        const std::string_view text = definitions.substr(0, end);
        definitions.remove_prefix(std::min(definitions.size(), text.size() + separator.size()));
        const auto documents = model::read_yaml(text, {.depth_max = depth_max});
        SLUICE_ASSERT(documents.has_value());
        if (documents->empty()) {
            notes += text;
            continue;
        }
        const std::string name{text_at(documents->front(), "/metadata/name")};
        const auto theirs = foreign->find(name);
        if (theirs == foreign->end())
            kept.append(separator).append(text);
        else
            notes += note_about(name, documents->front(), theirs->second);
    }
    return notes + kept;
}

}  // namespace sluice::cli
