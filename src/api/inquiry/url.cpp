#include "api/inquiry/url.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

namespace sluice::api {

namespace {

constexpr std::size_t url_bytes_max = 2048;
constexpr std::size_t host_bytes_max = 253;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_alphanumeric(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (auto at = text.find(separator); at != std::string_view::npos; at = text.find(separator)) {
        parts.push_back(text.substr(0, at));
        text.remove_prefix(at + 1);
    }
    parts.push_back(text);
    return parts;
}

bool is_number(std::string_view text, std::uint32_t max) {
    if (text.empty() || text.size() > 5 || !std::ranges::all_of(text, is_digit)) return false;
    if (text.size() > 1 && text.front() == '0') return false;
    std::uint32_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value <= max;
}

// How many 16-bit groups this half of an IPv6 address spells; nothing if it is none.
std::optional<std::size_t> ipv6_groups(std::string_view half, bool ipv4_may_end_it) {
    if (half.empty()) return 0;
    std::size_t groups = 0;
    const std::vector<std::string_view> parts = split(half, ':');
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string_view part = parts[i];
        const bool last = i + 1 == parts.size();
        if (last && ipv4_may_end_it && is_ipv4(part)) return groups + 2;
        if (part.empty() || part.size() > 4 || !std::ranges::all_of(part, is_hex)) {
            return std::nullopt;
        }
        ++groups;
    }
    return groups;
}

bool is_dns_part(std::string_view part) {
    return !part.empty() && part.size() <= 63 && part.front() != '-' && part.back() != '-' &&
           std::ranges::all_of(part,
                               [](char c) { return is_alphanumeric(c) || c == '-' || c == '_'; });
}

// A last part that begins with a digit makes the whole an address for some resolvers (127.1,
// 0x7f.1): such a host must be a plain IPv4 address.
bool is_host_name(std::string_view host) {
    if (host.ends_with('.')) host.remove_suffix(1);
    if (host.size() > host_bytes_max) return false;
    const std::vector<std::string_view> parts = split(host, '.');
    return std::ranges::all_of(parts, is_dns_part) && !is_digit(parts.back().front());
}

struct Authority {
    std::string_view host;
    std::string_view port;
    bool has_port = false;
    bool bracketed = false;
};

Result<Authority> read_authority(std::string_view text) {
    Authority read;
    if (text.starts_with('[')) {
        const auto end = text.find(']');
        if (end == std::string_view::npos) {
            return failure(ErrorKind::Invalid, "the bracket around the address is not closed");
        }
        read.bracketed = true;
        read.host = text.substr(1, end - 1);
        text.remove_prefix(end + 1);
    } else {
        const auto end = std::min(text.find(':'), text.size());
        read.host = text.substr(0, end);
        text.remove_prefix(end);
    }
    if (text.empty()) return read;
    if (text.front() != ':') {
        return failure(ErrorKind::Invalid, "only a port may follow the address in brackets");
    }
    read.has_port = true;
    read.port = text.substr(1);
    return read;
}

Result<Authority> checked_authority(std::string_view text) {
    const Result<Authority> read = read_authority(text);
    if (!read) return read;
    if (read->host.empty()) return failure(ErrorKind::Invalid, "names no host");
    if (read->bracketed && !is_ipv6(read->host)) {
        return failure(ErrorKind::Invalid, "the host in brackets is not an IPv6 address");
    }
    if (!read->bracketed && !is_ipv4(read->host) && !is_host_name(read->host)) {
        return failure(ErrorKind::Invalid, "the host is neither a DNS name nor an IP address");
    }
    if (read->has_port && !is_port(read->port)) {
        return failure(ErrorKind::Invalid, "the port is not a number between 1 and 65535");
    }
    return read;
}

bool is_target_character(char c) {
    constexpr std::string_view marks = "-._~!$&'()*+,;=:@/?%";
    return is_alphanumeric(c) || marks.contains(c);
}

Result<void> check_target(std::string_view target) {
    if (!std::ranges::all_of(target, is_target_character)) {
        return failure(ErrorKind::Invalid,
                       "holds a character that must be percent-encoded in a path or query");
    }
    for (auto at = target.find('%'); at != std::string_view::npos; at = target.find('%', at + 1)) {
        const std::string_view code = target.substr(at + 1, 2);
        if (code.size() != 2 || !std::ranges::all_of(code, is_hex)) {
            return failure(ErrorKind::Invalid, "\"%\" must be followed by two hex digits");
        }
    }
    return {};
}

}  // namespace

bool is_port(std::string_view text) {
    return text != "0" && is_number(text, 65535);
}

bool is_ipv4(std::string_view text) {
    const std::vector<std::string_view> parts = split(text, '.');
    return parts.size() == 4 &&
           std::ranges::all_of(parts, [](std::string_view part) { return is_number(part, 255); });
}

bool is_ipv6(std::string_view text) {
    constexpr std::size_t groups_all = 8;
    const auto gap = text.find("::");
    if (gap == std::string_view::npos) return ipv6_groups(text, true) == groups_all;
    const auto before = ipv6_groups(text.substr(0, gap), false);
    const auto after = ipv6_groups(text.substr(gap + 2), true);
    return before && after && *before + *after < groups_all;
}

std::string to_text(const Url& url) {
    const bool ipv6 = url.host.contains(':');
    return url.scheme + "://" + (ipv6 ? "[" + url.host + "]" : url.host) +
           (url.port.empty() ? "" : ":" + url.port) + url.path + url.query;
}

Result<Url> read_url(std::string_view url, std::string_view instead) {
    if (url.size() > url_bytes_max) {
        return failure(ErrorKind::Invalid, "is longer than 2048 bytes");
    }
    if (url.contains('#')) return failure(ErrorKind::Invalid, "must not have a fragment (\"#\")");
    const auto colon = url.find("://");
    const std::string_view scheme = url.substr(0, std::min(colon, url.size()));
    if (colon == std::string_view::npos || (scheme != "http" && scheme != "https")) {
        return failure(ErrorKind::Invalid, "must begin with http:// or https://");
    }
    const std::string_view rest = url.substr(colon + 3);
    const auto end = std::min(rest.find_first_of("/?"), rest.size());
    if (rest.substr(0, end).contains('@')) {
        return failure(ErrorKind::Invalid, "must not hold a user or password; use " +
                                               std::string(instead) + " instead");
    }
    const Result<Authority> authority = checked_authority(rest.substr(0, end));
    if (!authority) return std::unexpected(authority.error());
    const std::string_view target = rest.substr(end);
    if (Result<void> checked = check_target(target); !checked) {
        return std::unexpected(checked.error());
    }
    const auto mark = std::min(target.find('?'), target.size());
    return Url{std::string(scheme), std::string(authority->host), std::string(authority->port),
               std::string(target.substr(0, mark)), std::string(target.substr(mark))};
}

}  // namespace sluice::api
