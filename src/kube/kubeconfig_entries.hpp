// One cluster and one user of a kubeconfig, judged. Relative file references start at `folder`.
#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "kube/kubeconfig.hpp"
#include "kube/kubeconfig_fields.hpp"

namespace sluice::kube {

Result<ClusterEntry> read_cluster(KubeconfigFields fields, const std::filesystem::path& folder);
Result<UserEntry> read_user(KubeconfigFields fields, const std::filesystem::path& folder);

// "" stays "", an absolute name stays as it is.
std::string resolved(const std::filesystem::path& folder, const std::string& name);

// `<key>` names a file, `<key>-data` holds base64; both together are refused.
PemSource read_pem_source(KubeconfigFields& fields, const std::string& key,
                          const std::filesystem::path& folder);

}  // namespace sluice::kube
