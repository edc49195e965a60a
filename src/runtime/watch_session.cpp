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
    if (in_flight_ || now < not_before_) return std::nullopt;
    in_flight_ = true;
    started_ = now;
    switch (state_) {
        case State::ListFirst:
            ++epoch_;
            left_out_ = false;
            return ListRequest{};
        case State::ListNext: return ListRequest{.next = next_};
        case State::Stream:
            ++epoch_;
            left_out_ = false;
            return WatchRequest{{}, true, dice_.between(watch_least, watch_most)};
        case State::Watch: break;
    }
    return WatchRequest{version_, false, dice_.between(watch_least, watch_most)};
}

std::optional<Instant> WatchSession::wake_at() const {
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
    // What could not be read is missing in the list and not in the world.
    if (!left_out_) seen.complete_at = number_of(version);
    version_ = version;
    state_ = State::Watch;
    synced_ = true;
    streaming_works_ = true;
    backoff_.reset();
    last_failure_.clear();
    relist_at_ = now + dice_.between(relist_least, relist_most);
}

// The server serves this resource, so it is there.
void WatchSession::answered(bool left_out) {
    absent_ = false;
    left_out_ = left_out_ || left_out;
}

Seen WatchSession::on_page(model::ListPage page, Instant now) {
    SLUICE_ASSERT(in_flight_);
    in_flight_ = false;
    answered(!page.left_out.empty());
    Seen seen;
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
    last_failure_.clear();
    for (model::WatchEvent& event : events) {
        if (auto* changed = std::get_if<model::Changed>(&event)) {
            seen.objects.push_back({std::move(changed->object)});
        } else if (auto* deleted = std::get_if<model::Deleted>(&event)) {
            seen.objects.push_back({std::move(deleted->object), true});
        } else if (auto* bookmark = std::get_if<model::Bookmark>(&event)) {
            if (state_ == State::Watch)
                version_ = bookmark->resource_version;
            else if (bookmark->initial_events_end)
                completed(bookmark->resource_version, seen, now);
        } else if (auto* failed = std::get_if<model::WatchFailed>(&event)) {
            on_failure({failed->code, Duration{0}, failed->message}, now);
            break;
        }
        answered(std::holds_alternative<model::LeftOut>(event));
    }
    return seen;
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
    const bool undefined = scope_.kind == model::Kind::Custom && failure.status == 404;
    const bool refuses_streaming = !undefined && state_ == State::Stream &&
                                   std::ranges::count(refusals_of_streaming, failure.status) > 0 &&
                                   streaming_works_;
    schedule(std::max(backoff_.next(dice_), failure.retry_after), now);
    if (refuses_streaming) {
        streaming_works_ = false;
        not_before_ = now;
    }
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
