// Who owns whom: the owner references of every object, kept up to date with every change, so that
// no controller has to go through all objects.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/actors/object.hpp"

namespace sluice::sim {

class OwnerIndex {
  public:
    void on_change(const Change& change);

    // Where the living object with this UID is, or null.
    const Place* find(std::string_view uid) const;
    // Everything with an owner reference to the UID, in order of place.
    std::vector<Place> dependents(std::string_view uid) const;
    bool has_dependents(std::string_view uid) const;
    // The objects of one resource that the UID controls.
    std::vector<ObjectPtr> controlled(const ApiServer& api, std::string_view uid,
                                      std::string_view resource) const;
    // Pods or ControllerRevisions without a controller whose names start so.
    std::vector<ObjectPtr> orphans(const ApiServer& api, const Place& prefix) const;

  private:
    void enter(const Place& place, const json::object& object);
    void leave(const Place& place, const json::object& object);

    std::map<std::string, Place, std::less<>> living_;
    std::map<std::string, std::set<Place>, std::less<>> dependents_;
    std::set<Place> orphans_;
};

}  // namespace sluice::sim
