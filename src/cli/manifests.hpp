// The manifests of deploy/, carried inside the binary, as YAML for `kubectl apply -f -`. What is
// printed fits the version of the server; nothing here talks to one.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace sluice::cli {

struct ManifestsOptions {
    // Of crds, rbac, policies, deployment and all; printed in that order, each once. None: all.
    std::vector<std::string> components;
    std::string kube_version = "1.36";  // as a server says it: "1.36", "v1.36.3", "1.36+"
    std::string image = "sluice:latest";
    // Where the operator steers and has rights. None: everywhere.
    std::vector<std::string> namespaces;
    // Which APIs are served; what only others need is left out. None: all.
    std::vector<std::string> apis = {};
    // A file with what `kubectl get crd -o json` printed: definitions of others are left out.
    std::string installed = {};
};

// The YAML that was chosen. A component without objects is a comment that says why. Fails with
// ErrorKind::Invalid if a choice makes no sense, so that nothing but names gets into the YAML.
Result<std::string> manifests(const ManifestsOptions& options);

// `sluice manifests`: prints to out and returns 0, or prints one sentence to err and returns 2.
int run_manifests(const ManifestsOptions& options, std::ostream& out, std::ostream& err);

}  // namespace sluice::cli
