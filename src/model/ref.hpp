// What any object is called: its resource, its namespace and its name.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

#include "model/object.hpp"

namespace sluice::model {

// What is read of an object, and kept.
enum class Form : std::uint8_t {
    StatefulSet,
    Pod,
    ConfigMap,
    // That it is there, and as its status the list of its owners, which is "?" if that is very
    // long; where it is read as a whole, a checksum of what is in it, no more.
    Content,
    Custom,  // names, labels, our annotations, spec and status; anybody may write such objects
};

// A kind of objects, as it is called in paths and in references to its objects. There is one of
// each, for ever: a pointer to it says which kind is meant.
struct Resource {
    std::string_view group;  // empty: the core group
    std::string_view version;
    std::string_view plural;
    std::string_view kind;
    bool is_cluster_scoped = false;
    Form form = Form::Custom;
    std::string_view content = "spec";  // of Custom: the field that holds what is wanted
};

inline constexpr Resource statefulsets{"apps",        "v1",  "statefulsets",
                                       "StatefulSet", false, Form::StatefulSet};
inline constexpr Resource pods{"", "v1", "pods", "Pod", false, Form::Pod};
inline constexpr Resource config_maps{"", "v1", "configmaps", "ConfigMap", false, Form::ConfigMap};
inline constexpr Resource services{"", "v1", "services", "Service"};
inline constexpr Resource secrets{"", "v1", "secrets", "Secret"};
// The same two, of which nobody wants to know more than whether they change.
inline constexpr Resource config_map_contents{"",          "v1",  "configmaps",
                                              "ConfigMap", false, Form::Content};
inline constexpr Resource secret_contents{"", "v1", "secrets", "Secret", false, Form::Content};
inline constexpr Resource jobs{"batch", "v1", "jobs", "Job"};
inline constexpr Resource leases{"coordination.k8s.io", "v1", "leases", "Lease"};
inline constexpr Resource events{"events.k8s.io", "v1", "events", "Event"};

// "apps/v1", and "v1" of the core group.
inline std::string api_version(const Resource& resource) {
    const std::string group{resource.group};
    return (group.empty() ? "" : group + "/") + std::string{resource.version};
}

struct Ref {
    const Resource* resource = nullptr;
    std::string ns;  // empty: of the cluster
    std::string name;

    ObjectKey key() const { return {ns, name}; }

    friend bool operator==(const Ref&, const Ref&) = default;
    // By what it says and not by addresses: everything is done in the same order in every run.
    friend std::strong_ordering operator<=>(const Ref& one, const Ref& other) {
        const auto kind = [](const Ref& ref) {
            return ref.resource ? std::pair{ref.resource->plural, ref.resource->group}
                                : std::pair<std::string_view, std::string_view>{};
        };
        if (const auto order = std::tie(one.ns, one.name) <=> std::tie(other.ns, other.name);
            order != 0)
            return order;
        return kind(one) <=> kind(other);
    }
};

inline Ref ref_to(const Resource& resource, const ObjectKey& key) {
    return {&resource, key.ns, key.name};
}

// "shop/web".
inline std::string to_text(const Ref& ref) {
    return ref.ns + "/" + ref.name;
}

}  // namespace sluice::model
