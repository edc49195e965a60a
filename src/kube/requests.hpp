// Writes as requests. Each names what it was decided upon: a JSON Patch by its `test` operations, a
// merge patch or an update by the resourceVersion in its body, a delete by the object's UID.
#pragma once

#include <string>

#include "kube/api_client.hpp"

namespace sluice::kube {

// Who we are in managedFields.

ApiRequest create(std::string path, std::string body);
// The body must carry metadata.resourceVersion: without it the server would overwrite blindly.
ApiRequest update(std::string path, std::string body);
ApiRequest json_patch(const std::string& path, std::string body);
ApiRequest merge_patch(const std::string& path, std::string body);
// Server-side apply. `force` takes fields over from other managers; otherwise they are a conflict.
ApiRequest apply(const std::string& path, std::string body, bool force);
// Deletes this very object: a namesake with another UID is a conflict, and stays.
ApiRequest remove(std::string path, const std::string& uid, std::uint64_t version = 0);
// The same, and what it owns goes too, some time later.
ApiRequest remove_with_dependents(std::string path, const std::string& uid);

std::string status_path(const std::string& object_path);

}  // namespace sluice::kube
