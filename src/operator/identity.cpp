#include "operator/identity.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace sluice::operators {
namespace {

namespace asio = boost::asio;

constexpr const char* service_account = "/var/run/secrets/kubernetes.io/serviceaccount";

std::string from_environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::size_t from = 0;
    while (from <= text.size()) {
        const std::size_t end = std::min(text.find(at, from), text.size());
        if (end > from) parts.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    return parts;
}

}  // namespace

Result<std::shared_ptr<kube::Credentials>> find_credentials(boost::asio::io_context& loop,
                                                            const Options& options) {
    if (!options.kubeconfig.empty())
        return kube::from_kubeconfig(loop, {options.kubeconfig}, options.context);
    const std::string host = from_environment("KUBERNETES_SERVICE_HOST");
    if (!host.empty())
        return kube::from_service_account(loop, service_account, host,
                                          from_environment("KUBERNETES_SERVICE_PORT"));
    std::vector<std::string> paths = split(from_environment("KUBECONFIG"), ':');
    if (paths.empty()) paths.push_back(from_environment("HOME") + "/.kube/config");
    return kube::from_kubeconfig(loop, paths, options.context);
}

std::string random_identity(std::uint64_t seed) {
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    return fmt::format("{}_{:016x}", host, seed);
}

}  // namespace sluice::operators
