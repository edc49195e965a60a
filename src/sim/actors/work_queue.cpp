#include "sim/actors/controller.hpp"

#include <algorithm>

namespace sluice::sim {
namespace {

// What client-go's work queue does: 5 ms, doubled with every failure, at most 1000 s.
Duration pause_after(int failures) {
    return std::min<Duration>(5ms * (std::int64_t{1} << std::min(failures - 1, 20)), 1000s);
}

}  // namespace

void WorkQueue::add(const Key& key) {
    if (!waiting_.insert(key).second) return;
    schedule(key, at_.dice.between(least_, most_));
}

void WorkQueue::schedule(const Key& key, Duration delay) {
    at_.timeline.after(delay, [this, key] { take(key); });
}

void WorkQueue::add_at(const Key& key, Instant when) {
    const auto [known, is_new] = later_.try_emplace(key, when);
    if (!is_new && known->second <= when) return;
    known->second = when;
    at_.timeline.at(when, [this, key, when] {
        const auto found = later_.find(key);
        if (found == later_.end() || found->second != when) return;
        later_.erase(found);
        add(key);
    });
}

void WorkQueue::hold(bool held) {
    is_held_ = held;
    if (held) return;
    for (const Key& key : std::exchange(missed_, {}))
        add(key);
}

void WorkQueue::take(const Key& key) {
    waiting_.erase(key);
    if (is_held_) {
        missed_.insert(key);
        return;
    }
    if (reconcile_(key)) {
        failures_.erase(key);
        return;
    }
    const int count = ++failures_[key];
    if (waiting_.insert(key).second) schedule(key, pause_after(count));
}

}  // namespace sluice::sim
