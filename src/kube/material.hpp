// All that one look at the files gives: where the server is, what proves it, and what proves us.
// A kubeconfig or a service account folder is turned into it; what comes later from an exec plugin
// is not in it. Credentials are gathered for https servers only: as kubectl, we send none in clear.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/redacted.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "kube/file_reader.hpp"
#include "kube/kubeconfig.hpp"
#include "net/tls.hpp"

namespace sluice::kube {

struct Material {
    std::string server_where;  // who says so, for sentences
    std::string server;
    std::string proxy;
    std::string ns;
    net::Tls tls;
    Redacted authorization;          // value of the header; empty: none
    std::optional<ExecPlugin> exec;  // then authorization and client certificate come from it
    std::string exec_info;           // KUBERNETES_EXEC_INFO for it
    std::string client_cert_where;   // for the sentence about its end
    std::optional<Instant> client_cert_expiry;
};

// Looks at the files once. Pinned to the context that was current at the first success, so that
// `kubectl config use-context` in another terminal does not move a running operator.
using Gather = std::function<Result<Material>(FileReader&)>;

Gather gather_from_kubeconfig(std::vector<std::string> paths, std::string context);
Gather gather_from_service_account(std::string directory, std::string host, std::string port);

bool is_same(const net::Tls& a, const net::Tls& b);
bool is_same(const ExecPlugin& a, const ExecPlugin& b);

}  // namespace sluice::kube
