#include "net/listen.hpp"

#include <fmt/format.h>

#include <boost/asio/ip/v6_only.hpp>
#include <optional>
#include <vector>

#include "base/text.hpp"

namespace sluice::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

struct HostPort {
    std::string host;  // empty: every interface
    std::uint16_t port;
};

std::optional<HostPort> split(std::string_view address) {
    const auto colon = address.rfind(':');
    if (colon == address.npos) return std::nullopt;
    std::string_view host = address.substr(0, colon);
    const auto port = whole_number<std::uint16_t>(address.substr(colon + 1));
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
        if (host.empty()) return std::nullopt;
    } else if (host.find_first_of(":[]") != host.npos) {
        return std::nullopt;
    }
    if (!port) return std::nullopt;
    return HostPort{std::string(host), *port};
}

std::unexpected<Error> cannot_listen(const std::string& address, const std::string& why) {
    return failure(ErrorKind::Unreadable, fmt::format("cannot listen on {}: {}", address, why));
}

Result<std::vector<tcp::endpoint>> resolve(asio::io_context& loop, const std::string& address) {
    const auto parts = split(address);
    if (!parts) {
        return failure(ErrorKind::Invalid,
                       fmt::format("\"{}\" is not an address to listen on; \"host:port\", "
                                   "\":port\" and \"[ipv6]:port\" are",
                                   address));
    }
    const std::uint16_t port = parts->port;
    if (parts->host.empty()) {
        return std::vector{tcp::endpoint(tcp::v6(), port), tcp::endpoint(tcp::v4(), port)};
    }
    error_code failed;
    const auto found = tcp::resolver(loop).resolve(parts->host, std::to_string(port),
                                                   tcp::resolver::numeric_service, failed);
    if (failed) return cannot_listen(address, "the name does not resolve");
    std::vector<tcp::endpoint> endpoints;
    for (const auto& entry : found)
        endpoints.push_back(entry.endpoint());
    return endpoints;
}

error_code listen_on(tcp::acceptor& acceptor, const tcp::endpoint& endpoint) {
    const bool is_for_all = endpoint.address().is_v6() && endpoint.address().is_unspecified();
    error_code failed;
    if (acceptor.open(endpoint.protocol(), failed) ||
        acceptor.set_option(tcp::acceptor::reuse_address(true), failed) ||
        (is_for_all && acceptor.set_option(asio::ip::v6_only(false), failed)) ||
        acceptor.bind(endpoint, failed) ||
        acceptor.listen(asio::socket_base::max_listen_connections, failed)) {
        error_code ignored;
        ignored = acceptor.close(ignored);
    }
    return failed;
}

}  // namespace

Result<tcp::acceptor> listen(asio::io_context& loop, const std::string& address) {
    const auto endpoints = resolve(loop, address);
    if (!endpoints) return std::unexpected(endpoints.error());
    tcp::acceptor acceptor(loop);
    error_code failed;
    for (const tcp::endpoint& endpoint : *endpoints) {
        failed = listen_on(acceptor, endpoint);
        if (!failed || failed == asio::error::address_in_use) break;
    }
    if (failed == asio::error::address_in_use)
        return cannot_listen(address, "another program listens there already");
    if (failed) return cannot_listen(address, failed.message());
    return acceptor;
}

}  // namespace sluice::net
