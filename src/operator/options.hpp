// What a person can choose when starting the operator.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "api/inquiry/hosts.hpp"
#include "api/registry.hpp"
#include "base/time.hpp"

namespace sluice::operators {

struct Options {
    std::string kubeconfig;  // empty: in-cluster, or KUBECONFIG, or ~/.kube/config
    std::string context;
    std::vector<std::string> namespaces;
    std::string config_namespace;  // empty: the pod's own, or sluice-system
    std::vector<std::string> apis = api::api_names();
    bool leader_elect = false;
    std::string lease_name = "sluice";
    std::string metrics_address = ":8080";
    std::string health_address = ":8081";
    std::string log_format = "console";
    std::string log_level = "info";
    double qps = 300;
    Duration hook_retry = 30s;
    bool allow_local_hooks = false;
    std::map<std::string, std::string, std::less<>> choices;  // words by flags: api::Choice
    api::HostList allowed_metric_hosts;                       // empty: any
    bool allow_local_metrics = false;
    std::string plugin_directory;  // where rollouts may name programs of their own; empty: nowhere
};

// Runs until a signal ends it; returns the exit code.
int run_operator(const Options& options);

}  // namespace sluice::operators
