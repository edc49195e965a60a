// Which events were told lately: the same words about the same object are told once in a while, not
// each time. Bounded: the oldest are forgotten.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>

#include "base/hash.hpp"
#include "base/time.hpp"

namespace sluice::runtime {

class EventMemory {
  public:
    // True if this is news; it is remembered then, by its hash.
    bool is_news(std::string_view words, Instant now) {
        const std::uint64_t hash = fnv1a(words);
        const auto known = told_.find(hash);
        if (known != told_.end() && now - known->second < repeat_after) return false;
        if (known == told_.end()) order_.push_back(hash);
        told_[hash] = now;
        if (order_.size() > entries_max) {
            told_.erase(order_.front());
            order_.pop_front();
        }
        return true;
    }

  private:
    static constexpr Duration repeat_after = 30min;
    static constexpr std::size_t entries_max = 2048;
    std::unordered_map<std::uint64_t, Instant> told_;
    std::deque<std::uint64_t> order_;
};

}  // namespace sluice::runtime
