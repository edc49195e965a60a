// How much of our memory the objects of each namespace take. Nobody's objects take another's share:
// who has used up his own is refused more.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace sluice::runtime {

class Budget {
  public:
    // For each namespace.
    explicit Budget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    std::size_t bytes_max() const { return bytes_max_; }
    bool has_room(std::string_view ns, std::size_t bytes) const {
        const auto found = used_.find(ns);
        return bytes <= bytes_max_ - (found == used_.end() ? 0 : found->second);
    }
    // False, and nothing is taken, if there is no room for it.
    bool take(const std::string& ns, std::size_t bytes) {
        if (!has_room(ns, bytes)) return false;
        if (bytes > 0) used_[ns] += bytes;
        return true;
    }
    void give_back(const std::string& ns, std::size_t bytes) {
        const auto found = used_.find(ns);
        if (found == used_.end()) return;
        found->second -= bytes;
        if (found->second == 0) used_.erase(found);
    }

  private:
    std::size_t bytes_max_;
    std::map<std::string, std::size_t, std::less<>> used_;
};

}  // namespace sluice::runtime
