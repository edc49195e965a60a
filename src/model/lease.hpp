// A coordination.k8s.io/v1 Lease: who leads, and since when that was last said.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"

namespace sluice::model {

struct Lease {
    std::string resource_version;  // as sent; an update must name it
    std::string holder;            // empty: nobody
    Duration duration{15s};
    std::string renewed;  // as sent: compared for change, not read as a time
    std::int64_t transitions = 0;
    friend bool operator==(const Lease&, const Lease&) = default;
};

Result<Lease> decode_lease(const std::string& text);
// The body of a create (empty resource_version) or an update.
std::string encode_lease(const Lease& lease, const std::string& ns, const std::string& name,
                         Instant acquired, Instant renewed);

}  // namespace sluice::model
