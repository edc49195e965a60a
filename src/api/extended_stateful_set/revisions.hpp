// What a version was made from, in a ControllerRevision that is called as the version is, so that a
// person can have it back. How many pods there are and their claims are no part of it.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "api/extended_stateful_set/spec.hpp"
#include "api/revisions.hpp"

namespace sluice::api::extended_stateful_set {

// How an owner of this name calls it.
std::string revision_name(std::string_view owner, int version);
// Of the object as it is now.
std::string revision_body(const model::CustomObject& object, int version);

// It keeps what the object is made from now.
bool keeps_now(const model::CustomObject& revision, const model::CustomObject& object);
// It was made for an object of this name, maybe one that is gone.
bool is_of_namesake(const model::CustomObject& revision, const model::CustomObject& object);

// The number of the version that a revision of this object is; 0: it is none.
int version_kept(const model::CustomObject& revision, const model::CustomObject& object);

// What undo changes, of the spec of an object.
inline constexpr std::string_view versioned_fields[] = {"template", "zones", "az", "zoneNodeLabel"};
// These fields as they were, with as many pods and the claims that there are now.
boost::json::object restored(const model::CustomObject& revision,
                             const model::CustomObject& object);

}  // namespace sluice::api::extended_stateful_set
