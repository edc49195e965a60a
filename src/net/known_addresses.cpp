#include "net/known_addresses.hpp"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <charconv>
#include <memory>

#include "net/address_guard.hpp"

namespace sluice::net {

void KnownAddresses::add_own() {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) return;
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner{list, ::freeifaddrs};
    for (const ifaddrs* one = list; one; one = one->ifa_next) {
        if (!one->ifa_addr || (one->ifa_flags & IFF_LOOPBACK) != 0) continue;
        if (const auto found = endpoint_of(*one->ifa_addr, sizeof(sockaddr_in6)))
            own_.insert(canonical(found->address));
    }
}

void KnownAddresses::add_server(std::string_view address, int port) {
    const std::string text = canonical(address);
    if (!text.empty()) servers_.emplace(text, port);
}

void KnownAddresses::add_server(std::string_view endpoint) {
    const std::size_t colon = endpoint.rfind(':');
    if (colon == endpoint.npos) return;
    std::string_view address = endpoint.substr(0, colon);
    if (address.starts_with('[') && address.ends_with(']'))
        address = address.substr(1, address.size() - 2);
    int port = 0;
    std::from_chars(endpoint.data() + colon + 1, endpoint.data() + endpoint.size(), port);
    if (port > 0) add_server(address, port);
}

std::optional<std::string> KnownAddresses::denied(std::string_view address, int port) const {
    const std::string text = canonical(address);
    if (servers_.contains({text, port}))
        return fmt::format("{}:{}, the address of the API server", text, port);
    if (own_.contains(text)) return fmt::format("{}, an address of the operator itself", text);
    return std::nullopt;
}

std::optional<std::string> KnownAddresses::denied(const sockaddr& address, socklen_t length) const {
    const auto found = endpoint_of(address, length);
    return found ? denied(found->address, found->port) : std::nullopt;
}

}  // namespace sluice::net
