#include "sim/kubectl/discovery.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

#include "sim/api/split.hpp"

namespace sluice::sim {
namespace {

constexpr std::array object_verbs{"create", "delete", "deletecollection", "get",
                                  "list",   "patch",  "update",           "watch"};
constexpr std::array subresource_verbs{"get", "patch", "update"};

template <class Words>
json::array to_array(const Words& words) {
    json::array list;
    for (const auto& word : words)
        list.emplace_back(json::string_view(word));
    return list;
}

struct Group {
    std::string name;
    std::vector<std::string> versions;  // the preferred one first
};

std::vector<Group> groups_of(const Resources& resources) {
    std::vector<Group> groups;
    for (const Resource* resource : resources) {
        auto group = std::ranges::find(groups, resource->group, &Group::name);
        if (group == groups.end()) group = groups.insert(group, {resource->group, {}});
        if (std::ranges::find(group->versions, resource->version) == group->versions.end())
            group->versions.push_back(resource->version);
    }
    for (Group& group : groups)
        std::ranges::sort(group.versions, is_preferred);
    return groups;
}

Resources resources_in(const Resources& all, std::string_view group, std::string_view version) {
    Resources found;
    std::ranges::copy_if(all, std::back_inserter(found), [&](const Resource* resource) {
        return resource->group == group && resource->version == version;
    });
    return found;
}

json::object version_entry(const std::string& group, const std::string& version) {
    return {{"groupVersion", group + "/" + version}, {"version", version}};
}

json::object group_entry(const Group& group) {
    json::array versions;
    for (const std::string& version : group.versions)
        versions.push_back(version_entry(group.name, version));
    return {{"name", group.name},
            {"versions", versions},
            {"preferredVersion", version_entry(group.name, group.versions.front())}};
}

json::object legacy_entry(const Resource& resource) {
    json::object entry{{"name", resource.plural},
                       {"singularName", resource.singular},
                       {"namespaced", resource.namespaced},
                       {"kind", resource.kind},
                       {"verbs", to_array(object_verbs)}};
    if (!resource.short_names.empty()) entry["shortNames"] = to_array(resource.short_names);
    if (!resource.categories.empty()) entry["categories"] = to_array(resource.categories);
    return entry;
}

json::object legacy_subresource(const Resource& resource, const std::string& name) {
    json::object entry{{"name", resource.plural + "/" + name},
                       {"singularName", ""},
                       {"namespaced", resource.namespaced},
                       {"kind", name == "scale" ? "Scale" : resource.kind},
                       {"verbs", to_array(subresource_verbs)}};
    if (name == "scale") {
        entry["group"] = "autoscaling";
        entry["version"] = "v1";
    }
    return entry;
}

json::object kind_entry(std::string_view group, std::string_view version, std::string_view kind) {
    return {{"group", group}, {"version", version}, {"kind", kind}};
}

json::object aggregated_subresource(const Resource& resource, const std::string& name) {
    return {{"subresource", name},
            {"responseKind", name == "scale"
                                 ? kind_entry("autoscaling", "v1", "Scale")
                                 : kind_entry(resource.group, resource.version, resource.kind)},
            {"verbs", to_array(subresource_verbs)}};
}

json::object aggregated_entry(const Resource& resource) {
    json::object entry{
        {"resource", resource.plural},
        {"responseKind", kind_entry(resource.group, resource.version, resource.kind)},
        {"scope", resource.namespaced ? "Namespaced" : "Cluster"},
        {"singularResource", resource.singular},
        {"verbs", to_array(object_verbs)}};
    if (!resource.short_names.empty()) entry["shortNames"] = to_array(resource.short_names);
    if (!resource.categories.empty()) entry["categories"] = to_array(resource.categories);
    json::array subresources;
    if (resource.has_scale) subresources.push_back(aggregated_subresource(resource, "scale"));
    if (resource.has_status) subresources.push_back(aggregated_subresource(resource, "status"));
    if (!subresources.empty()) entry["subresources"] = std::move(subresources);
    return entry;
}

json::object aggregated_group(const Resources& resources, const Group& group) {
    json::array versions;
    for (const std::string& version : group.versions) {
        json::array entries;
        for (const Resource* resource : resources_in(resources, group.name, version))
            entries.push_back(aggregated_entry(*resource));
        versions.push_back(json::object{
            {"version", version}, {"resources", std::move(entries)}, {"freshness", "Current"}});
    }
    json::object metadata{{"creationTimestamp", nullptr}};
    if (!group.name.empty()) metadata["name"] = group.name;
    return {{"metadata", std::move(metadata)}, {"versions", std::move(versions)}};
}

// How far along a version is, larger first: stable before beta before alpha before other names.
std::tuple<int, int, int> rank(std::string_view version) {
    const auto number = [&]() -> std::optional<int> {
        int value = 0;
        const auto [end, failed] =
            std::from_chars(version.data(), version.data() + version.size(), value);
        if (failed != std::errc{}) return std::nullopt;
        version.remove_prefix(static_cast<std::size_t>(end - version.data()));
        return value;
    };
    if (!version.starts_with('v')) return {};
    version.remove_prefix(1);
    const auto major = number();
    if (!major) return {};
    if (version.empty()) return {3, *major, 0};
    const int stage = version.starts_with("beta") ? 2 : version.starts_with("alpha") ? 1 : 0;
    if (stage == 0) return {};
    version.remove_prefix(stage == 2 ? 4 : 5);
    const auto minor = number();
    if (!minor || !version.empty()) return {};
    return {stage, *major, *minor};
}

std::string content_type_of(std::string_view version) {
    return "application/json;g=apidiscovery.k8s.io;v=" + std::string{version} +
           ";as=APIGroupDiscoveryList";
}

// "v2", "v2beta1", or "" for the legacy form: the first that stands in the header.
std::string_view form_in(std::string_view accept) {
    for (const std::string_view one : parts_of(accept, ',')) {
        if (one.find("as=APIGroupDiscoveryList") == one.npos) {
            if (one.find("json") != one.npos || one.find("*/*") != one.npos) return "";
            continue;
        }
        if (one.find("v=v2beta1") != one.npos) return "v2beta1";
        if (one.find("v=v2") != one.npos) return "v2";
    }
    return "";
}

// The documents of /version, /api, /apis, /apis/<group> and /apis/<group>/<version>.
json::object version_document() {
    return {{"major", "1"},
            {"minor", "36"},
            {"gitVersion", server_version},
            {"gitCommit", "embedded"},
            {"gitTreeState", "clean"},
            {"buildDate", "1970-01-01T00:00:00Z"},
            {"goVersion", "none"},
            {"compiler", "clang"},
            {"platform", "linux/amd64"}};
}

json::object core_versions() {
    return {{"kind", "APIVersions"},
            {"versions", json::array{"v1"}},
            {"serverAddressByClientCIDRs", json::array{}}};
}

json::object group_list(const Resources& resources) {
    json::array groups;
    for (const Group& group : groups_of(resources)) {
        if (!group.name.empty()) groups.push_back(group_entry(group));
    }
    return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

std::optional<json::object> group_document(const Resources& resources, std::string_view group) {
    for (const Group& one : groups_of(resources)) {
        if (one.name.empty() || one.name != group) continue;
        json::object document{{"kind", "APIGroup"}, {"apiVersion", "v1"}};
        for (auto& entry : group_entry(one))
            document[entry.key()] = std::move(entry.value());
        return document;
    }
    return std::nullopt;
}

std::optional<json::object> resource_list(const Resources& resources, std::string_view group,
                                          std::string_view version) {
    const Resources found = resources_in(resources, group, version);
    if (found.empty()) return std::nullopt;
    json::array entries;
    for (const Resource* resource : found) {
        entries.push_back(legacy_entry(*resource));
        if (resource->has_scale) entries.push_back(legacy_subresource(*resource, "scale"));
        if (resource->has_status) entries.push_back(legacy_subresource(*resource, "status"));
    }
    return json::object{{"kind", "APIResourceList"},
                        {"apiVersion", "v1"},
                        {"groupVersion", found.front()->api_version()},
                        {"resources", std::move(entries)}};
}

// `version` is "v2" or "v2beta1". The core group is what /api tells, the others what /apis tells.
json::object aggregated(const Resources& resources, bool core, std::string_view version) {
    json::array items;
    for (const Group& group : groups_of(resources)) {
        if (group.name.empty() == core) items.push_back(aggregated_group(resources, group));
    }
    return {{"kind", "APIGroupDiscoveryList"},
            {"apiVersion", "apidiscovery.k8s.io/" + std::string{version}},
            {"metadata", json::object{}},
            {"items", std::move(items)}};
}

}  // namespace

bool is_preferred(std::string_view left, std::string_view right) {
    const auto left_rank = rank(left);
    const auto right_rank = rank(right);
    return left_rank != right_rank ? left_rank > right_rank : left < right;
}

std::optional<Response> discover(const Resources& resources, std::string_view path,
                                 std::string_view accept) {
    const std::vector<std::string_view> parts = parts_of(path, '/');
    if (parts.empty() || parts.size() > 3) return std::nullopt;
    const std::string_view root = parts.front();
    if (root == "version" && parts.size() == 1) return Response{.body = version_document()};
    const bool core = root == "api";
    if (!core && root != "apis") return std::nullopt;
    if (parts.size() == 1) {
        const std::string_view form = form_in(accept);
        if (!form.empty())
            return Response{.body = aggregated(resources, core, form),
                            .content_type = content_type_of(form)};
        return Response{.body = core ? core_versions() : group_list(resources)};
    }
    if (core && parts.size() > 2) return std::nullopt;
    auto body = core                ? resource_list(resources, "", parts[1])
                : parts.size() == 2 ? group_document(resources, parts[1])
                                    : resource_list(resources, parts[1], parts[2]);
    if (!body) return std::nullopt;
    return Response{.body = std::move(*body)};
}

}  // namespace sluice::sim
