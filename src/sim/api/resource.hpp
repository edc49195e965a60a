// What the API server serves: one row per resource. Built-in rows are a table; a
// CustomResourceDefinition adds rows while it exists.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/api/schema.hpp"

namespace sluice::sim {

inline constexpr const char* custom_definitions = "customresourcedefinitions.apiextensions.k8s.io";

struct Resource {
    std::string group;  // empty: core
    std::string version;
    std::string plural;
    std::string singular;
    std::string kind;
    std::vector<std::string> short_names = {};
    bool namespaced = true;
    bool has_status = false;
    bool has_scale = false;
    // Where a Scale finds its numbers; of custom resources as their definition says.
    std::string replicas_at = "/spec/replicas";
    std::string scaled_at = "/status/replicas";
    std::string selector_at = {};    // of a text; empty: spec.selector, as an object
    bool counts_generation = false;  // metadata.generation moves with the spec
    // Of a custom resource: the schema of its version (openAPIV3Schema) and
    // additionalPrinterColumns.
    std::shared_ptr<const Schema> schema = {};
    json::array columns = {};
    std::vector<std::string> categories = {};

    // "statefulsets.apps", "pods": names the resource whatever its version.
    std::string id() const { return group.empty() ? plural : plural + "." + group; }
    std::string api_version() const { return group.empty() ? version : group + "/" + version; }
    bool is_custom() const { return schema != nullptr; }
};

std::span<const Resource> built_in_resources();
// The built-in resource of this id, or of this kind; null if there is none.
const Resource* built_in_resource(const std::string& id);
const Resource* built_in_kind(const std::string& api_version, const std::string& kind);

// The resource that a CustomResourceDefinition serves, one per served version.
std::vector<Resource> resources_of(const json::object& definition);

}  // namespace sluice::sim
