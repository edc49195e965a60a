#include "wire/requests.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/assert.hpp"
#include "model/statefulset.hpp"
#include "wire/paths.hpp"

namespace sluice::wire {
namespace {

// Well under the renew deadline, so that one hung call does not cost the lead.
constexpr Duration lease_deadline = 4s;

Request patch(const std::string& path, std::string query, const char* content_type,
              std::string body) {
    const char* joint = path.find('?') == std::string::npos ? "?" : "&";
    return {.method = "PATCH",
            .path = fmt::format("{}{}fieldManager={}{}", path, joint, model::field_manager, query),
            .content_type = content_type,
            .body = std::move(body)};
}

}  // namespace

Request create(std::string path, std::string body) {
    return {.method = "POST",
            .path = std::move(path),
            .content_type = "application/json",
            .body = std::move(body)};
}

Request update(std::string path, std::string body) {
    // A full update without a version overwrites whatever others wrote: nobody may spell that.
    SLUICE_ASSERT(body.find("\"resourceVersion\"") != std::string::npos);
    return {.method = "PUT",
            .path = std::move(path),
            .content_type = "application/json",
            .body = std::move(body)};
}

Request json_patch(const std::string& path, std::string body) {
    return patch(path, "", "application/json-patch+json", std::move(body));
}

Request merge_patch(const std::string& path, std::string body) {
    return patch(path, "", "application/merge-patch+json", std::move(body));
}

Request apply(const std::string& path, std::string body, bool force) {
    return patch(path, force ? "&force=true" : "", "application/apply-patch+yaml", std::move(body));
}

Request remove(std::string path, const std::string& uid, std::uint64_t version, bool awaits_owned) {
    SLUICE_ASSERT(!uid.empty());
    boost::json::object preconditions{{"uid", uid}};
    if (version != 0) preconditions["resourceVersion"] = std::to_string(version);
    const boost::json::object options{
        {"apiVersion", "v1"},
        {"kind", "DeleteOptions"},
        {"propagationPolicy", awaits_owned ? "Foreground" : "Background"},
        {"preconditions", std::move(preconditions)}};
    return {.method = "DELETE",
            .path = std::move(path),
            .content_type = "application/json",
            .body = boost::json::serialize(options)};
}

Request read_lease(const model::ObjectKey& key) {
    return {.path = object_path(ref_to(model::leases, key)), .deadline = lease_deadline};
}

Request write_lease(const model::Lease& lease, const model::ObjectKey& key, Instant acquired,
                    Instant now) {
    std::string body = encode_lease(lease, key.ns, key.name, acquired, now);
    Request request = lease.resource_version.empty()
                          ? create(collection_path(model::leases, key.ns), std::move(body))
                          : update(object_path(ref_to(model::leases, key)), std::move(body));
    request.deadline = lease_deadline;
    return request;
}

}  // namespace sluice::wire
