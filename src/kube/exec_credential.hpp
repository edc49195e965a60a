// What an exec plugin is told and what it answers: ExecCredential of client.authentication.k8s.io,
// v1 and v1beta1, which are the same but for the name. Errors never quote the answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/redacted.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "kube/kubeconfig.hpp"

namespace sluice::kube {

// The plugin's answer is this large at most.
inline constexpr std::size_t exec_answer_bytes_max = 1 << 20;

struct ExecCredential {
    Redacted authorization;       // value of the header; empty: the certificate is all
    std::string client_cert_pem;  // with client_key_pem, or both empty
    Redacted client_key_pem;
    std::optional<Instant> expires;
};

// The value of KUBERNETES_EXEC_INFO; the cluster is in it only if the plugin wants it.
std::string exec_info(const ExecPlugin& plugin, const ClusterEntry& cluster,
                      std::string_view ca_pem);

// The error is what is wrong with the answer, to be put behind the plugin's name.
Result<ExecCredential> parse_exec_credential(std::string_view answer, ExecVersion version);

}  // namespace sluice::kube
