// Reads small local files and remembers which ones, and what they looked like, so that a later
// look can tell cheaply whether any of them changed. A file that was missing is remembered too.
// Refuses what is not a regular file: a pipe can be read once, and we read again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/redacted.hpp"
#include "base/result.hpp"

namespace sluice::kube {

// A link is followed, so a projected volume that swaps its `..data` shows a new inode.
struct FileLook {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t size = 0;
    std::int64_t modified_ns = 0;
    friend bool operator==(const FileLook&, const FileLook&) = default;
};

class FileReader {
  public:
    // The error is what is wrong, without the path: "cannot be read: No such file or directory".
    Result<Redacted> read(const std::string& path, std::size_t bytes_max);
    // Whether every file read so far looks as it did when it was read.
    bool is_unchanged() const;

  private:
    struct Seen {
        std::string path;
        std::optional<FileLook> look;  // none: not there
    };
    std::vector<Seen> seen_;
};

bool exists(const std::string& path);

}  // namespace sluice::kube
