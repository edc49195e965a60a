// The sockets of outgoing connections: not inherited by programs, and with kernel timers that
// notice a dead peer within 20 seconds. Remembers which are open, so that idle ones can be shut.
#pragma once

#include <curl/curl.h>

#include <functional>
#include <set>

namespace sluice::net {

class Sockets {
  public:
    // CURL_SOCKET_BAD if the kernel has none to give.
    curl_socket_t open(const curl_sockaddr& address);
    void close(curl_socket_t socket);
    // Ends every connection that is not busy. libcurl finds it dead before it would use it again.
    void shut_idle(const std::function<bool(curl_socket_t)>& is_busy);

  private:
    std::set<curl_socket_t> open_;
};

}  // namespace sluice::net
