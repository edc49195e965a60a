#include "kube/requests.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/assert.hpp"
#include "model/statefulset.hpp"

namespace sluice::kube {
namespace {

ApiRequest patch(const std::string& path, std::string query, const char* content_type,
                 std::string body) {
    const char* joint = path.find('?') == std::string::npos ? "?" : "&";
    return {.method = "PATCH",
            .path = fmt::format("{}{}fieldManager={}{}", path, joint, model::field_manager, query),
            .content_type = content_type,
            .body = std::move(body)};
}

ApiRequest deletion(std::string path, const std::string& uid, boost::json::object options,
                    std::uint64_t version = 0) {
    SLUICE_ASSERT(!uid.empty());
    options["apiVersion"] = "v1";
    options["kind"] = "DeleteOptions";
    boost::json::object preconditions{{"uid", uid}};
    if (version != 0) preconditions["resourceVersion"] = std::to_string(version);
    options["preconditions"] = std::move(preconditions);
    return {.method = "DELETE",
            .path = std::move(path),
            .content_type = "application/json",
            .body = boost::json::serialize(options)};
}

}  // namespace

ApiRequest create(std::string path, std::string body) {
    return {.method = "POST",
            .path = std::move(path),
            .content_type = "application/json",
            .body = std::move(body)};
}

ApiRequest update(std::string path, std::string body) {
    // A full update without a version overwrites whatever others wrote: nobody may spell that.
    SLUICE_ASSERT(body.find("\"resourceVersion\"") != std::string::npos);
    return {.method = "PUT",
            .path = std::move(path),
            .content_type = "application/json",
            .body = std::move(body)};
}

ApiRequest json_patch(const std::string& path, std::string body) {
    return patch(path, "", "application/json-patch+json", std::move(body));
}

ApiRequest merge_patch(const std::string& path, std::string body) {
    return patch(path, "", "application/merge-patch+json", std::move(body));
}

ApiRequest apply(const std::string& path, std::string body, bool force) {
    return patch(path, force ? "&force=true" : "", "application/apply-patch+yaml", std::move(body));
}

ApiRequest remove(std::string path, const std::string& uid, std::uint64_t version) {
    return deletion(std::move(path), uid, {}, version);
}

ApiRequest remove_with_dependents(std::string path, const std::string& uid) {
    return deletion(std::move(path), uid, {{"propagationPolicy", "Background"}});
}

std::string status_path(const std::string& object_path) {
    return object_path + "/status";
}

}  // namespace sluice::kube
