// A traffic split, in a small file that a proxy reads:
//
//   stable v1
//   canary v2 20
//
// Without the second line all traffic goes to the stable version. A file appears in one rename, so
// that the proxy never reads half of one, and is not touched when nothing changes.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>

struct Canary {
    std::string version;
    int percent = 0;
    friend bool operator==(const Canary&, const Canary&) = default;
};

struct Split {
    std::string stable;
    std::optional<Canary> canary;
    friend bool operator==(const Split&, const Split&) = default;
};

// The text of an error is a sentence for people.
std::expected<Split, std::string> read_split(const std::string& path);
std::expected<void, std::string> write_split(const std::string& path, const Split& split);

// How long ago the file was changed.
std::chrono::milliseconds age_of(const std::string& path);
