#include "api/inquiry/names.hpp"

#include <algorithm>
#include <cstddef>

namespace sluice::api {

namespace {

constexpr std::size_t label_bytes_max = 63;
constexpr std::size_t subdomain_bytes_max = 253;

bool is_lower(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool is_alphanumeric(char c) {
    return is_lower(c) || (c >= 'A' && c <= 'Z');
}
bool is_label_inner(char c) {
    return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
}
bool is_dns_inner(char c) {
    return is_lower(c) || c == '-';
}
bool is_dns_part(std::string_view text) {
    return !text.empty() && is_lower(text.front()) && is_lower(text.back()) &&
           std::ranges::all_of(text, is_dns_inner);
}

}  // namespace

bool is_label_value(std::string_view text) {
    return !text.empty() && text.size() <= label_bytes_max && is_alphanumeric(text.front()) &&
           is_alphanumeric(text.back()) && std::ranges::all_of(text, is_label_inner);
}

bool is_dns_subdomain(std::string_view text) {
    if (text.size() > subdomain_bytes_max) return false;
    for (auto dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.')) {
        if (!is_dns_part(text.substr(0, dot))) return false;
        text.remove_prefix(dot + 1);
    }
    return is_dns_part(text);
}

}  // namespace sluice::api
