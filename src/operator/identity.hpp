// Who this process is: the credentials that it finds, and the name that it goes by.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "kube/credentials.hpp"
#include "operator/options.hpp"

namespace sluice::operators {

// --kubeconfig wins; then the pod we run in; then KUBECONFIG; then ~/.kube/config.
Result<std::shared_ptr<kube::Credentials>> find_credentials(boost::asio::io_context& loop,
                                                            const Options& options);

// As kubectl finds them: --kubeconfig, then KUBECONFIG, then ~/.kube/config, and only without any
// of these the pod we run in.
Result<std::shared_ptr<kube::Credentials>> find_user_credentials(boost::asio::io_context& loop,
                                                                 const std::string& kubeconfig,
                                                                 const std::string& context);

// The host's name, and a number that no other process has.
std::string random_identity(std::uint64_t seed);

}  // namespace sluice::operators
