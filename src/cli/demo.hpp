// `sluice demo`: plays a story on the embedded cluster, live in the terminal, or as plain lines
// where there is none. Touches nothing outside of its own process.
#pragma once

#include <cstdint>
#include <string>

#include "sim/demo/story.hpp"

namespace sluice::cli {

struct DemoOptions {
    std::string api{sim::demo::stories().front().api};
    double speed = 3;  // simulated seconds in a second
    bool fail = false;
    bool plain = false;
    std::uint64_t seed = 1;
    std::string program = "sluice";  // how it was called, for what to try next
};

// 0 if the story ended well, 1 if not, 130 if a person stopped it.
int run_demo(const DemoOptions& options);

}  // namespace sluice::cli
