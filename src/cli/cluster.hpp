// `sluice cluster`: a Kubernetes cluster inside this process, for kubectl and the operator. It has
// the API and the controllers of a real one, but no containers, and forgets everything at its end.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

namespace sluice::cli {

struct ClusterCommand {
    std::string listen = "127.0.0.1:0";
    std::string kubeconfig_out = "sluice-cluster.kubeconfig";
    bool with_operator = false;
    std::uint64_t seed = 1;
    double speed = 1;
};

// Runs until SIGINT or SIGTERM and returns 0. What cannot be set up is one sentence to err, and 1;
// an operator that ends before it was told to is too.
int run_cluster(const ClusterCommand& command, std::ostream& out, std::ostream& err);

}  // namespace sluice::cli
