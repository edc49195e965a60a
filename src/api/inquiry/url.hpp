// A strict reading of a URL that somebody wrote into an object. What two parsers could read in two
// ways is refused: userinfo, fragments, backslashes, numbers that only some resolvers take for
// addresses.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace sluice::api {

struct Url {
    std::string scheme;  // http or https
    std::string host;    // as written, an IPv6 address without its brackets
    std::string port;    // empty: none was written
    std::string path;    // empty, or begins with a slash
    std::string query;   // empty, or begins with a question mark
    friend bool operator==(const Url&, const Url&) = default;
};
std::string to_text(const Url& url);

// The Error completes the sentence `<field>: ...`. It does not repeat the URL: one with a password
// in it is refused here, and must not be printed; `instead` says where a password belongs.
Result<Url> read_url(std::string_view url, std::string_view instead);

bool is_ipv4(std::string_view text);
bool is_ipv6(std::string_view text);
// A decimal port between 1 and 65535, without leading zeros.
bool is_port(std::string_view text);

}  // namespace sluice::api
