// A coordination.k8s.io/v1 Lease: who leads, and since when that was last said.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace sluice::model {

struct Lease {
    std::string uid;               // a lease that was deleted and made anew counts from zero again
    std::string resource_version;  // as sent; an update must name it
    std::string holder;            // empty: nobody
    Duration duration{15s};
    std::string renewed;  // as sent: compared for change, not read as a time
    std::int64_t transitions = 0;
    friend bool operator==(const Lease&, const Lease&) = default;
};

// Which leader wrote: the lease, and how often it had changed hands. Carried by every write.
struct Fence {
    std::string lease;
    std::int64_t transitions = 0;
    friend bool operator==(const Fence&, const Fence&) = default;
};
std::string encode(const Fence& fence);
std::optional<Fence> decode_fence(std::string_view text);
// Only a later holder of the same lease is newer; other leases cannot be compared.
bool is_newer(const Fence& fence, const Fence& than);

Result<Lease> decode_lease(const std::string& text);
// The body of a create (empty resource_version) or an update.
std::string encode_lease(const Lease& lease, const std::string& ns, const std::string& name,
                         Instant acquired, Instant renewed);

}  // namespace sluice::model
