// Names and versions that every Kubernetes object has.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace sluice::model {

struct ObjectKey {
    std::string ns;
    std::string name;
    friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

inline std::string to_text(const ObjectKey& key) {
    return key.ns + "/" + key.name;
}

struct ObjectMeta {
    ObjectKey key;
    std::string uid;
    std::uint64_t resource_version = 0;
    std::int64_t generation = 0;
    bool deleting = false;
    friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};

}  // namespace sluice::model
