// Does one piece of work for each number below `count`, on every core, and says how far it is: a
// line for every twentieth of it. In copies of this process, not in threads.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "tests/process_copy.hpp"

namespace sluice::testing {

class Workers {
  public:
    // From a number to what came of it, as a text without a NUL.
    using Work = std::function<std::string(std::size_t)>;

    Workers(const char* what, std::size_t count, const Work& work) : what_(what), count_(count) {
        void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) std::abort();
        shared_ = new (memory) Shared;
        const auto cores = static_cast<std::size_t>(std::max(1l, ::sysconf(_SC_NPROCESSORS_ONLN)));
        for (std::size_t i = 0; i < std::min(cores, cores_max); ++i)
            start(i, work);
    }
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    // What came of all numbers, in no order. A process that ends badly is a failure of the test.
    std::vector<std::string> results() {
        std::vector<std::string> all;
        for (std::size_t i = 0; i < running_.size(); ++i) {
            const auto [text, status] = running_[i].end();
            for (std::size_t from = 0, end; from < text.size(); from = end + 1) {
                end = text.find('\0', from);
                all.push_back(text.substr(from, end - from));
            }
            EXPECT_EQ(status, 0) << "ended at number " << shared_->at[i] << " of the " << what_;
        }
        ::munmap(shared_, sizeof *shared_);
        return all;
    }

  private:
    static constexpr std::size_t cores_max = 64;
    struct Shared {
        std::atomic<std::size_t> next = 0;
        std::atomic<std::size_t> done = 0;
        std::array<std::size_t, cores_max> at = {};  // where each of them is
    };

    void start(std::size_t place, const Work& work) {
        const ProcessCopy copy;
        if (copy.is_copy()) {
            copy.tell(share(place, work));
            std::exit(0);  // where sanitizers look for what was lost
        }
        running_.push_back(copy);
    }

    std::string share(std::size_t place, const Work& work) {
        const std::size_t every = std::max<std::size_t>(1, count_ / 20);
        std::string results;
        while (true) {
            const std::size_t number = shared_->next++;
            if (number >= count_) return results;
            shared_->at[place] = number;
            results += work(number) + '\0';
            const std::size_t done = ++shared_->done;
            if (done % every == 0) std::printf("played %zu of %zu %s\n", done, count_, what_);
            std::fflush(stdout);
        }
    }

    const char* what_;
    std::size_t count_;
    Shared* shared_;
    std::vector<ProcessCopy> running_;
};

inline std::vector<std::string> in_parallel(const char* what, std::size_t count,
                                            const Workers::Work& work) {
    std::vector<std::string> all = Workers{what, count, work}.results();
    EXPECT_EQ(all.size(), count) << "not all " << what << " were played";
    return all;
}

}  // namespace sluice::testing
