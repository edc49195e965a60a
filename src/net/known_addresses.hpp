// Addresses that no user's URL may lead to, whatever name it has: the API server's and our own. The
// server's are learnt while it is talked to. An IPv4 address is the same one inside an IPv6
// address.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::net {

class KnownAddresses {
  public:
    // The addresses of this machine, loopback excepted: who may be asked there is not said here.
    void add_own();
    // "10.0.0.1", as inet_pton reads it; anything else is ignored.
    void add_server(std::string_view address, int port);
    // "10.0.0.1:6443" or "[fd00::1]:6443".
    void add_server(std::string_view endpoint);

    // Nothing: it may be contacted. Otherwise the address and what it is, for a person.
    std::optional<std::string> denied(std::string_view address, int port) const;
    std::optional<std::string> denied(const sockaddr& address, socklen_t length) const;

  private:
    std::set<std::string> own_;
    std::set<std::pair<std::string, int>> servers_;
};

}  // namespace sluice::net
