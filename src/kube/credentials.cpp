#include "kube/credentials.hpp"

#include <chrono>

#include "kube/material.hpp"
#include "kube/sourced_credentials.hpp"

namespace sluice::kube {
namespace {

// Expiry times are wall times, and a wall clock that was corrected is right.
Instant wall_time() {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return {std::chrono::duration_cast<Duration>(since_epoch).count()};
}

}  // namespace

Result<std::shared_ptr<Credentials>> from_kubeconfig(boost::asio::io_context& loop,
                                                     const std::vector<std::string>& paths,
                                                     const std::string& context) {
    return SourcedCredentials::open(loop, gather_from_kubeconfig(paths, context), wall_time);
}

Result<std::shared_ptr<Credentials>> from_service_account(boost::asio::io_context& loop,
                                                          const std::string& directory,
                                                          const std::string& host,
                                                          const std::string& port) {
    return SourcedCredentials::open(loop, gather_from_service_account(directory, host, port),
                                    wall_time);
}

}  // namespace sluice::kube
