// What is said of an object in a word, and since when: a condition as Kubernetes has it.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.hpp"

namespace sluice::api {

struct Condition {
    std::string type;
    std::string status;  // True, False, Unknown
    std::string reason;
    std::string message;
    std::int64_t observed_generation = 0;
    Instant since;
    friend bool operator==(const Condition&, const Condition&) = default;
};

}  // namespace sluice::api
