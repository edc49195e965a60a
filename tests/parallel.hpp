// Does one piece of work for each number below `count`, on every core, and says how far it is: a
// line for every twentieth of it. In processes and not in threads: nothing is shared, so nothing
// can be raced for, and a crash ends one of them only.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
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
#include <string_view>
#include <vector>

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
        std::fflush(stdout);  // or every process would print what is waiting to be printed
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
            const std::string text = all_of(running_[i].results);
            for (std::size_t from = 0, end; from < text.size(); from = end + 1) {
                end = text.find('\0', from);
                all.push_back(text.substr(from, end - from));
            }
            int status = 0;
            ::waitpid(running_[i].pid, &status, 0);
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
    struct Running {
        pid_t pid;
        int results;
    };

    void start(std::size_t place, const Work& work) {
        int ends[2];
        if (::pipe(ends) != 0) std::abort();
        const pid_t pid = ::fork();
        if (pid < 0) std::abort();
        if (pid == 0) {
            ::close(ends[0]);
            tell(ends[1], share(place, work));
            std::exit(0);  // where sanitizers look for what was lost
        }
        ::close(ends[1]);
        running_.push_back({pid, ends[0]});
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

    static void tell(int to, std::string_view text) {
        while (!text.empty()) {
            const ssize_t written = ::write(to, text.data(), text.size());
            if (written <= 0) std::abort();
            text.remove_prefix(static_cast<std::size_t>(written));
        }
    }

    static std::string all_of(int from) {
        std::string text;
        std::array<char, 1u << 16> buffer;
        for (ssize_t got; (got = ::read(from, buffer.data(), buffer.size())) > 0;)
            text.append(buffer.data(), static_cast<std::size_t>(got));
        ::close(from);
        return text;
    }

    const char* what_;
    std::size_t count_;
    Shared* shared_;
    std::vector<Running> running_;
};

inline std::vector<std::string> in_parallel(const char* what, std::size_t count,
                                            const Workers::Work& work) {
    std::vector<std::string> all = Workers{what, count, work}.results();
    EXPECT_EQ(all.size(), count) << "not all " << what << " were played";
    return all;
}

}  // namespace sluice::testing
