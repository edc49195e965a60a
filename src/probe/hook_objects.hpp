// The pods and Secrets of a hook call, from the API server's JSON to the values that hooks read.
// Pure translation; every Error is a sentence about the object, without a byte of what it holds.
#pragma once

#include <string>

#include "api/pilot/hooks/hook.hpp"
#include "kube/api_client.hpp"

namespace sluice::probe {

kube::ApiRequest get_pod(const std::string& ns, const std::string& name);
kube::ApiRequest get_secret(const std::string& ns, const std::string& name);

// The pod as it is now; an Error if it is not the one that was meant (`expected.uid`).
Result<api::pilot::HookPod> read_pod(const api::pilot::HookPod& expected,
                                     kube::ApiResult<kube::ApiResponse> answer);

Result<api::pilot::SecretData> read_secret_data(const std::string& full_name,
                                                kube::ApiResult<kube::ApiResponse> answer);

}  // namespace sluice::probe
