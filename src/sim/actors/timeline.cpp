#include <algorithm>

#include "sim/actors/cluster.hpp"

namespace sluice::sim {

void Timeline::at(Instant when, std::function<void()> what) {
    entries_.emplace(std::pair{std::max(when, now_), count_++}, std::move(what));
}

std::optional<Instant> Timeline::next() const {
    if (entries_.empty()) return std::nullopt;
    return entries_.begin()->first.first;
}

bool Timeline::run_next(Instant end) {
    if (entries_.empty() || entries_.begin()->first.first > end) return false;
    auto entry = entries_.extract(entries_.begin());
    now_ = std::max(now_, entry.key().first);
    entry.mapped()();
    return true;
}

void Timeline::run_until(Instant end) {
    while (run_next(end)) {
    }
    now_ = std::max(now_, end);
}

}  // namespace sluice::sim
