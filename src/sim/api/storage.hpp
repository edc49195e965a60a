// Every object and every change, numbered by one counter, as etcd keeps them. Objects are values
// that never change: a new version is a new value, and whoever holds the old one keeps it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/api/json.hpp"

namespace sluice::sim {

// One version of one object, with its bytes, which are made once when they are asked for.
class Stored {
  public:
    explicit Stored(json::object object) : object_(std::move(object)) {}
    const json::object& object() const { return object_; }
    const std::string& text() const;
    std::uint64_t version() const;

  private:
    json::object object_;
    mutable std::string text_;
};
using ObjectPtr = std::shared_ptr<const Stored>;

struct Place {
    std::string resource;  // Resource::id()
    std::string ns;        // empty: not namespaced
    std::string name;
    friend auto operator<=>(const Place&, const Place&) = default;
};

struct Change {
    enum class Type { Added, Modified, Deleted } type;
    std::uint64_t version;
    Place place;
    ObjectPtr object;  // what it is now; of a deleted one: what it was, with the version of the end
    ObjectPtr before;  // null for one that was added
    std::string user;  // who wrote
};

class Storage {
  public:
    ObjectPtr find(const Place& place) const;
    // Of one resource, in a namespace or (empty) in all, in the order of namespace and name.
    std::vector<ObjectPtr> list(const std::string& resource, const std::string& ns = {}) const;
    std::uint64_t version() const { return version_; }

    // Gives the object its resourceVersion and stores it.
    ObjectPtr put(const Place& place, json::object object, const std::string& user);
    void remove(const Place& place, const std::string& user);

    // Changes after `version`, oldest first; nothing if they were compacted away.
    bool is_compacted(std::uint64_t version) const { return version < compacted_; }
    void for_changes_after(std::uint64_t version,
                           const std::function<void(const Change&)>& each) const;
    void compact(std::uint64_t version);
    // As after a backup of another etcd was restored: the objects of now, with versions that begin
    // again at the bottom, and no history.
    void renumber();
    // The objects as they were at a version that is not compacted.
    std::vector<ObjectPtr> list_at(std::uint64_t version, const std::string& resource,
                                   const std::string& ns = {}) const;

    // Told of every change, at once and in order.
    std::vector<std::function<void(const Change&)>> listeners;

  private:
    void record(Change change);

    std::map<Place, ObjectPtr> objects_;
    std::vector<Change> log_;
    std::uint64_t version_ = 1;
    std::uint64_t compacted_ = 0;
};

}  // namespace sluice::sim
