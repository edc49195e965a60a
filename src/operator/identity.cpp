#include "operator/identity.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <ranges>
#include <vector>

#include "kube/file_reader.hpp"

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
    for (const auto part : std::views::split(text, at))
        if (!part.empty()) parts.emplace_back(part.begin(), part.end());
    return parts;
}

bool is_in_pod() {
    return !from_environment("KUBERNETES_SERVICE_HOST").empty();
}

Result<std::shared_ptr<kube::Credentials>> of_pod(asio::io_context& loop) {
    return kube::from_service_account(loop, service_account,
                                      from_environment("KUBERNETES_SERVICE_HOST"),
                                      from_environment("KUBERNETES_SERVICE_PORT"));
}

std::string home_kubeconfig() {
    return from_environment("HOME") + "/.kube/config";
}

}  // namespace

Result<std::shared_ptr<kube::Credentials>> find_credentials(boost::asio::io_context& loop,
                                                            const Options& options) {
    if (!options.kubeconfig.empty())
        return kube::from_kubeconfig(loop, {options.kubeconfig}, options.context);
    if (is_in_pod()) return of_pod(loop);
    std::vector<std::string> paths = split(from_environment("KUBECONFIG"), ':');
    if (paths.empty()) paths.push_back(home_kubeconfig());
    return kube::from_kubeconfig(loop, paths, options.context);
}

Result<std::shared_ptr<kube::Credentials>> find_user_credentials(boost::asio::io_context& loop,
                                                                 const std::string& kubeconfig,
                                                                 const std::string& context) {
    if (!kubeconfig.empty()) return kube::from_kubeconfig(loop, {kubeconfig}, context);
    const std::vector<std::string> paths = split(from_environment("KUBECONFIG"), ':');
    if (!paths.empty()) return kube::from_kubeconfig(loop, paths, context);
    const std::string home = home_kubeconfig();
    if (kube::exists(home)) return kube::from_kubeconfig(loop, {home}, context);
    if (is_in_pod() && context.empty()) return of_pod(loop);
    return failure(ErrorKind::Unreadable,
                   fmt::format("there is no kubeconfig: neither --kubeconfig nor KUBECONFIG names "
                               "one, and {} does not exist",
                               home));
}

std::string random_identity(std::uint64_t seed) {
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    return fmt::format("{}_{:016x}", host, seed);
}

}  // namespace sluice::operators
