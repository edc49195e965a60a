// An exec plugin as a program to run, and what its output means. Errors name the kubeconfig's
// field and carry the last line of the plugin's stderr, cleaned of what looks like a secret.
#pragma once

#include <string>

#include "base/result.hpp"
#include "kube/exec_credential.hpp"
#include "kube/kubeconfig.hpp"
#include "net/subprocess.hpp"

namespace sluice::kube {

net::Program plugin_program(const ExecPlugin& plugin, const std::string& exec_info);

Result<ExecCredential> plugin_credential(const ExecPlugin& plugin,
                                         Result<net::ProgramOutput> output);

}  // namespace sluice::kube
