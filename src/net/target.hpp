// Where a request goes, and whether it may be sent at all. What could change the meaning of the
// bytes on the wire (CR, LF and NUL, user names in URLs, a second Content-Length) is refused
// before anything is dialled.
#pragma once

#include <string>

#include "base/result.hpp"
#include "net/http_client.hpp"

namespace sluice::net {

struct Target {
    std::string url;   // what libcurl is given; its host is the TLS server name if one is asked for
    std::string host;  // of the request's URL, IPv6 in brackets
    std::string port;
    bool secure = false;
    bool renamed = false;  // `url` names Tls::server_name; dial host:port nonetheless
    std::string socket{};  // a unix socket that is dialled instead

    std::string authority() const { return socket.empty() ? host + ":" + port : socket; }
};

// Invalid, with a sentence that never quotes a header's value or a URL's path or query.
Result<Target> find_target(const HttpRequest& request);

}  // namespace sluice::net
