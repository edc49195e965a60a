#include "api/inquiry/hosts.hpp"

#include <algorithm>

#include "base/printable.hpp"
#include "base/text.hpp"

namespace sluice::api {

namespace {

// More would be a mistake: each is compared at each question.
constexpr std::size_t entries_max = 64;

std::string normal(std::string_view host) {
    if (host.ends_with('.')) host.remove_suffix(1);
    return in_lower_case(host);
}

std::string port_of(const Url& url) {
    if (!url.port.empty()) return url.port;
    return url.scheme == "https" ? "443" : "80";
}

Result<HostPattern> read_entry(std::string_view entry) {
    std::string_view host = entry;
    const auto scheme = host.substr(0, host.find("://"));
    const bool has_scheme = scheme == "http" || scheme == "https";
    if (has_scheme) host.remove_prefix(scheme.size() + 3);
    const bool below = host.starts_with("*.");
    const std::string rest(below ? host.substr(2) : host);
    const Result<Url> url = read_url("http://" + rest, "");
    const bool is_plain = url && url->path.empty() && url->query.empty();
    const bool is_name = is_plain && !is_ipv4(url->host) && !is_ipv6(url->host);
    if (!is_plain || (below && !is_name)) {
        return failure(ErrorKind::Invalid,
                       quoted(entry) + " is not a host, host:port, *.domain or http://host:port");
    }
    return HostPattern{normal(url->host), url->port, below, has_scheme ? std::string{scheme} : ""};
}

bool fits(const HostPattern& pattern, const Url& url) {
    const std::string host = normal(url.host);
    if (!pattern.scheme.empty() && pattern.scheme != url.scheme) return false;
    if (!pattern.port.empty() && pattern.port != port_of(url)) return false;
    return pattern.below ? host.ends_with("." + pattern.host) : host == pattern.host;
}

}  // namespace

Result<HostList> read_hosts(std::string_view text) {
    HostList hosts;
    while (!trimmed(text).empty()) {
        const auto end = std::min(text.find(','), text.size());
        const std::string_view entry = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (hosts.size() == entries_max) {
            return failure(ErrorKind::TooLarge, "lists more than 64 hosts");
        }
        Result<HostPattern> pattern = read_entry(entry);
        if (!pattern) return std::unexpected(pattern.error());
        hosts.push_back(std::move(*pattern));
    }
    return hosts;
}

bool lists(const HostList& hosts, const Url& url) {
    return std::ranges::any_of(hosts,
                               [&](const HostPattern& pattern) { return fits(pattern, url); });
}

bool lists_for_secrets(const HostList& hosts, const Url& url) {
    return std::ranges::any_of(hosts, [&](const HostPattern& pattern) {
        return fits(pattern, url) && (url.scheme == "https" || pattern.scheme == url.scheme);
    });
}

}  // namespace sluice::api
