#include "runtime/election.hpp"

namespace sluice::runtime {

std::optional<LeaseRequest> Election::poll(Instant now) {
    if (in_flight_ || now < next_try_) return std::nullopt;
    in_flight_ = true;
    sent_ = now;
    if (must_create_)
        return WriteLease{{.uid = {},
                           .resource_version = {},
                           .holder = identity_,
                           .duration = lease_duration,
                           .renewed = {},
                           .transitions = 0},
                          now};
    if (!seen_) return ReadLease{};
    if (seen_->holder != identity_ && !is_free(now)) return ReadLease{};
    model::Lease wanted = *seen_;
    const bool renewal = seen_->holder == identity_;
    wanted.holder = identity_;
    wanted.duration = lease_duration;
    if (!renewal) ++wanted.transitions;
    return WriteLease{std::move(wanted), renewal ? acquired_ : now};
}

bool Election::is_free(Instant now) const {
    return seen_ && (seen_->holder.empty() || now >= seen_changed_ + seen_->duration);
}

void Election::observe(const model::Lease& lease, Instant now) {
    if (!seen_ || *seen_ != lease) seen_changed_ = now;
    seen_ = lease;
    must_create_ = false;
}

void Election::try_later(Instant now) {
    next_try_ = now + dice_.between(retry_period, retry_period + retry_period / 5);
}

void Election::on_read(Result<model::Lease> answer, Instant now) {
    in_flight_ = false;
    if (answer) {
        observe(*answer, now);
        if (!is_free(now) && answer->holder != identity_) try_later(now);
        return;
    }
    must_create_ = answer.error().kind == ErrorKind::NotFound;
    if (!must_create_) try_later(now);
}

void Election::on_written(Result<model::Lease> answer, Instant now) {
    in_flight_ = false;
    try_later(now);
    if (!answer) {
        // Lost a race, or unknown: look before the next try.
        must_create_ = false;
        seen_.reset();
        return;
    }
    const bool was_leading = leads(now);
    observe(*answer, now);
    if (answer->holder != identity_) return;
    // Counted from before the request was sent: nobody can have seen it earlier.
    valid_until_ = sent_ + renew_deadline;
    fence_ = {answer->uid, answer->transitions};
    if (!was_leading) acquired_ = sent_;
}

std::optional<WriteLease> Election::release(Instant now) {
    if (!leads(now) || !seen_ || seen_->holder != identity_) return std::nullopt;
    model::Lease free = *seen_;
    free.holder.clear();
    free.duration = 1s;
    valid_until_ = Instant{};
    return WriteLease{std::move(free), acquired_};
}

}  // namespace sluice::runtime
