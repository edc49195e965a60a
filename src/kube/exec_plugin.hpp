// An exec plugin as a program to run, what it is told and what its answer means: ExecCredential of
// client.authentication.k8s.io, v1 and v1beta1, which are the same but for the name. Errors name
// the kubeconfig's field and carry the last line of the plugin's stderr, cleaned of what looks like
// a secret; they never quote the answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/redacted.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "kube/kubeconfig.hpp"
#include "net/subprocess.hpp"

namespace sluice::kube {

struct ExecCredential {
    Redacted authorization;       // value of the header; empty: the certificate is all
    std::string client_cert_pem;  // with client_key_pem, or both empty
    Redacted client_key_pem;
    std::optional<Instant> expires;
};

// The value of KUBERNETES_EXEC_INFO; the cluster is in it only if the plugin wants it.
std::string exec_info(const ExecPlugin& plugin, const ClusterEntry& cluster,
                      std::string_view ca_pem);

net::Program plugin_program(const ExecPlugin& plugin, const std::string& exec_info);

// The error is what is wrong with the answer, to be put behind the plugin's name.
Result<ExecCredential> parse_exec_credential(std::string_view answer, ExecVersion version);

Result<ExecCredential> plugin_credential(const ExecPlugin& plugin,
                                         Result<net::ProgramOutput> output);

}  // namespace sluice::kube
