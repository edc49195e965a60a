// A golden file lies in the repository and says what the code says. Tests run in its root.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace sluice::golden {

inline std::string content_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream{path}.rdbuf();
    return text.str();
}

inline void expect_golden(const std::string& path, const std::string& text) {
    const char* update = std::getenv("SLUICE_UPDATE_GOLDEN");
    if (update && std::string{update} == "1") std::ofstream{path} << text;
    EXPECT_EQ(content_of(path), text)
        << "run again with SLUICE_UPDATE_GOLDEN=1 to rewrite " << path;
}

}  // namespace sluice::golden
