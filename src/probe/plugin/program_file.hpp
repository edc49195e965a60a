// The file of a plugin's program: opened once, judged and hashed through that one descriptor, and
// executed through it, so that what was hashed is what runs.
//
// Refuses: a path that leaves its folder, by ".." or by a link; what is no regular file; a file
// that everybody may write, that nobody may execute, that would run as somebody else, or whose
// digest is not the one that was declared.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "api/inquiry/plugin_call.hpp"
#include "base/result.hpp"
#include "net/spawn.hpp"

namespace sluice::probe {

// The Errors complete the sentence `<subject> ...`.
class ProgramFile {
  public:
    static Result<ProgramFile> open(const api::PluginProgram& program);

    // Reads on, a few milliseconds' worth, so that a large file holds up nobody. Nothing: call it
    // again; then whether the file may be started.
    std::optional<Result<void>> check_some();

    int fd() const { return fd_.get(); }

  private:
    struct FreeDigest {
        void operator()(void* context) const;
    };
    // What changes when somebody writes into the file.
    struct Look {
        std::int64_t size = 0;
        std::int64_t modified_ns = 0;
        std::int64_t changed_ns = 0;
        friend bool operator==(const Look&, const Look&) = default;
    };

    ProgramFile(net::Fd fd, std::string sha256, Look look);
    static std::optional<Look> look_at(int fd);

    net::Fd fd_;
    std::string sha256_;
    Look look_;
    std::int64_t offset_ = 0;
    std::unique_ptr<void, FreeDigest> digest_;
};

}  // namespace sluice::probe
