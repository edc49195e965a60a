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

// Whom a change concerns.
using Touched = std::vector<model::Ref>;

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

    Touched put(const model::StatefulSet& set);
    Touched put(const model::Pod& pod);
    Touched remove(const model::StatefulSet& set);
    Touched remove(const model::Pod& pod);
    // A list of this namespace (empty: all) begins: what is put from now on is listed.
    void begin_list_of_sets(const std::string& ns);
    void begin_list_of_pods(const std::string& ns);
    // That list is complete, and is of this version: what it did not bring is gone, unless it is
    // newer.
    Touched drop_unlisted_sets(const std::string& ns, std::uint64_t version);
    Touched drop_unlisted_pods(const std::string& ns, std::uint64_t version);

    // In which version it is known; 0: not at all.
    std::uint64_t version_of(const model::StatefulSet& set) const;
    std::uint64_t version_of(const model::Pod& pod) const;

    std::optional<model::StatefulSet> statefulset(const model::ObjectKey& key) const;
    std::vector<model::Pod> pods_of(const model::StatefulSet& set) const;
    // Every set, in no order.
    Touched sets() const;

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
