#include "net/address_guard.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <cstring>

namespace sluice::net {
namespace {

TEST(AddressGuardTest, denies_what_is_local_and_says_what_it_is) {
    const std::pair<const char*, const char*> table[] = {
        {"127.0.0.1", "127.0.0.1, a loopback address"},
        {"127.255.255.255", "127.255.255.255, a loopback address"},
        {"::1", "::1, a loopback address"},
        {"::ffff:127.0.0.1", "::ffff:127.0.0.1, a loopback address"},
        {"::127.0.0.1", "::127.0.0.1, a loopback address"},
        {"64:ff9b::7f00:1", "64:ff9b::7f00:1, a loopback address"},
        {"64:ff9b:1::7f00:1", "64:ff9b:1::7f00:1, a loopback address"},
        {"::ffff:0:7f00:1", "::ffff:0:7f00:1, a loopback address"},
        {"2002:7f00:1::", "2002:7f00:1::, a loopback address"},
        {"169.254.0.0", "169.254.0.0, a link-local address"},
        {"169.254.169.254", "169.254.169.254, a link-local address"},
        {"::ffff:169.254.169.254", "::ffff:169.254.169.254, a link-local address"},
        {"64:ff9b::a9fe:a9fe", "64:ff9b::a9fe:a9fe, a link-local address"},
        {"fe80::1", "fe80::1, a link-local address"},
        {"febf::1", "febf::1, a link-local address"},
        {"fe80::1%eth0", "fe80::1, a link-local address"},
        {"0.0.0.0", "0.0.0.0, an unspecified address"},
        {"0.1.2.3", "0.1.2.3, an unspecified address"},
        {"::", "::, an unspecified address"},
        {"224.0.0.1", "224.0.0.1, a multicast address"},
        {"239.255.255.255", "239.255.255.255, a multicast address"},
        {"255.255.255.255", "255.255.255.255, a multicast address"},
        {"ff02::1", "ff02::1, a multicast address"},
        {"fd00:ec2::254", "fd00:ec2::254, a cloud metadata service"},
        {"fd20:ce::254", "fd20:ce::254, a cloud metadata service"},
        {"168.63.129.16", "168.63.129.16, a cloud metadata service"},
        {"192.0.0.192", "192.0.0.192, a cloud metadata service"},
        {"prom.test", "an address that cannot be read"},
        {"", "an address that cannot be read"},
    };
    for (const auto& [address, expected] : table) {
        EXPECT_EQ(denied(AddressGuard::NoLocal, address), expected) << address;
        EXPECT_EQ(denied(AddressGuard::Any, address), std::nullopt) << address;
    }
}

TEST(AddressGuardTest, lets_everything_else_through) {
    for (const char* address :
         {"10.0.0.1",        "172.16.5.4", "192.168.1.1",     "100.64.0.1",     "1.0.0.0",
          "126.255.255.255", "128.0.0.1",  "169.253.255.255", "169.255.0.0",    "223.255.255.255",
          "240.0.0.1",       "8.8.8.8",    "::ffff:10.0.0.1", "64:ff9b::a00:1", "2001:db8::1",
          "2002:a00:1::",    "fd00::1",    "fd00:ec2::253",   "fc00::1",        "fec0::1",
          "fe7f::1",         "::2:0:1"}) {
        EXPECT_EQ(denied(AddressGuard::NoLocal, address), std::nullopt) << address;
        EXPECT_EQ(denied(AddressGuard::NoLinkLocal, address), std::nullopt) << address;
    }
}

TEST(AddressGuardTest, may_allow_loopback_and_nothing_else_that_is_local) {
    for (const char* address :
         {"127.0.0.1", "::1", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1"}) {
        EXPECT_EQ(denied(AddressGuard::NoLinkLocal, address), std::nullopt) << address;
    }
    for (const char* address :
         {"0.0.0.0", "::", "169.254.169.254", "fe80::1", "224.0.0.1", "ff02::1", "fd00:ec2::254"}) {
        EXPECT_NE(denied(AddressGuard::NoLinkLocal, address), std::nullopt) << address;
    }
}

TEST(AddressGuardTest, judges_socket_addresses_alike) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    ::inet_pton(AF_INET, "127.0.0.1", &v4.sin_addr);
    sockaddr_storage storage{};
    std::memcpy(&storage, &v4, sizeof v4);
    const auto& address = reinterpret_cast<const sockaddr&>(storage);
    EXPECT_EQ(denied(AddressGuard::NoLocal, address, sizeof v4), "127.0.0.1, a loopback address");

    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    ::inet_pton(AF_INET6, "fe80::1", &v6.sin6_addr);
    std::memcpy(&storage, &v6, sizeof v6);
    EXPECT_EQ(denied(AddressGuard::NoLocal, address, sizeof v6), "fe80::1, a link-local address");
}

TEST(AddressGuardTest, denies_families_it_does_not_know_and_addresses_cut_short) {
    sockaddr_storage storage{};
    const auto& address = reinterpret_cast<const sockaddr&>(storage);
    storage.ss_family = AF_UNIX;
    EXPECT_TRUE(denied(AddressGuard::NoLocal, address, sizeof(sockaddr_un)));
    EXPECT_FALSE(denied(AddressGuard::Any, address, sizeof(sockaddr_un)));
    storage.ss_family = AF_INET6;
    EXPECT_TRUE(denied(AddressGuard::NoLocal, address, sizeof(sockaddr_in)));
}

}  // namespace
}  // namespace sluice::net
