#include "cli/verbs/change.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/json_parts.hpp"
#include "wire/paths.hpp"
#include "wire/requests.hpp"

namespace sluice::cli {
namespace {

namespace json = boost::json;

// The operator writes too. Who is overtaken so often is up against something that does not rest.
constexpr int looks_max = 4;

struct Target {
    std::string path;
    const model::ObjectMeta* meta;
};

Target target_of(const Found& found, api::Place place) {
    const model::ObjectMeta& own = found.steered.object.meta;
    if (place == api::Place::Workload && found.steered.workload) {
        const model::ObjectMeta& meta = found.steered.workload->set.meta;
        return {wire::object_path(ref_to(model::statefulsets, meta.key)), &meta};
    }
    const model::Ref ref = ref_to(*found.dialect->resource, own.key);
    return {place == api::Place::Status ? wire::status_path(ref) : wire::object_path(ref), &own};
}

// In order; each write builds on the version that the one before has left behind.
Result<void> send(Server& server, const Found& found, const api::Change& change) {
    std::map<std::string, std::string> versions;  // by UID
    for (const api::Write& write : change.writes) {
        const Target target = target_of(found, write.place);
        std::string& version = versions[target.meta->uid];
        if (version.empty()) version = std::to_string(target.meta->resource_version);
        auto now = server.merge_patch(target.path,
                                      with_preconditions(write.fields, target.meta->uid, version));
        if (!now) return std::unexpected(now.error());
        const json::value whole(std::move(*now));
        version = api::JsonReader{&whole}.part("metadata").text("resourceVersion");
    }
    return {};
}

}  // namespace

json::object with_preconditions(json::object fields, const std::string& uid,
                                const std::string& version) {
    json::value& meta = fields["metadata"];
    if (!meta.is_object()) meta = json::object{};
    meta.get_object()["uid"] = json::string(uid);
    meta.get_object()["resourceVersion"] = json::string(version);
    return fields;
}

std::expected<std::string, std::string> change(Server& server, const Asked& asked,
                                               const Wanted& wanted, api::Verb verb, Instant now) {
    for (int looks = 0; looks < looks_max; ++looks) {
        const auto view = look(server, server.ns(), wanted.dialect);
        if (!view) return std::unexpected(view.error().message);
        const auto found = choose(*view, wanted, server.ns());
        if (!found) return std::unexpected(found.error());
        Found meant = **found;
        meant.steered.revision = asked.revision;
        if (verb == api::Verb::Undo)
            if (const auto read = read_history(server, meant); !read)
                return std::unexpected(read.error().message);
        const api::Reply reply = api::reply(*meant.dialect, verb, meant.steered, now);
        if (!reply) return std::unexpected(reply.error().why);
        const auto sent = send(server, meant, *reply);
        if (sent) return reply->done;
        if (sent.error().kind != ErrorKind::Conflict) return std::unexpected(sent.error().message);
    }
    return std::unexpected(
        fmt::format("{} changed each time it was about to be written; nothing "
                    "was done. Try again.",
                    asked.name));
}

}  // namespace sluice::cli
