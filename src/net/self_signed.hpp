// A certificate authority of a moment and one server certificate that it signed, made in memory.
// The authority's key is forgotten at once: nobody can sign anything else with it.
#pragma once

#include <string>

#include "base/redacted.hpp"
#include "base/result.hpp"

namespace sluice::net {

struct SelfSigned {
    std::string ca_pem;
    std::string cert_pem;
    Redacted key_pem;
};

// EC keys (P-256), valid for a year from an hour ago. `names` as OpenSSL writes subject alternative
// names: "IP:127.0.0.1,DNS:localhost".
Result<SelfSigned> make_self_signed(const std::string& common_name, const std::string& names);

}  // namespace sluice::net
