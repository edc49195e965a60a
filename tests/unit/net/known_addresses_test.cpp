#include "net/known_addresses.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

namespace sluice::net {
namespace {

TEST(KnownAddresses, TheServerIsRefusedAtItsPortAndInEveryForm) {
    KnownAddresses known;
    known.add_server("10.96.0.1", 443);
    known.add_server("[fd00::1]:6443");
    known.add_server("172.18.0.2:6443");
    for (const char* nothing : {"", "nonsense", "name:1", "10.0.0.9:", "10.0.0.9:x"})
        known.add_server(nothing);
    EXPECT_EQ(known.denied("10.96.0.1", 443), "10.96.0.1:443, the address of the API server");
    EXPECT_TRUE(known.denied("::ffff:10.96.0.1", 443).has_value());
    EXPECT_TRUE(known.denied("64:ff9b::10.96.0.1", 443).has_value());
    EXPECT_TRUE(known.denied("fd00:0::0001", 6443).has_value());
    EXPECT_TRUE(known.denied("172.18.0.2", 6443).has_value());
    EXPECT_EQ(known.denied("10.96.0.1", 9090), std::nullopt) << "somebody else may be there";
    EXPECT_EQ(known.denied("10.0.0.9", 0), std::nullopt);
    EXPECT_EQ(known.denied("", 443), std::nullopt);
}

TEST(KnownAddresses, ASocketAddressIsJudgedLikeItsText) {
    KnownAddresses known;
    known.add_server("10.96.0.1", 443);
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(443);
    ASSERT_EQ(::inet_pton(AF_INET, "10.96.0.1", &v4.sin_addr), 1);
    const auto* address = reinterpret_cast<const sockaddr*>(&v4);
    EXPECT_TRUE(known.denied(*address, sizeof v4).has_value());
    v4.sin_port = htons(80);
    EXPECT_EQ(known.denied(*address, sizeof v4), std::nullopt);
}

TEST(KnownAddresses, OurOwnAreRefusedAtAnyPortButLoopbackIsNotOurs) {
    KnownAddresses known;
    known.add_own();
    EXPECT_EQ(known.denied("127.0.0.1", 80), std::nullopt);
    EXPECT_EQ(known.denied("::1", 80), std::nullopt);
    EXPECT_EQ(known.denied("192.0.2.77", 80), std::nullopt);
}

}  // namespace
}  // namespace sluice::net
