// The example plugins, which the Python test that starts this program has built, and their
// processes.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace sluice::probe::testing {

inline std::string program(const char* variable) {
    const char* path = ::getenv(variable);
    EXPECT_NE(path, nullptr) << variable << " is not set: run tests/cluster/test_plugins.py";
    return path == nullptr ? "" : path;
}

// The kernel's letter; empty once there is no such process.
inline std::string state_in(const std::filesystem::path& folder) {
    std::ifstream stat(folder / "stat");
    std::string line;
    return std::getline(stat, line) ? line.substr(line.rfind(')') + 2, 1) : "";
}

// A process that has ended but was not reaped, which is its new parent's business, is gone too.
inline bool is_gone(int pid) {
    const std::string state = state_in("/proc/" + std::to_string(pid));
    return state.empty() || state == "Z";
}

// Returns when none of its threads runs any more.
inline void stop(int pid) {
    ASSERT_GT(pid, 0);
    ::kill(pid, SIGSTOP);
    const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
    for (bool runs = true; runs;) {
        runs = false;
        for (const auto& task : std::filesystem::directory_iterator(tasks))
            runs = runs || state_in(task) != "T";
    }
}

}  // namespace sluice::probe::testing
