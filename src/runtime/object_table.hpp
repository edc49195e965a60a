// The custom objects of one resource, found by their own name and by the workload that they name.
// Objects go in and come out as values.
//
// Promises: an object never goes back to an older resourceVersion; a namesake with another UID is
// another object, and a late word about the one does not touch the other; nothing is removed
// because a list was cut short, only because a complete list did not contain it or a delete was
// seen.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/custom_object.hpp"
#include "runtime/store.hpp"

namespace sluice::runtime {

class ObjectTable {
  public:
    // The StatefulSet in its own namespace that an object names; empty: none.
    using TargetOf = std::string (*)(const model::CustomObject& object);
    explicit ObjectTable(TargetOf target_of) : target_of_(target_of) {}

    // Each gives the workloads that the change concerns: the one that was named before, and the one
    // that is named now. `epoch` marks the list run that brought the object; watches pass the
    // current one.
    Touched put(const model::CustomObject& object, std::uint8_t epoch);
    Touched remove(const model::CustomObject& object);
    // A complete list of this namespace (empty: all) was seen in this epoch at this version.
    Touched drop_unlisted(const std::string& ns, std::uint8_t epoch, std::uint64_t version);

    std::optional<model::CustomObject> find(const model::ObjectKey& key) const;
    // Those that name this workload, oldest first; of two that are of one age, by UID.
    std::vector<model::CustomObject> naming(const model::ObjectKey& workload) const;

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

    static model::CustomObject whole(const Entries::value_type& entry);
    void set_target(const model::ObjectKey& key, Entry& entry, std::string target);
    Entries::iterator erase(Entries::iterator entry, Touched& touched);

    TargetOf target_of_;
    Entries entries_;
    std::map<model::ObjectKey, std::vector<std::string>> naming_;  // names by workload
};

}  // namespace sluice::runtime
