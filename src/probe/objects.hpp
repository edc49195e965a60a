// Pods, their logs, and Secrets, from the API server's JSON to the values that inquiries read. Pure
// translation; every Error is a sentence about the object, without a byte of what it holds.
#pragma once

#include <string>
#include <vector>

#include "api/inquiry/inquiry.hpp"
#include "kube/api_client.hpp"

namespace sluice::probe {

kube::ApiRequest get_pod(const std::string& ns, const std::string& name);
kube::ApiRequest list_pods(const std::string& ns, const std::string& selector);
kube::ApiRequest get_log(const std::string& ns, const api::NeedLog& need);
kube::ApiRequest get_secret(const std::string& ns, const std::string& name);

Result<api::PodSeen> read_pod(const std::string& name, kube::ApiResult<kube::ApiResponse> answer);

Result<std::vector<api::PodSeen>> read_pods(kube::ApiResult<kube::ApiResponse> answer);
Result<Redacted> read_log(const api::NeedLog& need, kube::ApiResult<kube::ApiResponse> answer);

// Of the annotations, those of ours: no other is anybody's business here.
Result<api::Secret> read_secret(const std::string& full_name,
                                kube::ApiResult<kube::ApiResponse> answer);

}  // namespace sluice::probe
