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
struct Affected {
    Touched subjects;                      // that they are about, or were
    std::vector<model::ObjectKey> owners;  // of another resource, that control them or did
    friend bool operator==(const Affected&, const Affected&) = default;
};

class ObjectTable {
  public:
    // What an object is about; without a name: nothing.
    using SubjectOf = model::Ref (*)(const model::CustomObject& object);
    // Takes from an object what nobody asks for; null: nothing.
    using Trim = void (*)(model::CustomObject& object);
    // The budget must outlive the table.
    ObjectTable(SubjectOf subject_of, Trim trim, Budget& budget)
        : subject_of_(subject_of), trim_(trim), budget_(&budget) {}

    // Each gives those whom the change concerns: before it, and after it.
    Affected put(const model::CustomObject& object);
    Affected remove(const model::CustomObject& object);
    // A list of this namespace (empty: all) begins: what is put from now on is listed, and so is
    // what is kept, which the list had and nobody could read.
    void begin_list(const std::string& ns);
    void keep(const model::ObjectKey& key);
    // That list is complete, and is of this version: what it did not bring is gone, unless it is
    // newer.
    Affected drop_unlisted(const std::string& ns, std::uint64_t version);

    // In which version it is known; 0: not at all.
    std::uint64_t version_of(const model::CustomObject& object) const;
    // Those about a subject that there was no room for.
    struct LeftOut {
        model::ObjectMeta meta;
        std::size_t bytes;
    };
    std::vector<LeftOut> left_out(const model::Ref& subject) const;

    std::optional<model::CustomObject> find(const model::ObjectKey& key) const;
    // Those about this subject, oldest first; of two that are of one age, by UID.
    std::vector<model::CustomObject> about(const model::Ref& subject) const;
    // Those that the object of this key and UID controls, in the same order.
    std::vector<model::CustomObject> owned_by(const model::ObjectKey& owner,
                                              const std::string& uid) const;

    // Everything that an object is about, whether it exists or not.
    Touched subjects() const;
    std::size_t size() const { return entries_.size(); }

  private:
    struct Entry {
        model::CustomObject object;  // without its key, which is that of the entry
        model::Ref subject;
        std::size_t bytes = 0;  // of its texts
        bool listed = false;
        bool is_left_out = false;
    };
    using Entries = std::map<model::ObjectKey, Entry>;

    // Names by what they belong to, in its namespace.
    template <class Key>
    using Index = std::map<Key, std::vector<std::string>>;

    static model::CustomObject whole(const Entries::value_type& entry);
    template <class Key>
    std::vector<model::CustomObject> listed(const Index<Key>& index, const Key& key) const;
    void take(const model::ObjectKey& key, Entry& entry, const model::CustomObject& object);
    void give_back(const model::ObjectKey& key, const Entry& entry);
    Entries::iterator erase(Entries::iterator entry, Affected& affected);

    SubjectOf subject_of_;
    Trim trim_;
    Budget* budget_;
    Entries entries_;
    Index<model::Ref> about_;
    Index<model::ObjectKey> owned_;
};

}  // namespace sluice::runtime
