#include "net/sockets.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

namespace sluice::net {
namespace {

int option(int socket, int level, int name) {
    int value = -1;
    socklen_t size = sizeof value;
    EXPECT_EQ(::getsockopt(socket, level, name, &value, &size), 0);
    return value;
}

TEST(SocketsTest, notice_a_dead_peer_within_20_seconds_and_are_not_inherited) {
    Sockets sockets;
    curl_sockaddr address{};
    address.family = AF_INET;
    address.socktype = SOCK_STREAM;
    address.protocol = IPPROTO_TCP;
    const curl_socket_t socket = sockets.open(address);
    ASSERT_NE(socket, CURL_SOCKET_BAD);
    EXPECT_EQ(option(socket, SOL_SOCKET, SO_KEEPALIVE), 1);
    const int silence =
        option(socket, IPPROTO_TCP, TCP_KEEPIDLE) +
        option(socket, IPPROTO_TCP, TCP_KEEPINTVL) * option(socket, IPPROTO_TCP, TCP_KEEPCNT);
    EXPECT_LE(silence, 20);
    EXPECT_LE(option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT), 20'000);
    EXPECT_TRUE(::fcntl(socket, F_GETFD) & FD_CLOEXEC);
    sockets.close(socket);
    EXPECT_EQ(::fcntl(socket, F_GETFD), -1);
}

TEST(SocketsTest, report_that_there_is_none_to_have) {
    Sockets sockets;
    curl_sockaddr address{};
    address.family = 12345;
    address.socktype = SOCK_STREAM;
    EXPECT_EQ(sockets.open(address), CURL_SOCKET_BAD);
}

}  // namespace
}  // namespace sluice::net
