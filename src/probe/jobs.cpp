#include "probe/jobs.hpp"

#include <boost/json.hpp>

#include "api/json_parts.hpp"
#include "base/printable.hpp"
#include "wire/paths.hpp"
#include "wire/requests.hpp"

namespace sluice::probe {

namespace {

using api::JsonReader;
using api::analysis::JobSeen;

constexpr std::size_t conditions_max = 32;

struct Condition {
    std::string type;
    std::string why;
};

std::optional<Condition> read_condition(const JsonReader& reader) {
    if (reader.text("status") != "True") return std::nullopt;
    std::string why = reader.text("reason");
    const std::string message = reader.text("message");
    if (!message.empty()) why += (why.empty() ? "" : ": ") + message;
    return Condition{reader.text("type"), printable(why)};
}

JobSeen read_seen(const JsonReader& status) {
    for (const Condition& one : status.list("conditions", conditions_max, read_condition)) {
        if (one.type == "Complete") return {JobSeen::State::Succeeded, ""};
        if (one.type == "Failed") return {JobSeen::State::Failed, one.why};
    }
    return {JobSeen::State::Running, ""};
}

std::string read_controller(const JsonReader& metadata) {
    const auto owners = metadata.list("ownerReferences", 64, [](const JsonReader& reader) {
        return reader.flag("controller") ? std::optional{reader.text("uid")} : std::nullopt;
    });
    return owners.empty() ? "" : owners.front();
}

}  // namespace

kube::ApiRequest create_job(const std::string& ns, std::string body) {
    return wire::create(wire::collection_path(model::jobs, ns), std::move(body));
}

kube::ApiRequest get_job(const std::string& ns, const std::string& name) {
    kube::ApiRequest request;
    request.path = wire::object_path({&model::jobs, ns, name});
    return request;
}

kube::ApiRequest remove_job(const std::string& ns, const std::string& name,
                            const std::string& uid) {
    return wire::remove(wire::object_path({&model::jobs, ns, name}), uid);
}

Result<JobFound> read_job(const std::string& name,
                          const kube::ApiResult<kube::ApiResponse>& answer) {
    if (!answer) return failure(answer.error().error.kind, explain_job(name, answer.error()));
    boost::system::error_code broken;
    const boost::json::value value = boost::json::parse(answer->body, broken);
    const JsonReader metadata = JsonReader{broken ? nullptr : &value}.part("metadata");
    JobFound job{metadata.text("uid"), read_controller(metadata),
                 read_seen(JsonReader{broken ? nullptr : &value}.part("status"))};
    if (job.uid.empty())
        return failure(ErrorKind::Malformed, "Job " + name + " was not answered as an object");
    return job;
}

std::string explain_job(const std::string& name, const kube::ApiError& failed) {
    const std::string why = printable(failed.error.message);
    if (failed.status == 403)
        return "Job " + name + ": " + why +
               " (the right to run Jobs is the ClusterRole sluice-analysis-jobs, bound in the "
               "namespace)";
    if (failed.status == 404) return "Job " + name + " is gone";
    return "Job " + name + ": " + why;
}

bool may_pass(const kube::ApiError& failed) {
    switch (failed.error.kind) {
        case ErrorKind::Unreachable:
        case ErrorKind::Timeout:
        case ErrorKind::Unauthorized:
        case ErrorKind::Conflict:
        case ErrorKind::Throttled:
        case ErrorKind::Server: return true;
        default: return false;
    }
}

}  // namespace sluice::probe
