// mutation_runner NUMBERS RESULTS JOBS: judges mutants of the pure core. First every trial (a unit
// test, a scenario plain or with faults, a random world) is run as the sources are, which tells
// which mutants it reaches and how long it takes. Then each mutant of the file NUMBERS gets a
// process of its own, in which the trials that reach it run until one fails, crashes or takes far
// too long: first those that caught a neighbour, then the quickest. RESULTS receives a line for
// each: number, outcome, trial.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <ranges>

#include "sim/scenario/explore.hpp"
#include "sim/world/random_world.hpp"
#include "tests/mutation/switch.hpp"
#include "tests/scenario_files.hpp"

namespace sluice::mutation {
namespace {

// A mutant that needs so much longer than the original is caught: it hangs or thrashes.
constexpr double slower_max = 10;
constexpr double grace_seconds = 1;
constexpr rlim_t memory_max = rlim_t{4} << 30;
// One scenario in so many is also played with faults.
constexpr std::size_t disturbed_every = 24;
constexpr std::uint64_t random_worlds = 4;

// Exhaustive walks that take half of the time of all trials, while their smaller siblings say the
// same.
constexpr std::string_view too_long[] = {"DetectOrderedFrom2Pods", "OrderedFrom3Pods",
                                         "ParallelFrom3Pods"};

// So many trials that caught mutants of the same file are tried first.
constexpr std::size_t catchers_max = 12;

struct Trial {
    std::string name;
    std::function<bool()> holds;
    double seconds = 0;
    std::vector<bool> reaches{};
};

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

void add_unit_tests(std::vector<Trial>& trials) {
    const auto& all = *::testing::UnitTest::GetInstance();
    for (int i = 0; i < all.total_test_suite_count(); ++i) {
        const ::testing::TestSuite& suite = *all.GetTestSuite(i);
        for (int j = 0; j < suite.total_test_count(); ++j) {
            const std::string name = std::string{suite.name()} + "." + suite.GetTestInfo(j)->name();
            if (std::ranges::any_of(too_long, [&](auto end) { return name.ends_with(end); }))
                continue;
            trials.push_back({name, [name] {
                                  GTEST_FLAG_SET(filter, name);
                                  return RUN_ALL_TESTS() == 0;
                              }});
        }
    }
}

void add_scenarios(std::vector<Trial>& trials) {
    const std::vector<std::string> paths = testing::scenario_files();
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const sim::Scenario scenario = testing::scenario_in(paths[i]).value();
        trials.push_back(
            {paths[i], [scenario] { return sim::play(scenario, 1).problems.empty(); }});
        if (i % disturbed_every == 0)
            trials.push_back({paths[i] + " with faults", [scenario] {
                                  return sim::explore(scenario, 1, {1, 1, 1, 1}).problems.empty();
                              }});
    }
}

void add_random_worlds(std::vector<Trial>& trials) {
    for (std::uint64_t seed = 1; seed <= random_worlds; ++seed)
        trials.push_back({"random world " + std::to_string(seed),
                          [seed] { return sim::play_random_world(seed).problems.empty(); }});
}

// Every trial as the sources are; the quickest come first.
std::vector<Trial> measured() {
    std::vector<Trial> trials;
    add_unit_tests(trials);
    add_scenarios(trials);
    add_random_worlds(trials);
    for (Trial& trial : trials) {
        for (auto& one : reached)
            one = false;
        const double begun = cpu_seconds();
        if (!trial.holds()) {
            std::cerr << trial.name << " fails without any mutant\n";
            std::exit(2);
        }
        trial.seconds = cpu_seconds() - begun;
        trial.reaches.assign(reached.begin(), reached.end());
    }
    std::ranges::sort(trials, {}, &Trial::seconds);
    return trials;
}

void limit_cpu(double seconds) {
    const auto whole = static_cast<time_t>(seconds);
    const auto rest = static_cast<suseconds_t>((seconds - static_cast<double>(whole)) * 1e6);
    const itimerval timer{{0, 0}, {whole, rest}};
    setitimer(ITIMER_PROF, &timer, nullptr);
}

using Order = std::vector<std::size_t>;  // places in the list of trials

// What the child of one mutant does. `at` tells the parent which trial was the last.
[[noreturn]] void judge(int mutant, const std::vector<Trial>& trials, const Order& order, int& at) {
    const rlimit memory{memory_max, memory_max};
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &no_core);
    if (!std::freopen("/dev/null", "w", stderr) || !std::freopen("/dev/null", "w", stdout))
        _exit(2);
    chosen = mutant;
    for (const std::size_t i : order) {
        at = static_cast<int>(i);
        limit_cpu(grace_seconds + slower_max * trials[i].seconds);
        if (!trials[i].holds()) _exit(1);
    }
    _exit(0);
}

