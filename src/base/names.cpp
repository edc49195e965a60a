#include "base/names.hpp"

#include <algorithm>
#include <ranges>

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
    return !text.empty() && text.size() <= subdomain_bytes_max &&
           std::ranges::all_of(std::views::split(text, '.'), [](auto part) {
               return has_dns_label_shape(std::string_view{part});
           });
}

bool is_plain_path(std::string_view path) {
    if (path.size() < 2 || path.size() > path_bytes_max || path.front() != '/') return false;
    const bool readable = std::ranges::all_of(path, [](char c) {
        return c > ' ' && c < '\x7f' && !std::string_view("%?#\\\"").contains(c);
    });
    return readable && std::ranges::none_of(std::views::split(path.substr(1), '/'), [](auto one) {
               const std::string_view part{one};
               return part.empty() || part == "." || part == "..";
           });
}

}  // namespace sluice
