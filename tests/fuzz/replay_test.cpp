#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/targets.hpp"

namespace sluice::fuzz {
namespace {

std::string content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(FuzzCorpus, breaks_no_promise) {
    for (const Target& target : targets) {
        std::size_t count = 0;
        const auto folder = std::filesystem::path("tests/fuzz/corpus") / target.name;
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            SCOPED_TRACE(entry.path().string());
            target.run(content(entry.path()));
            ++count;
        }
        EXPECT_GT(count, 0u) << target.name;
    }
}

}  // namespace
}  // namespace sluice::fuzz