class Judges {
  public:
    Judges(const std::vector<Trial>& trials, std::vector<int> mutants, const char* results)
        : trials_(trials), mutants_(std::move(mutants)), results_(results) {
        const std::size_t bytes = mutants_.size() * sizeof(int) + 1;
        last_ = static_cast<int*>(
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    }

    void run(std::size_t jobs) {
        for (std::size_t i = 0; i < mutants_.size(); ++i) {
            if (running_.size() == jobs) await_one();
            const Order order = order_for(mutants_[i]);
            if (order.empty()) {
                results_ << mutants_[i] << "\tnever reached\t\n";
                continue;
            }
            const pid_t child = fork();
            if (child == 0) judge(mutants_[i], trials_, order, last_[i]);
            running_[child] = i;
            if (i % 100 == 99) std::cerr << i + 1 << " of " << mutants_.size() << " mutants\n";
        }
        while (!running_.empty())
            await_one();
    }

  private:
    Order order_for(int mutant) const {
        Order order;
        const auto add = [&](std::size_t trial) {
            if (trials_[trial].reaches[static_cast<std::size_t>(mutant)] &&
                std::ranges::find(order, trial) == order.end())
                order.push_back(trial);
        };
        if (const auto known = catchers_.find(mutant / 1000); known != catchers_.end())
            std::ranges::for_each(known->second, add);
        std::ranges::for_each(std::views::iota(std::size_t{0}, trials_.size()), add);
        return order;
    }

    void remember(int mutant, std::size_t trial) {
        Order& catchers = catchers_[mutant / 1000];
        std::erase(catchers, trial);
        catchers.insert(catchers.begin(), trial);
        if (catchers.size() > catchers_max) catchers.pop_back();
    }

    void await_one() {
        int status = 0;
        const pid_t child = waitpid(-1, &status, 0);
        const std::size_t i = running_.at(child);
        running_.erase(child);
        const bool survived = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        const auto last = static_cast<std::size_t>(last_[i]);
        if (!survived) remember(mutants_[i], last);
        results_ << mutants_[i] << "\t" << (survived ? "survived" : "caught") << "\t"
                 << trials_[last].name << std::endl;
    }

    const std::vector<Trial>& trials_;
    std::vector<int> mutants_;
    std::ofstream results_;
    int* last_ = nullptr;
    std::map<pid_t, std::size_t> running_;
    std::map<int, Order> catchers_;  // by file: the last that caught one of its mutants first
};

}  // namespace
}  // namespace sluice::mutation

int main(int argc, char** argv) {
    using namespace sluice::mutation;
    ::testing::InitGoogleTest(&argc, argv);
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    if (argc != 4) return 2;
    std::ifstream numbers{argv[1]};
    std::vector<int> mutants{std::istream_iterator<int>{numbers}, {}};
    const std::vector<Trial> trials = measured();
    std::cerr << trials.size() << " trials, " << cpu_seconds() << " s\n";
    Judges{trials, std::move(mutants), argv[2]}.run(std::stoul(argv[3]));
    return 0;
}
