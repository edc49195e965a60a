#include "runtime/watch_session.hpp"

#include <algorithm>
#include <charconv>

#include "base/assert.hpp"

namespace sluice::runtime {
namespace {

constexpr BackoffRange watch_backoff{800ms, 30s};
// The safety net: events that were lost are found at the latest after this.
constexpr Duration relist_least = 10min;
constexpr Duration relist_most = 15min;
constexpr Duration watch_least = 5min;
constexpr Duration watch_most = 10min;
constexpr Duration short_watch = 5s;
// So many failures in a row, some ten seconds of them, are more than a bad moment.
constexpr int failures_max = 4;
// A server that cannot stream lists refuses the parameters with one of these.
constexpr int refusals_of_streaming[] = {400, 403, 404, 405, 422};

std::uint64_t number_of(const std::string& version) {
    std::uint64_t number = 0;
    std::from_chars(version.data(), version.data() + version.size(), number);
    return number;
}

}  // namespace

WatchSession::WatchSession(WatchScope scope, std::uint64_t seed)
    : scope_(std::move(scope)), dice_(seed), backoff_(watch_backoff) {}

std::optional<SessionRequest> WatchSession::poll(Instant now) {
    if (dormant_ || in_flight_ || now < not_before_) return std::nullopt;
    in_flight_ = true;
    started_ = now;
    switch (state_) {
        case State::ListFirst: begin_list(); return ListRequest{{}, page_size_};
        case State::ListNext: return ListRequest{next_, page_size_};
        case State::Stream:
            begin_list();
            return WatchRequest{{}, true, dice_.between(watch_least, watch_most)};
        case State::Watch: break;
    }
    return WatchRequest{version_, false, dice_.between(watch_least, watch_most)};
}

void WatchSession::begin_list() {
    left_out_ = false;
    contradiction_ = std::numeric_limits<std::uint64_t>::max();
}

std::optional<Instant> WatchSession::wake_at() const {
    if (dormant_) return std::nullopt;
    if (!in_flight_) return not_before_;
    if (state_ == State::Watch) return relist_at_;
    return std::nullopt;
}

bool WatchSession::should_cancel(Instant now) const {
    return in_flight_ && state_ == State::Watch && now >= relist_at_;
}

void WatchSession::cancelled() {
    in_flight_ = false;
    relist();
}

void WatchSession::relist() {
    state_ = streaming_works_ ? State::Stream : State::ListFirst;
}

void WatchSession::schedule(Duration delay, Instant now) {
    not_before_ = now + delay;
}

void WatchSession::completed(const std::string& version, Seen& seen, Instant now) {
    const std::uint64_t number = number_of(version);
    if (number < reached_) {
        seen.went_back = true;
        return forget(now);
    }
    reached_ = number;
    // What could not be read is missing in the list and not in the world.
    if (!left_out_) seen.complete_at = number;
    version_ = version;
    seen.is_synced = !synced_;
    state_ = State::Watch;
    synced_ = true;
    streaming_works_ = true;
    backoff_.reset();
    last_failure_.clear();
    failures_ = 0;
    forbidden_ = false;
    relist_at_ = now + dice_.between(relist_least, relist_most);
}

bool WatchSession::is_given_up() const {
    return !is_synced() && (forbidden_ || failures_ >= failures_max);
}

// The versions of a cluster grow as long as it lives; in one that was restored from a backup they
// begin again further down, and nothing that we know can be compared with what we see.
void WatchSession::forget(Instant now) {
    reached_ = 0;
    synced_ = false;
    in_flight_ = false;
    last_failure_ = "the cluster went back to an older state; it is listed anew";
    schedule(backoff_.next(dice_), now);
    relist();
}

void WatchSession::leave_out(const model::LeftOut& object, Seen& seen) {
    if (object.key.name.empty() || !scope_.is_custom())
        left_out_ = true;
    else
        seen.kept.push_back(object.key);
}

Seen WatchSession::on_page(model::ListPage page, Instant now) {
    SLUICE_ASSERT(in_flight_);
    in_flight_ = false;
    absent_ = false;  // the server serves this resource, so it is there
    Seen seen;
    seen.is_list = true;
    for (const model::LeftOut& object : page.left_out)
        leave_out(object, seen);
    for (model::Object& item : page.items)
        seen.objects.push_back({std::move(item)});
    next_ = std::move(page.next);
    if (next_.empty())
        completed(page.resource_version, seen, now);
    else
        state_ = State::ListNext;
    return seen;
}

Seen WatchSession::on_events(std::vector<model::WatchEvent> events, Instant now) {
    Seen seen;
    seen.is_list = state_ != State::Watch;
    last_failure_.clear();
    for (model::WatchEvent& event : events) {
        if (auto* changed = std::get_if<model::Changed>(&event)) {
            const std::uint64_t version = model::meta_of(changed->object).resource_version;
            // Told again, from before what we have seen: it may be gone meanwhile.
            if (state_ == State::Watch && version < reached_) continue;
            reached_ = std::max(reached_, version);
            seen.objects.push_back({std::move(changed->object)});
        } else if (auto* deleted = std::get_if<model::Deleted>(&event)) {
            reached_ = std::max(reached_, model::meta_of(deleted->object).resource_version);
            seen.objects.push_back({std::move(deleted->object), true});
        } else if (auto* bookmark = std::get_if<model::Bookmark>(&event)) {
            if (state_ != State::Watch && bookmark->initial_events_end)
                completed(bookmark->resource_version, seen, now);
            else if (state_ == State::Watch)
                on_bookmark(bookmark->resource_version, now);
        } else if (auto* left_out = std::get_if<model::LeftOut>(&event)) {
            leave_out(*left_out, seen);
        } else if (auto* failed = std::get_if<model::WatchFailed>(&event)) {
            on_failure({failed->code, Duration{0}, failed->message}, now);
        }
        if (!in_flight_) break;
        absent_ = false;
    }
    return seen;
}

void WatchSession::on_bookmark(const std::string& version, Instant now) {
    const std::uint64_t number = number_of(version);
    if (number < reached_)
        return on_failure({410, Duration{0}, "the cluster went back to an older state"}, now);
    reached_ = number;
    version_ = version;
}

void WatchSession::on_end(Instant now) {
    if (!in_flight_) return;
    in_flight_ = false;
    ++restarts_;
    // A server that ends watches as soon as they start is asked less and less often.
    const bool lasted = now - started_ >= short_watch;
    if (lasted) backoff_.reset();
    schedule(lasted ? dice_.between(50ms, 500ms) : backoff_.next(dice_), now);
    if (state_ == State::Watch) return;
    // A stream that ends before its bookmark proved nothing: the whole list again, in pages.
    streaming_works_ = false;
    relist();
}

void WatchSession::on_failure(const RequestFailure& failure, Instant now) {
    if (!in_flight_) return;
    in_flight_ = false;
    ++restarts_;
    last_failure_ = failure.message;
    const bool undefined = scope_.is_custom() && failure.status == 404;
    const bool refuses_streaming = !undefined && state_ == State::Stream &&
                                   std::ranges::count(refusals_of_streaming, failure.status) > 0 &&
                                   streaming_works_;
    ++failures_;
    forbidden_ = !refuses_streaming && (failure.status == 401 || failure.status == 403);
    schedule(std::max(backoff_.next(dice_), failure.retry_after), now);
    if (refuses_streaming) streaming_works_ = false;
    const bool is_smaller = failure.too_large && page_size_ > 1;
    if (is_smaller) page_size_ = std::max(1, page_size_ / 4);
    if (refuses_streaming || is_smaller) not_before_ = now;
    if (undefined) {
        absent_ = true;
        synced_ = false;  // once it is defined, it is to be seen anew
    } else if (failure.status == 403) {
        absent_ = false;  // it is there for all we know
    }
    const bool expired = failure.status == 410;
    if (expired || undefined || state_ != State::Watch) relist();
}

}  // namespace sluice::runtime
