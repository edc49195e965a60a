// The custom objects of one resource, found by their own name, by the workload that they name, and
// by the object that controls them. Objects go in and come out as values.
//
// An object for which its namespace has no room left is known by its key and what it names, and by
// nothing else: its texts are left out, and is_left_out says so.
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
#include "runtime/budget.hpp"
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
    // Takes from an object what nobody asks for; null: nothing.
    using Trim = void (*)(model::CustomObject& object);
    // The budget must outlive the table.
    ObjectTable(TargetOf target_of, Trim trim, Budget& budget)
        : target_of_(target_of), trim_(trim), budget_(&budget) {}

    // Each gives those whom the change concerns: before it, and after it.
    Concerned put(const model::CustomObject& object);
    Concerned remove(const model::CustomObject& object);
    // A list of this namespace (empty: all) begins: what is put from now on is listed, and so is
    // what is kept, which the list had and nobody could read.
    void begin_list(const std::string& ns);
    void keep(const model::ObjectKey& key);
    // That list is complete, and is of this version: what it did not bring is gone, unless it is
    // newer.
    Concerned drop_unlisted(const std::string& ns, std::uint64_t version);

    // In which version it is known; 0: not at all.
    std::uint64_t version_of(const model::CustomObject& object) const;
    // Those of a workload's objects that there was no room for.
    struct LeftOut {
        model::ObjectMeta meta;
        std::size_t bytes;
    };
    std::vector<LeftOut> left_out(const model::ObjectKey& workload) const;

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
        std::size_t bytes = 0;  // of its texts
        bool listed = false;
        bool is_left_out = false;
    };
    using Entries = std::map<model::ObjectKey, Entry>;

    using Index = std::map<model::ObjectKey, std::vector<std::string>>;  // names by key

    static model::CustomObject whole(const Entries::value_type& entry);
    std::vector<model::CustomObject> listed(const Index& index, const model::ObjectKey& key) const;
    void set_target(const model::ObjectKey& key, Entry& entry, std::string target);
    void take(const model::ObjectKey& key, Entry& entry, const model::CustomObject& object);
    void give_back(const model::ObjectKey& key, const Entry& entry);
    Entries::iterator erase(Entries::iterator entry, Concerned& concerned);

    TargetOf target_of_;
    Trim trim_;
    Budget* budget_;
    Entries entries_;
    Index naming_;  // by workload
    Index owned_;   // by owner
};

}  // namespace sluice::runtime
