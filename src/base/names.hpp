// The shapes of names that Kubernetes accepts, and of paths.
#pragma once

#include <cstddef>
#include <string_view>

namespace sluice {

inline constexpr std::size_t label_bytes_max = 63;
inline constexpr std::size_t subdomain_bytes_max = 253;

// Letters, digits, "-", "_" and ".": a key of a ConfigMap or Secret; of any length but zero.
bool is_data_key(std::string_view text);

// Letters, digits, "-", "_" and ".", with a letter or digit at both ends; of any length but zero.
bool has_label_shape(std::string_view text);
// What a label may hold: that shape, at most 63 bytes; not empty here.
bool is_label_value(std::string_view text);

// Lower-case letters, digits and "-", with no "-" at the ends; of any length but zero.
bool has_dns_label_shape(std::string_view text);
// The name of a namespace: that shape, at most 63 bytes.
bool is_dns_label(std::string_view text);
// The name of an object, such as a Secret: such parts with dots between them, at most 253 bytes.
bool is_dns_subdomain(std::string_view text);

// An absolute path that is spelt in one way only.
bool is_plain_path(std::string_view path);

}  // namespace sluice
