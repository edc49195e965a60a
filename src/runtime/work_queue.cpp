#include "runtime/work_queue.hpp"

#include <algorithm>

namespace sluice::runtime {
namespace {

constexpr BackoffRange key_backoff{500ms, 60s};

}  // namespace

void WorkQueue::add(const model::Ref& key, Instant now) {
    if (busy_.contains(key)) {
        again_.insert(key);
        return;
    }
    const auto punished = not_before_.find(key);
    if (punished != not_before_.end() && now < punished->second)
        return add_at(key, punished->second);
    if (!ready_.emplace(key, now).second) return;
    auto& lane = lanes_[key.ns];
    if (lane.empty()) turns_.push_back(key.ns);
    lane.push_back(key);
}

void WorkQueue::add_at(const model::Ref& key, Instant at) {
    const auto known = delayed_.find(key);
    if (known != delayed_.end()) {
        if (known->second <= at) return;
        due_.erase({known->second, key});
    }
    delayed_[key] = at;
    due_.emplace(at, key);
}

void WorkQueue::promote(Instant now) {
    while (!due_.empty() && due_.begin()->first <= now) {
        const model::Ref key = due_.begin()->second;
        due_.erase(due_.begin());
        delayed_.erase(key);
        add(key, now);
    }
}

std::optional<model::Ref> WorkQueue::take(Instant now) {
    promote(now);
    if (turns_.empty()) return std::nullopt;
    const std::string ns = turns_.front();
    turns_.pop_front();
    auto& lane = lanes_[ns];
    model::Ref key = std::move(lane.front());
    lane.pop_front();
    if (lane.empty())
        lanes_.erase(ns);
    else
        turns_.push_back(ns);
    ready_.erase(key);
    busy_.insert(key);
    return key;
}

void WorkQueue::done(const model::Ref& key, Instant now) {
    busy_.erase(key);
    if (again_.erase(key)) add(key, now);
}

void WorkQueue::failed(const model::Ref& key, Instant now, Duration at_least) {
    busy_.erase(key);
    again_.erase(key);  // the retry will see the newer state too
    Backoff& backoff = backoffs_.try_emplace(key, key_backoff).first->second;
    const Instant again = now + std::max(backoff.next(dice_), at_least);
    not_before_[key] = again;
    add_at(key, again);
}

void WorkQueue::succeeded(const model::Ref& key) {
    backoffs_.erase(key);
    not_before_.erase(key);
}

void WorkQueue::forget(const model::Ref& key) {
    succeeded(key);
    again_.erase(key);
    const auto known = delayed_.find(key);
    if (known == delayed_.end()) return;
    due_.erase({known->second, key});
    delayed_.erase(known);
}

std::optional<Instant> WorkQueue::next_due() const {
    if (due_.empty()) return std::nullopt;
    return due_.begin()->first;
}

Duration WorkQueue::oldest_age(Instant now) const {
    Instant oldest = now;
    for (const auto& [key, since] : ready_)
        oldest = std::min(oldest, since);
    return now - oldest;
}

}  // namespace sluice::runtime
