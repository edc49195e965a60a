// Who we are to the API server, and how it is reached. From a kubeconfig (contexts, client
// certificates, tokens and token files, basic auth, CA data, exec plugins, KUBECONFIG lists,
// proxy-url, tls-server-name, insecure-skip-tls-verify) or from a pod's service account. Files are
// read anew when they change and after a 401; an exec plugin runs again when its token expires and
// after a 401.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/redacted.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "net/tls.hpp"

namespace sluice::kube {

// What one request carries.
struct Access {
    std::string server;  // "https://host:port", no trailing slash
    std::string proxy;   // empty: none
    std::shared_ptr<const net::Tls> tls;
    Redacted authorization;  // value of the Authorization header; empty: none
};

class Credentials {
  public:
    virtual ~Credentials() = default;
    // Gives the current access, perhaps after an exec plugin ran; always asynchronously or at once
    // on the loop, never throws. An error is a sentence that names the file and what is wrong.
    using Got = std::function<void(Result<Access>)>;
    virtual void access(Got got) = 0;
    // The server said 401: whatever was cached is stale.
    virtual void refused() = 0;
    // The namespace of the context or of the pod; "default" if neither says.
    virtual std::string default_namespace() const = 0;
};

// `paths` as in KUBECONFIG (a list; the first file that sets a value wins); context empty:
// current-context.
Result<std::shared_ptr<Credentials>> from_kubeconfig(boost::asio::io_context& loop,
                                                     const std::vector<std::string>& paths,
                                                     const std::string& context);
// `directory` is /var/run/secrets/kubernetes.io/serviceaccount in a pod; host and port from
// KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, given by the caller.
Result<std::shared_ptr<Credentials>> from_service_account(boost::asio::io_context& loop,
                                                          const std::string& directory,
                                                          const std::string& host,
                                                          const std::string& port);

}  // namespace sluice::kube
