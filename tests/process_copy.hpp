// A copy of this process, which does something and hands a text back. Nothing is shared, so nothing
// can be raced for, and a crash ends the copy only.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace sluice::testing {

class ProcessCopy {
  public:
    // From here on there are two of us. Nothing may be waiting to be printed, or both print it.
    ProcessCopy() {
        std::fflush(stdout);
        int ends[2];
        if (::pipe(ends) != 0) std::abort();
        pid_ = ::fork();
        if (pid_ < 0) std::abort();
        ::close(ends[is_copy() ? 0 : 1]);
        end_ = ends[is_copy() ? 1 : 0];
    }

    bool is_copy() const { return pid_ == 0; }

    // In the copy: hands the text over. What follows is to end the process.
    void tell(std::string_view text) const {
        while (!text.empty()) {
            const ssize_t written = ::write(end_, text.data(), text.size());
            if (written <= 0) std::abort();
            text.remove_prefix(static_cast<std::size_t>(written));
        }
        ::close(end_);
    }

    struct End {
        std::string text;
        int status;  // as waitpid gives it: 0 is well
    };
    // In the other one: waits for the end of the copy.
    End end() const {
        End got{};
        std::array<char, 1u << 16> buffer;
        for (ssize_t count; (count = ::read(end_, buffer.data(), buffer.size())) > 0;)
            got.text.append(buffer.data(), static_cast<std::size_t>(count));
        ::close(end_);
        ::waitpid(pid_, &got.status, 0);
        return got;
    }

  private:
    pid_t pid_;
    int end_;  // of the pipe between the two
};

}  // namespace sluice::testing
