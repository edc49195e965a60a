// Opens a socket to listen on. Refuses to share its port.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <string>

#include "base/result.hpp"

namespace sluice::net {

// `address` is "host:port", ":8081" for every interface, or "[::1]:0" for a port that the kernel
// picks. The error says what is wrong with it: malformed, unknown, or in use.
Result<boost::asio::ip::tcp::acceptor> listen(boost::asio::io_context& loop,
                                              const std::string& address);

}  // namespace sluice::net
