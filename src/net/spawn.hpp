// Starts a program with its three standard streams and nothing else of ours: no other descriptor,
// no signal mask or disposition. It leads a process group of its own, to be killed as one.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "net/subprocess.hpp"

namespace sluice::net {

// A file descriptor that is closed when it goes away.
class Fd {
  public:
    explicit Fd(int fd = -1) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Fd() {
        if (fd_ >= 0) ::close(fd_);
    }
    int get() const { return fd_; }
    int release() { return std::exchange(fd_, -1); }

  private:
    int fd_;
};

struct Pipe {
    Fd read;
    Fd write;
};
std::optional<Pipe> make_pipe();  // nothing, and an errno

struct Spawned {
    pid_t pid;
    Fd exit;  // a pidfd: readable once the program has ended
    Fd out;
    Fd err;
};

// "NAME=value" lines: ours, except for those that `extra` replaces, then `extra`.
std::vector<Redacted> merge_environment(const std::vector<Variable>& extra);

// Pointers to C strings, as the kernel wants them; the strings stay where they are.
template <class Strings>
std::vector<char*> pointers_to(const Strings& strings) {
    const auto bytes_of = [](const auto& text) {
        if constexpr (requires { text.reveal(); })
            return text.reveal().data();
        else
            return text.data();
    };
    std::vector<char*> pointers;
    pointers.reserve(strings.size() + 1);
    for (const auto& text : strings)
        pointers.push_back(const_cast<char*>(bytes_of(text)));
    pointers.push_back(nullptr);
    return pointers;
}

// What is wrong with the program's words, before anything is tried.
std::optional<std::string> complaint_about(const Program& program);

// An errno otherwise; then nothing is left running.
std::expected<Spawned, int> spawn(const Program& program);

}  // namespace sluice::net
