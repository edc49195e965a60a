// A Prometheus in memory: series that somebody sets, and the part of its query language that gates
// are written in. Answers as the real one does, also to nonsense, and can be down or broken.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/inquiry/inquiry.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace sluice::sim {

class Prometheus {
  public:
    enum class Mood { Well, Down, Slow, Broken, Babbling } mood = Mood::Well;
    std::string token = {};  // the bearer token that it wants; empty: none

    // name{label="value"} is one series; setting it again changes its value.
    void set(const std::string& name, std::map<std::string, std::string> labels, double value);
    void forget(const std::string& name);

    // GET or POST of {anything}/api/v1/query, or of query_range beside it. Understands numbers,
    // vector(n), absent(selector), count(selector), and selectors with = and !=, each perhaps
    // compared with a number.
    Result<api::Answer> answer(const api::Ask& ask, Instant now) const;

  private:
    struct Series {
        std::string name;
        std::map<std::string, std::string> labels;
        double value;
    };
    std::vector<Series> series_;
    friend class Evaluation;
};

}  // namespace sluice::sim
