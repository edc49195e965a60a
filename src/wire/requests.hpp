// Writes as requests. Each names what it was decided upon: a JSON Patch by its `test` operations, a
// merge patch or an update by the resourceVersion in its body, a delete by the object's UID.
#pragma once

#include <string>

#include "model/lease.hpp"
#include "model/object.hpp"
#include "wire/request.hpp"

namespace sluice::wire {

Request create(std::string path, std::string body);
// The body must carry metadata.resourceVersion: without it the server would overwrite blindly.
Request update(std::string path, std::string body);
Request json_patch(const std::string& path, std::string body);
Request merge_patch(const std::string& path, std::string body);
// Server-side apply. `force` takes fields over from other managers; otherwise they are a conflict.
Request apply(const std::string& path, std::string body, bool force);
// Deletes this very object: a namesake with another UID is a conflict, and stays; so does one that
// is not of this version any more, unless that is 0. What it owns goes too, some time later.
Request remove(std::string path, const std::string& uid, std::uint64_t version = 0,
               bool awaits_owned = false);

Request read_lease(const model::ObjectKey& key);
// Not a patch: only get, create and update of a lease are served with priority.
Request write_lease(const model::Lease& lease, const model::ObjectKey& key, Instant acquired,
                    Instant now);

}  // namespace sluice::wire
