// One cluster and one user of a kubeconfig, judged. Relative file references start at `folder`.
#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "kube/kubeconfig.hpp"
#include "kube/kubeconfig_fields.hpp"

namespace sluice::kube {

Result<ClusterEntry> read_cluster(KubeconfigFields fields, const std::filesystem::path& folder);
Result<UserEntry> read_user(KubeconfigFields fields, const std::filesystem::path& folder);

}  // namespace sluice::kube
