// Jobs, from requests to what the API server's JSON says of them. Pure translation; every Error is
// a sentence about the Job, without a byte of its spec.
#pragma once

#include <string>

#include "api/analysis/question.hpp"
#include "kube/api_client.hpp"

namespace sluice::probe {

struct JobFound {
    std::string uid;
    std::string controller_uid;  // empty: nobody
    api::analysis::JobSeen seen;
};

kube::ApiRequest create_job(const std::string& ns, std::string body);
kube::ApiRequest get_job(const std::string& ns, const std::string& name);
// This very Job, and its pods.
kube::ApiRequest remove_job(const std::string& ns, const std::string& name, const std::string& uid);

// `name` is that of the Job with its namespace.
Result<JobFound> read_job(const std::string& name,
                          const kube::ApiResult<kube::ApiResponse>& answer);

// Why a request about a Job failed, for a person.
std::string explain_job(const std::string& name, const kube::ApiError& failed);
// Whether the same request may go through another time.
bool may_pass(const kube::ApiError& failed);

}  // namespace sluice::probe
