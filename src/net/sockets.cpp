#include "net/sockets.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sluice::net {

namespace {

struct Option {
    int level;
    int name;
    int value;
};

// Silence is probed after 5 s and twice more in steps of 5 s; unacknowledged bytes wait 15 s.
constexpr Option noticing_the_dead[] = {
    {SOL_SOCKET, SO_KEEPALIVE, 1},           {IPPROTO_TCP, TCP_KEEPIDLE, 5},
    {IPPROTO_TCP, TCP_KEEPINTVL, 5},         {IPPROTO_TCP, TCP_KEEPCNT, 2},
    {IPPROTO_TCP, TCP_USER_TIMEOUT, 15'000},
};

}  // namespace

curl_socket_t Sockets::open(const curl_sockaddr& address) {
    const int socket = ::socket(address.family, address.socktype | SOCK_CLOEXEC, address.protocol);
    if (socket < 0) return CURL_SOCKET_BAD;
    for (const Option& option : noticing_the_dead) {
        // A kernel without one of them still has the request's deadline.
        ::setsockopt(socket, option.level, option.name, &option.value, sizeof option.value);
    }
    open_.insert(socket);
    return socket;
}

void Sockets::close(curl_socket_t socket) {
    open_.erase(socket);
    ::close(socket);
}

void Sockets::shut_idle(const std::function<bool(curl_socket_t)>& is_busy) {
    for (const curl_socket_t socket : open_) {
        if (!is_busy(socket)) ::shutdown(socket, SHUT_RDWR);
    }
}

}  // namespace sluice::net
