#include "api/phased_rollout/endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace sluice::api::phased_rollout {
namespace {

constexpr std::string_view http = "http://";
constexpr std::string_view https = "https://";
constexpr std::string_view query_path = "/api/v1/query";
constexpr int port_max = 65535;

constexpr const char* not_a_host =
    "must be a host, optionally with a port and a path, such as "
    "http://prometheus.monitoring:9090/prefix";

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_hex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_host_name(std::string_view text) {
    if (text.ends_with('.')) text.remove_suffix(1);
    return !text.empty() && is_word(text.front()) && is_word(text.back()) &&
           std::ranges::all_of(text, [](char c) { return is_word(c) || c == '-' || c == '.'; });
}

bool is_address(std::string_view text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](char c) { return is_hex(c) || c == ':' || c == '.'; });
}

bool is_path(std::string_view text) {
    return std::ranges::all_of(text, [](char c) {
        return is_word(c) || std::string_view{"-.~%!$&()*+,;=:@/"}.contains(c);
    });
}

std::optional<int> read_port(std::string_view text) {
    int port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    if (!whole || text.front() == '0' || port < 1 || port > port_max) return std::nullopt;
    return port;
}

// "prom:9000" or "[::1]:9000"
bool read_authority(std::string_view text, Endpoint& endpoint) {
    std::string_view after;
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        if (end == std::string_view::npos || !is_address(text.substr(1, end - 1))) return false;
        endpoint.host = text.substr(1, end - 1);
        after = text.substr(end + 1);
    } else {
        const std::size_t end = std::min(text.find(':'), text.size());
        if (!is_host_name(text.substr(0, end))) return false;
        endpoint.host = text.substr(0, end);
        after = text.substr(end);
    }
    if (after.empty()) return true;
    const auto port = after.starts_with(':') ? read_port(after.substr(1)) : std::nullopt;
    endpoint.port = port.value_or(0);
    return port.has_value();
}

}  // namespace

std::expected<Endpoint, std::string> read_endpoint(std::string_view url) {
    const auto refused = [](std::string what) { return std::unexpected(std::move(what)); };
    Endpoint endpoint;
    const std::size_t scheme_end = url.find("://");
    if (scheme_end != std::string_view::npos && !url.substr(0, scheme_end).contains('/')) {
        if (!url.starts_with(http) && !url.starts_with(https))
            return refused(
                "must begin with http:// or https://, or with the bare host as in "
                "prom:9090/prefix");
        endpoint.tls = url.starts_with(https);
        url.remove_prefix(scheme_end + 3);
    }
    endpoint.port = endpoint.tls ? 443 : 80;
    const std::size_t path_at = std::min(url.find('/'), url.size());
    const std::string_view authority = url.substr(0, path_at);
    std::string_view path = url.substr(path_at);
    if (authority.contains('@'))
        return refused(
            "must not carry a user name or password; put them into the Secret that secretRef "
            "names");
    if (url.find_first_of("?#") != std::string_view::npos)
        return refused("must have no query (?) and no fragment (#)");
    while (path.ends_with('/'))
        path.remove_suffix(1);
    if (path.ends_with(query_path))
        return refused("must not end in /api/v1/query, which is added to it");
    if (!read_authority(authority, endpoint) || !is_path(path)) return refused(not_a_host);
    endpoint.prefix = path;
    return endpoint;
}

std::string query_url(const Endpoint& endpoint) {
    const bool is_address = endpoint.host.contains(':');
    return fmt::format("{}{}{}{}:{}{}{}", endpoint.tls ? https : http, is_address ? "[" : "",
                       endpoint.host, is_address ? "]" : "", endpoint.port, endpoint.prefix,
                       query_path);
}

}  // namespace sluice::api::phased_rollout
