// What the operator knows of the cluster, in as few bytes as decisions need. Objects go in and come
// out as values; inside they are packed and their texts interned.
//
// Promises: an object never goes back to an older resourceVersion; a namesake with another UID is
// another object; nothing is removed because a list was cut short, only because a complete list did
// not contain it or a delete was seen.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/decode.hpp"
#include "runtime/intern.hpp"

namespace sluice::runtime {

// Which workloads a change concerns.
using Touched = std::vector<model::ObjectKey>;

// A UID in 16 bytes when it is one, as a hash of the text otherwise.
struct PackedUid {
    std::array<std::uint64_t, 2> words{};
    friend bool operator==(const PackedUid&, const PackedUid&) = default;
};
struct PackedUidHash {
    std::size_t operator()(const PackedUid& uid) const { return uid.words[0] ^ uid.words[1]; }
};

class Store {
  public:
    Store();
    ~Store();

    // `epoch` marks the list run that brought the object; watches pass the current one.
    Touched put(const model::StatefulSet& set, std::uint8_t epoch);
    Touched put(const model::Pod& pod, std::uint8_t epoch);
    Touched remove(const model::StatefulSet& set);
    Touched remove(const model::Pod& pod);
    // A complete list of this namespace (empty: all) was seen in this epoch at this version.
    Touched drop_unlisted_sets(const std::string& ns, std::uint8_t epoch, std::uint64_t version);
    Touched drop_unlisted_pods(const std::string& ns, std::uint8_t epoch, std::uint64_t version);

    std::optional<model::StatefulSet> statefulset(const model::ObjectKey& key) const;
    std::vector<model::Pod> pods_of(const model::StatefulSet& set) const;
    // Every set, in no order.
    std::vector<model::ObjectKey> keys() const;

    std::size_t set_count() const;
    std::size_t pod_count() const;

  private:
    struct PackedSet;
    struct PackedPod;
    struct PodGroup;
    struct Tables;
    std::unique_ptr<Tables> tables_;
};

}  // namespace sluice::runtime
