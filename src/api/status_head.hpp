// What stands at the head of every status of ours.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.hpp"

namespace sluice::api {

struct StatusHead {
    std::string phase = {};
    std::string reason = {};
    std::string message = {};
    std::string unblock = {};
    Instant since = {};
    std::int64_t observed_generation = 0;
    std::string guarantee = {};
    friend bool operator==(const StatusHead&, const StatusHead&) = default;
};

}  // namespace sluice::api
