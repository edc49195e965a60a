// What goes to an API server and what comes back: whoever carries it there, a client on the network
// or the simulator, sees nothing else.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "controller/input.hpp"

namespace sluice::wire {

struct Request {
    std::string method = "GET";
    std::string path{};          // "/apis/apps/v1/namespaces/x/statefulsets/y?..." encoded
    std::string content_type{};  // with a body
    std::string_view accept = "application/json";
    std::string body{};
    Duration deadline = 15s;
    std::size_t body_max = 16u << 20;  // of the answer
};

// The body of a success; otherwise what the server said, or that nobody answered.
using Answer = controller::Answer<std::string>;

}  // namespace sluice::wire
