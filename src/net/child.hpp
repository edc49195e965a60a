// A program that runs beside us as long as we do.
//
// Promises: it ends when this object goes away (killed with its process group, and reaped), and
// when our process is killed (the kernel kills it); it reads nothing, and what it prints goes to
// our stderr unless another place is named; it inherits no other descriptor, no signal mask and no
// signal disposition, and no signal of our terminal reaches it. Must be started from the main
// thread: the kernel's promise is bound to that.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "net/subprocess.hpp"

namespace sluice::net {

struct ChildProgram {
    std::vector<std::string> argv;  // argv[0] is a path, or any name where `image` is given
    std::vector<Variable> env{};    // added to our own environment; the same name wins over ours
    // Open files of the caller's, or -1.
    int image = -1;  // executed, whatever its path leads to by now; a script keeps it open as 3
    int out = -1;    // where it prints; -1: our stderr
    int err = -1;
};

class Child {
  public:
    // `ended` gets the exit code (128 + the signal's number if one ended it), once, on the loop.
    // A program that cannot be executed ends with 127.
    static Result<std::unique_ptr<Child>> start(boost::asio::io_context& loop,
                                                const ChildProgram& program,
                                                std::function<void(int exit_code)> ended);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    void terminate();  // asks it to end (SIGTERM)
    int pid() const;

  private:
    struct State;
    explicit Child(std::shared_ptr<State> state);
    std::shared_ptr<State> state_;
};

}  // namespace sluice::net
