// Which events were told lately: the same words about the same object are told once in a while, not
// each time. Bounded: the oldest are forgotten.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>

#include "base/time.hpp"

namespace sluice::runtime {

class EventMemory {
  public:
    // True if this is news; it is remembered then.
    bool is_news(const std::string& words, Instant now) {
        const auto known = told_.find(words);
        if (known != told_.end() && now - known->second < repeat_after) return false;
        if (known == told_.end()) order_.push_back(words);
        told_[words] = now;
        if (order_.size() > entries_max) {
            told_.erase(order_.front());
            order_.pop_front();
        }
        return true;
    }

  private:
    static constexpr Duration repeat_after = 30min;
    static constexpr std::size_t entries_max = 2048;
    std::unordered_map<std::string, Instant> told_;
    std::deque<std::string> order_;
};

}  // namespace sluice::runtime
