// Runs one piece of work for each number below `count`, on every core.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace sluice::testing {

inline void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next = 0;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
        threads.emplace_back([&] {
            for (std::size_t number = next++; number < count; number = next++)
                work(number);
        });
    for (std::thread& one : threads)
        one.join();
}

}  // namespace sluice::testing
