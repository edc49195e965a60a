// The judgement of one resolved address. An IPv4 address is judged alike whether it comes plain or
// inside an IPv6 address (mapped, compatible, NAT64, 6to4), for all of them end at the same host.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <string>
#include <string_view>

#include "net/http_client.hpp"

namespace sluice::net {

struct Endpoint {
    std::string address;  // as inet_ntop writes it
    int port = 0;
};
// Nothing: it is neither IPv4 nor IPv6.
std::optional<Endpoint> endpoint_of(const sockaddr& address, socklen_t length);

// Nothing: the guard lets the address through. Otherwise the address and what it is, for a person:
// "127.0.0.1, a loopback address". A family other than IPv4 and IPv6 is denied unless `Any`.
std::optional<std::string> denied(AddressGuard guard, const sockaddr& address, socklen_t length);

// The same for an address in text form, as inet_pton reads it. What it cannot read is denied.
std::optional<std::string> denied(AddressGuard guard, std::string_view address);

// One spelling of each address: an IPv4 address that comes inside an IPv6 address as itself. Empty
// if it cannot be read.
std::string canonical(std::string_view address);

}  // namespace sluice::net
