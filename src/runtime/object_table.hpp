// The custom objects of one resource, found by their own name, by the workload that they name, and
// by the object that controls them. Objects go in and come out as values.
//
// Promises: an object never goes back to an older resourceVersion; a namesake with another UID is
// another object, and a late word about the one does not touch the other; a namesake of an owner
// owns nothing; nothing is removed because a list was cut short, only because a complete list did
// not contain it or a delete was seen.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/custom_object.hpp"
#include "runtime/store.hpp"

namespace sluice::runtime {

// Whom a change of objects concerns.
struct Concerned {
    Touched workloads;  // that are named by them, or were
    Touched owners;     // objects of another resource that control them, or did
    friend bool operator==(const Concerned&, const Concerned&) = default;
};

class ObjectTable {
  public:
    // The StatefulSet in its own namespace that an object names; empty: none.
    using TargetOf = std::string (*)(const model::CustomObject& object);
    explicit ObjectTable(TargetOf target_of) : target_of_(target_of) {}

    // Each gives those whom the change concerns: before it, and after it. `epoch` marks the list
    // run that brought the object; watches pass the current one.
    Concerned put(const model::CustomObject& object, std::uint8_t epoch);
    Concerned remove(const model::CustomObject& object);
    // A complete list of this namespace (empty: all) was seen in this epoch at this version.
    Concerned drop_unlisted(const std::string& ns, std::uint8_t epoch, std::uint64_t version);

    std::optional<model::CustomObject> find(const model::ObjectKey& key) const;
    // Those that name this workload, oldest first; of two that are of one age, by UID.
    std::vector<model::CustomObject> naming(const model::ObjectKey& workload) const;
    // Those that the object of this key and UID controls, in the same order.
    std::vector<model::CustomObject> owned_by(const model::ObjectKey& owner,
                                              const std::string& uid) const;

    // Every workload that is named, whether it exists or not.
    Touched workloads() const;
    std::size_t size() const { return entries_.size(); }

  private:
    struct Entry {
        model::CustomObject object;  // without its key, which is that of the entry
        std::string target;
        std::uint8_t epoch = 0;
    };
    using Entries = std::map<model::ObjectKey, Entry>;

    using Index = std::map<model::ObjectKey, std::vector<std::string>>;  // names by key

    static model::CustomObject whole(const Entries::value_type& entry);
    std::vector<model::CustomObject> listed(const Index& index, const model::ObjectKey& key) const;
    void set_target(const model::ObjectKey& key, Entry& entry, std::string target);
    Entries::iterator erase(Entries::iterator entry, Concerned& concerned);

    TargetOf target_of_;
    Entries entries_;
    Index naming_;  // by workload
    Index owned_;   // by owner
};

}  // namespace sluice::runtime
