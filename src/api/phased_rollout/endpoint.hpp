// Where a Prometheus is: http://host:port/prefix, https://..., or the bare host:port/prefix of the
// document, which means http. Refused: other schemes, a user name or password, a query, a fragment,
// and the path /api/v1/query, which we add ourselves.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace sluice::api::phased_rollout {

struct Endpoint {
    bool tls = false;
    std::string host;  // an IPv6 address without its brackets
    int port = 80;
    std::string prefix;  // of the path; empty, or starts with '/' and does not end with one
    friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

// The error completes the sentence `<field>: ...` and repeats nothing of the url.
std::expected<Endpoint, std::string> read_endpoint(std::string_view url);

// "http://prom:9000/xx/api/v1/query"
std::string query_url(const Endpoint& endpoint);

}  // namespace sluice::api::phased_rollout
