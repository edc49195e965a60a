// Lists of hosts that may be asked, or that a Secret may be sent to: "prom.example.com",
// "prom:9090", "*.example.com" (any name below it, not itself), "10.0.0.1", "[fd00::1]:9090",
// separated by commas. An entry without a port stands for all ports. Names are compared without
// regard to case and to a dot at their end, addresses as they are written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/inquiry/url.hpp"
#include "base/result.hpp"

namespace sluice::api {

struct HostPattern {
    std::string host;  // lower case; of a wildcard, what follows "*."
    std::string port;  // empty: any
    bool below = false;
    friend bool operator==(const HostPattern&, const HostPattern&) = default;
};
using HostList = std::vector<HostPattern>;

// The Error completes the sentence `<field>: ...`. Blanks around entries do not count; an empty
// text is a list that holds no host.
Result<HostList> read_hosts(std::string_view text);

bool lists(const HostList& hosts, const Url& url);

}  // namespace sluice::api
