#include "base/names.hpp"

#include <algorithm>

namespace sluice {
namespace {

constexpr std::size_t path_bytes_max = 4095;  // PATH_MAX, without its NUL

bool is_lower(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_alphanumeric(char c) {
    return is_lower(c) || (c >= 'A' && c <= 'Z');
}

}  // namespace

bool is_data_key(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
    });
}

bool has_label_shape(std::string_view text) {
    return is_data_key(text) && is_alphanumeric(text.front()) && is_alphanumeric(text.back());
}

bool is_label_value(std::string_view text) {
    return text.size() <= label_bytes_max && has_label_shape(text);
}

bool has_dns_label_shape(std::string_view text) {
    return !text.empty() && is_lower(text.front()) && is_lower(text.back()) &&
           std::ranges::all_of(text, [](char c) { return is_lower(c) || c == '-'; });
}

bool is_dns_label(std::string_view text) {
    return text.size() <= label_bytes_max && has_dns_label_shape(text);
}

bool is_dns_subdomain(std::string_view text) {
    if (text.size() > subdomain_bytes_max) return false;
    for (auto dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.')) {
        if (!has_dns_label_shape(text.substr(0, dot))) return false;
        text.remove_prefix(dot + 1);
    }
    return has_dns_label_shape(text);
}

bool is_plain_path(std::string_view path) {
    if (path.size() < 2 || path.size() > path_bytes_max || path.front() != '/') return false;
    const bool readable = std::ranges::all_of(path, [](char c) {
        return c > ' ' && c < '\x7f' && !std::string_view("%?#\\\"").contains(c);
    });
    if (!readable) return false;
    for (std::string_view rest = path; !rest.empty();) {
        rest.remove_prefix(1);
        const std::string_view part = rest.substr(0, rest.find('/'));
        if (part.empty() || part == "." || part == "..") return false;
        rest.remove_prefix(part.size());
    }
    return true;
}

}  // namespace sluice
