#include "net/address_guard.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>

namespace sluice::net {

namespace {

enum class Place { Loopback, LinkLocal, Unspecified, Multicast, Metadata };

using Bytes4 = std::array<std::uint8_t, 4>;
using Bytes16 = std::array<std::uint8_t, 16>;

template <class Bytes>
struct Range {
    Bytes prefix;
    unsigned bits;
    Place place;
};

constexpr Range<Bytes4> ranges4[] = {
    {{0, 0, 0, 0}, 8, Place::Unspecified},       {{127, 0, 0, 0}, 8, Place::Loopback},
    {{169, 254, 0, 0}, 16, Place::LinkLocal},  // 169.254.169.254 is nearly every cloud's metadata
    {{224, 0, 0, 0}, 4, Place::Multicast},       {{255, 255, 255, 255}, 32, Place::Multicast},
    {{168, 63, 129, 16}, 32, Place::Metadata},    // Azure's wire server
    {{192, 0, 0, 192}, 32, Place::Metadata},      // Oracle Cloud, classic
    {{100, 100, 100, 200}, 32, Place::Metadata},  // Alibaba Cloud
};

constexpr Range<Bytes16> ranges6[] = {
    {{}, 128, Place::Unspecified},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128, Place::Loopback},
    {{0xfe, 0x80}, 10, Place::LinkLocal},
    {{0xff}, 8, Place::Multicast},
    // fd00:ec2::254 (AWS) and fd20:ce::254 (Google): unique local, yet the same on every host.
    {{0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54}, 128, Place::Metadata},
    {{0xfd, 0x20, 0, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54}, 128, Place::Metadata},
};

// IPv6 prefixes that carry an IPv4 address, and where.
struct Carrier {
    Bytes16 prefix;
    unsigned bits;
    unsigned offset;
};

constexpr Carrier carriers[] = {
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96, 12},  // mapped
    {{0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96, 12},        // translated (SIIT)
    {{}, 96, 12},                                          // compatible
    {{0x00, 0x64, 0xff, 0x9b}, 96, 12},                    // NAT64
    {{0x00, 0x64, 0xff, 0x9b, 0x00, 0x01}, 48, 12},        // NAT64 within a site
    {{0x20, 0x02}, 16, 2},                                 // 6to4
};

bool starts_with(std::span<const std::uint8_t> address, std::span<const std::uint8_t> prefix,
                 unsigned bits) {
    const std::size_t whole = bits / 8;
    if (!std::equal(prefix.begin(), prefix.begin() + static_cast<std::ptrdiff_t>(whole),
                    address.begin())) {
        return false;
    }
    const unsigned rest = bits % 8;
    return rest == 0 || (address[whole] >> (8 - rest)) == (prefix[whole] >> (8 - rest));
}

template <class Bytes>
std::optional<Place> find(std::span<const Range<Bytes>> ranges, const Bytes& address) {
    for (const Range<Bytes>& range : ranges) {
        if (starts_with(address, range.prefix, range.bits)) return range.place;
    }
    return std::nullopt;
}

std::optional<Place> place_of(const Bytes4& address) {
    return find<Bytes4>(ranges4, address);
}

Bytes4 carried(const Bytes16& address, const Carrier& carrier) {
    Bytes4 inner;
    std::copy_n(address.begin() + static_cast<std::ptrdiff_t>(carrier.offset), 4, inner.begin());
    return inner;
}

std::optional<Place> place_of(const Bytes16& address) {
    if (const auto place = find<Bytes16>(ranges6, address)) return place;
    for (const Carrier& carrier : carriers) {
        if (!starts_with(address, carrier.prefix, carrier.bits)) continue;
        if (const auto place = place_of(carried(address, carrier))) return place;
    }
    return std::nullopt;
}

template <class Bytes>
std::string spelt(const Bytes& address) {
    char text[INET6_ADDRSTRLEN] = {};
    ::inet_ntop(address.size() == 4 ? AF_INET : AF_INET6, address.data(), text, sizeof text);
    return text;
}

std::string_view describe(Place place) {
    switch (place) {
        case Place::Loopback: return "a loopback address";
        case Place::LinkLocal: return "a link-local address";
        case Place::Unspecified: return "an unspecified address";
        case Place::Multicast: return "a multicast address";
        case Place::Metadata: return "a cloud metadata service";
    }
    return "an unknown address";
}

bool lets_through(AddressGuard guard, Place place) {
    switch (guard) {
        case AddressGuard::Any: return true;
        case AddressGuard::NoLocal: return false;
        case AddressGuard::NoLinkLocal:
        case AddressGuard::OnlyLoopback: return place == Place::Loopback;
    }
    return false;
}

template <class Bytes>
std::optional<std::string> judge(AddressGuard guard, const Bytes& address) {
    const std::optional<Place> place = place_of(address);
    if (place ? lets_through(guard, *place) : guard != AddressGuard::OnlyLoopback) {
        return std::nullopt;
    }
    return fmt::format("{}, {}", spelt(address),
                       place ? describe(*place) : "not a loopback address");
}

}  // namespace

std::optional<Endpoint> endpoint_of(const sockaddr& address, socklen_t length) {
    if (address.sa_family == AF_INET && length >= sizeof(sockaddr_in)) {
        sockaddr_in v4;
        std::memcpy(&v4, &address, sizeof v4);
        Bytes4 bytes;
        std::memcpy(bytes.data(), &v4.sin_addr, bytes.size());
        return Endpoint{spelt(bytes), ntohs(v4.sin_port)};
    }
    if (address.sa_family == AF_INET6 && length >= sizeof(sockaddr_in6)) {
        sockaddr_in6 v6;
        std::memcpy(&v6, &address, sizeof v6);
        Bytes16 bytes;
        std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
        return Endpoint{spelt(bytes), ntohs(v6.sin6_port)};
    }
    return std::nullopt;
}

std::optional<std::string> denied(AddressGuard guard, const sockaddr& address, socklen_t length) {
    if (const auto found = endpoint_of(address, length)) return denied(guard, found->address);
    if (guard == AddressGuard::Any) return std::nullopt;
    return "an address that is neither IPv4 nor IPv6";
}

std::optional<std::string> denied(AddressGuard guard, std::string_view address) {
    const std::string text(address.substr(0, address.find('%')));
    Bytes4 v4;
    if (::inet_pton(AF_INET, text.c_str(), v4.data()) == 1) return judge(guard, v4);
    Bytes16 v6;
    if (::inet_pton(AF_INET6, text.c_str(), v6.data()) == 1) return judge(guard, v6);
    if (guard == AddressGuard::Any) return std::nullopt;
    return "an address that cannot be read";
}

std::string canonical(std::string_view address) {
    const std::string text(address.substr(0, address.find('%')));
    Bytes4 v4;
    if (::inet_pton(AF_INET, text.c_str(), v4.data()) == 1) return spelt(v4);
    Bytes16 v6;
    if (::inet_pton(AF_INET6, text.c_str(), v6.data()) != 1) return {};
    if (find<Bytes16>(ranges6, v6)) return spelt(v6);
    for (const Carrier& carrier : carriers)
        if (starts_with(v6, carrier.prefix, carrier.bits)) return spelt(carried(v6, carrier));
    return spelt(v6);
}

}  // namespace sluice::net
