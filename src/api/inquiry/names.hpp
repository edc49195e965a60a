// The shapes of names that Kubernetes itself would accept.
#pragma once

#include <string_view>

namespace sluice::api {

// What a label may hold: letters, digits, "-", "_", ".", at most 63; not empty here.
bool is_label_value(std::string_view text);
// The name of an object, such as a Secret: lower-case letters, digits, "-" and ".", at most 253.
bool is_dns_subdomain(std::string_view text);

}  // namespace sluice::api
