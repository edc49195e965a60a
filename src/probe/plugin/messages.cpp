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

std::unexpected<Error> malformed(std::string what) {
    return failure(ErrorKind::Malformed, std::move(what));
}

bool is_revision(const std::string& text) {
    return !text.empty() && text.size() <= revision_bytes_max && printable(text) == text;
}

Result<PluginAnswer> read_status(const std::string& bytes) {
    wire::ResourceStatus said;
    if (!said.ParseFromString(bytes)) return malformed("sent a status that cannot be read");
    const ResourceStatus status{said.replicas(),
                                said.updated_replicas(),
                                said.ready_replicas(),
                                said.available_replicas(),
                                said.current_revision(),
                                said.updated_revision(),
                                said.ready()};
    if (status.replicas < 0 || status.updated_replicas < 0 || status.ready_replicas < 0 ||
        status.available_replicas < 0) {
        return malformed("sent a status with a number of replicas below zero");
    }
    if (!is_revision(status.current_revision) || !is_revision(status.updated_revision)) {
        return malformed(
            "sent a status whose revisions are not both there, printable and at most 253 bytes "
            "long");
    }
    return PluginAnswer{.status = status};
}

Result<PluginAnswer> read_verified(const std::string& bytes) {
    wire::VerifyWeightResponse said;
    if (!said.ParseFromString(bytes)) return malformed("sent an answer that cannot be read");
    return PluginAnswer{.verified = said.verified(), .message = printable(said.message())};
}

template <class Response>
Result<PluginAnswer> read_empty(const std::string& bytes) {
    if (!Response().ParseFromString(bytes)) return malformed("sent an answer that cannot be read");
    return PluginAnswer{};
}

}  // namespace

std::string_view path_of(PluginMethod method) {
    switch (method) {
        case PluginMethod::Init: return "/sluice.plugin.v1.ResourcePlugin/Init";
        case PluginMethod::GetResourceStatus:
            return "/sluice.plugin.v1.ResourcePlugin/GetResourceStatus";
        case PluginMethod::SetWeight: return "/sluice.plugin.v1.ResourcePlugin/SetWeight";
        case PluginMethod::VerifyWeight: return "/sluice.plugin.v1.ResourcePlugin/VerifyWeight";
        case PluginMethod::Promote: return "/sluice.plugin.v1.ResourcePlugin/Promote";
        case PluginMethod::Abort: return "/sluice.plugin.v1.ResourcePlugin/Abort";
        case PluginMethod::Restart: return "/sluice.plugin.v1.ResourcePlugin/Restart";
    }
    return "/";
}

std::string to_message(const PluginCall& call) {
    switch (call.method) {
        case PluginMethod::Init: return plain<wire::InitRequest>(call);
        case PluginMethod::GetResourceStatus: return plain<wire::GetResourceStatusRequest>(call);
        case PluginMethod::SetWeight: return weighted<wire::SetWeightRequest>(call);
        case PluginMethod::VerifyWeight: return weighted<wire::VerifyWeightRequest>(call);
        case PluginMethod::Promote: return promotion(call);
        case PluginMethod::Abort: return plain<wire::AbortRequest>(call);
        case PluginMethod::Restart: return plain<wire::RestartRequest>(call);
    }
    return {};
}

Result<PluginAnswer> read_message(PluginMethod method, const std::string& bytes) {
    switch (method) {
        case PluginMethod::Init: return read_empty<wire::InitResponse>(bytes);
        case PluginMethod::GetResourceStatus: return read_status(bytes);
        case PluginMethod::SetWeight: return read_empty<wire::SetWeightResponse>(bytes);
        case PluginMethod::VerifyWeight: return read_verified(bytes);
        case PluginMethod::Promote: return read_empty<wire::PromoteResponse>(bytes);
        case PluginMethod::Abort: return read_empty<wire::AbortResponse>(bytes);
        case PluginMethod::Restart: return read_empty<wire::RestartResponse>(bytes);
    }
    return malformed("was asked for something that nobody knows");
}

}  // namespace sluice::probe
