#include "probe/plugin/messages.hpp"

#include <sluice_plugin.pb.h>

#include "base/printable.hpp"

namespace sluice::probe {

namespace wire = ::sluice::plugin::v1;
using api::PluginAnswer;
using api::PluginCall;
using api::PluginMethod;
using api::ResourceStatus;

namespace {

constexpr std::size_t revision_bytes_max = 253;  // it becomes part of names and conditions

template <class Request>
Request begin(const PluginCall& call) {
    Request request;
    wire::WorkloadRef& workload = *request.mutable_workload();
    workload.set_api_version(call.api_version);
    workload.set_kind(call.kind);
    workload.set_name(call.name);
    workload.set_namespace_(call.ns);
    request.set_config(call.config);
    return request;
}

template <class Request>
std::string plain(const PluginCall& call) {
    return begin<Request>(call).SerializeAsString();
}

template <class Request>
std::string weighted(const PluginCall& call) {
    auto request = begin<Request>(call);
    request.set_weight(call.weight);
    request.set_revision(call.revision);
    return request.SerializeAsString();
}

std::string promotion(const PluginCall& call) {
    auto request = begin<wire::PromoteRequest>(call);
    request.set_revision(call.revision);
    return request.SerializeAsString();
}

std::unexpected<Error> ill_formed(std::string what) {
    return failure(ErrorKind::Malformed, std::move(what));
}

bool is_revision(const std::string& text) {
    return !text.empty() && text.size() <= revision_bytes_max && printable(text) == text;
}

Result<PluginAnswer> read_status(const std::string& bytes) {
    wire::ResourceStatus said;
    if (!said.ParseFromString(bytes)) return ill_formed("sent a status that cannot be read");
    const ResourceStatus status{said.replicas(),
                                said.updated_replicas(),
                                said.ready_replicas(),
                                said.available_replicas(),
                                said.current_revision(),
                                said.updated_revision(),
                                said.ready()};
    if (status.replicas < 0 || status.updated_replicas < 0 || status.ready_replicas < 0 ||
        status.available_replicas < 0) {
        return ill_formed("sent a status with a number of replicas below zero");
    }
    if (!is_revision(status.current_revision) || !is_revision(status.updated_revision)) {
        return ill_formed(
            "sent a status whose revisions are not both there, printable and at most 253 bytes "
            "long");
    }
    return PluginAnswer{.status = status};
}

Result<PluginAnswer> read_verified(const std::string& bytes) {
    wire::VerifyWeightResponse said;
    if (!said.ParseFromString(bytes)) return ill_formed("sent an answer that cannot be read");
    return PluginAnswer{.verified = said.verified(), .message = printable(said.message())};
}

template <class Response>
Result<PluginAnswer> read_empty(const std::string& bytes) {
    if (!Response().ParseFromString(bytes)) return ill_formed("sent an answer that cannot be read");
    return PluginAnswer{};
}

struct Method {
    std::string_view name;
    std::string (*write)(const PluginCall& call);
    Result<PluginAnswer> (*read)(const std::string& bytes);
};

// In the order of PluginMethod.
constexpr Method methods[] = {
    {"Init", plain<wire::InitRequest>, read_empty<wire::InitResponse>},
    {"GetResourceStatus", plain<wire::GetResourceStatusRequest>, read_status},
    {"SetWeight", weighted<wire::SetWeightRequest>, read_empty<wire::SetWeightResponse>},
    {"VerifyWeight", weighted<wire::VerifyWeightRequest>, read_verified},
    {"Promote", promotion, read_empty<wire::PromoteResponse>},
    {"Abort", plain<wire::AbortRequest>, read_empty<wire::AbortResponse>},
    {"Restart", plain<wire::RestartRequest>, read_empty<wire::RestartResponse>},
};

const Method& row_of(PluginMethod method) {
    return methods[static_cast<std::size_t>(method)];
}

}  // namespace

std::string path_of(PluginMethod method) {
    return "/sluice.plugin.v1.ResourcePlugin/" + std::string(row_of(method).name);
}

std::string to_message(const PluginCall& call) {
    return row_of(call.method).write(call);
}

Result<PluginAnswer> read_message(PluginMethod method, const std::string& bytes) {
    return row_of(method).read(bytes);
}

}  // namespace sluice::probe
