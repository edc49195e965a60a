// The objects of one watch. Objects go in and come out as values; inside they are packed.
//
// Promises: an object never goes back to an older resourceVersion; a namesake with another UID is
// another object, and a late word about the one does not touch the other; nothing is removed
// because a list was cut short, only because a complete list did not contain it or a delete was
// seen.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/decode.hpp"
#include "runtime/intern.hpp"

namespace sluice::runtime {

// What changed: the objects themselves, and before the change and after it what they named and who
// owned them, where the table keeps that.
struct Affected {
    std::vector<model::ObjectKey> objects = {};
    std::vector<model::Ref> named = {};
    std::vector<model::ObjectKey> owners = {};  // of whatever resource
    friend bool operator==(const Affected&, const Affected&) = default;
};

class Table {
  public:
    Table() = default;
    virtual ~Table() = default;
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;

    virtual Affected put(const model::Object& object) = 0;
    virtual Affected remove(const model::Object& object) = 0;
    // A list of this namespace (empty: all) begins: what is put from now on is listed, and so is
    // what is kept, which the list had and nobody could read.
    virtual void begin_list(const std::string& ns) = 0;
    virtual void keep(const model::ObjectKey&) {}
    // That list is complete, and is of this version: what it did not bring is gone, unless it is
    // newer.
    virtual Affected drop_unlisted(const std::string& ns, std::uint64_t version) = 0;

    // In which version it is known; 0: not at all.
    virtual std::uint64_t version_of(const model::Object& object) const = 0;
    // By name, where objects are found so.
    virtual std::optional<model::Object> find(const model::ObjectKey&) const {
        return std::nullopt;
    }
    // Those that the object of this key and UID controls, where the table keeps owners.
    virtual std::vector<model::Object> owned_by(const model::ObjectMeta&) const { return {}; }
    // All objects that are found by name, and everything that is named, whether it exists or not.
    virtual Affected all() const { return {}; }
    virtual std::size_t size() const = 0;
};

// Of StatefulSets, ConfigMaps or what stands for contents, which are found by name. The pool must
// outlive its tables.
std::unique_ptr<Table> make_keyed_table(model::Form form, InternPool& pool);
// Of the pods of StatefulSets, which are found by the UID of their owner. They are many, so their
// names are not kept: a pod is called as its owner is, and by its ordinal. Other pods are not kept.
std::unique_ptr<Table> make_pod_table(InternPool& pool);
// Of pods that objects of this kind control, each with a name of its own; they are found by their
// name and by the UID of their owner. Other pods are not kept.
std::unique_ptr<Table> make_member_table(InternPool& pool, std::string_view kind);

}  // namespace sluice::runtime
