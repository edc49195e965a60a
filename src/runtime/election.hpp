// Who of several operators acts. A Lease in the API; the holder renews it, the others wait until it
// has not changed for its whole duration by their own clock (the times written in it are never
// compared with ours). A state machine without I/O.
//
// Promises: leads() turns false on our own clock a third before anybody else may take over, even if
// nothing was heard; each change of holder counts `transitions` up, and that number is the fence
// that every write carries. The fence, not the clock, is what keeps two writers apart.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "base/dice.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "model/lease.hpp"

namespace sluice::runtime {

struct ReadLease {};
struct WriteLease {
    model::Lease lease;  // an empty resource_version: create it
    Instant acquired;
};
using LeaseRequest = std::variant<ReadLease, WriteLease>;

class Election {
  public:
    static constexpr Duration lease_duration = 15s;
    static constexpr Duration renew_deadline = 10s;
    static constexpr Duration retry_period = 2s;

    Election(std::string identity, std::uint64_t seed)
        : identity_(std::move(identity)), dice_(seed) {}

    std::optional<LeaseRequest> poll(Instant now);
    Instant wake_at() const { return next_try_; }

    void on_read(Result<model::Lease> answer, Instant now);
    void on_written(Result<model::Lease> answer, Instant now);

    bool leads(Instant now) const { return now < valid_until_; }
    // For how long nobody else can lead, by our own clock; nothing: we do not lead ourselves.
    std::optional<Duration> lead_left(Instant now) const {
        if (!leads(now)) return std::nullopt;
        return valid_until_ + (lease_duration - renew_deadline) - now;
    }
    const model::Fence& fence() const { return fence_; }
    // A request is under way, whose answer will come.
    bool is_busy() const { return in_flight_; }
    // The request that gives the lease away at once, for a clean shutdown; nothing if not ours.
    std::optional<WriteLease> release(Instant now);

  private:
    void observe(const model::Lease& lease, Instant now);
    bool is_free(Instant now) const;
    void try_later(Instant now);

    std::string identity_;
    Dice dice_;
    std::optional<model::Lease> seen_;
    Instant seen_changed_;  // by our clock
    bool in_flight_ = false;
    bool must_create_ = false;
    Instant sent_;
    Instant acquired_;
    Instant next_try_;  // not later than the last request, unless that is to be waited for
    Instant valid_until_;
    model::Fence fence_;
};

}  // namespace sluice::runtime
