#include "split.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

std::expected<Split, std::string> read_split(const std::string& path) {
    std::ifstream file(path);
    if (!file) return std::unexpected("there is no readable file " + path);
    Split split;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string word;
        if (!(words >> word) || word.starts_with('#')) continue;
        Canary canary;
        const bool is_stable = word == "stable" && words >> split.stable;
        const bool is_canary = word == "canary" && words >> canary.version >> canary.percent &&
                               canary.percent >= 0 && canary.percent <= 100;
        if (!is_stable && !is_canary) return std::unexpected(path + " has a line I cannot read");
        if (is_canary) split.canary = canary;
    }
    if (split.stable.empty()) return std::unexpected(path + " names no stable version");
    return split;
}

std::expected<void, std::string> write_split(const std::string& path, const Split& split) {
    if (const auto now = read_split(path); now && *now == split) return {};
    const std::string next = path + ".next";
    {
        std::ofstream file(next, std::ios::trunc);
        file << "stable " << split.stable << "\n";
        if (split.canary) {
            file << "canary " << split.canary->version << " " << split.canary->percent << "\n";
        }
        if (!file.flush()) return std::unexpected("cannot write " + next);
    }
    std::error_code failed;
    std::filesystem::rename(next, path, failed);
    if (failed) return std::unexpected("cannot replace " + path + ": " + failed.message());
    return {};
}

std::chrono::milliseconds age_of(const std::string& path) {
    std::error_code failed;
    const auto changed = std::filesystem::last_write_time(path, failed);
    if (failed) return {};
    const auto age = std::filesystem::file_time_type::clock::now() - changed;
    return std::chrono::duration_cast<std::chrono::milliseconds>(age);
}
