// Lists of hosts that may be asked, or that a Secret may be sent to: "prom.example.com",
// "prom:9090", "*.example.com" (any name below it, not itself), "10.0.0.1", "[fd00::1]:9090",
// "http://prom:9090", separated by commas. An entry without a port stands for all ports, one
// without a scheme for both. Names are compared without regard to case and to a dot at their end,
// addresses as they are written.
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
    std::string scheme = {};  // empty: any
    friend bool operator==(const HostPattern&, const HostPattern&) = default;
};
using HostList = std::vector<HostPattern>;

// The Error completes the sentence `<field>: ...`. Blanks around entries do not count; an empty
// text is a list that holds no host.
Result<HostList> read_hosts(std::string_view text);

bool lists(const HostList& hosts, const Url& url);
// Whether something secret may be said there: over https as above, over plain http only if an entry
// names that scheme.
bool lists_for_secrets(const HostList& hosts, const Url& url);

}  // namespace sluice::api
