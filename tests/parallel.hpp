// Runs one piece of work for each number below `count`, on every core, and says how far it is: a
// line for every twentieth of it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

namespace sluice::testing {

inline void in_parallel(const char* what, std::size_t count,
                        const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next = 0;
    std::atomic<std::size_t> done = 0;
    const std::size_t every = std::max<std::size_t>(1, count / 20);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
        threads.emplace_back([&] {
            for (std::size_t number = next++; number < count; number = next++) {
                work(number);
                if (++done % every == 0)
                    std::printf("played %zu of %zu %s\n", done.load(), count, what);
                std::fflush(stdout);
            }
        });
    for (std::thread& one : threads)
        one.join();
}

}  // namespace sluice::testing
