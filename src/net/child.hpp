// A program that runs beside us as long as we do.
//
// Promises: it ends when this object goes away (killed and reaped), and when our process is killed
// (the kernel kills it); it reads nothing, and what it prints goes to our stderr; it inherits no
// other descriptor, no signal mask and no signal disposition, and no signal of our terminal reaches
// it. Must be started from the main thread: the kernel's promise is bound to that.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace sluice::net {

class Child {
  public:
    // `ended` gets the exit code (128 + the signal's number if one ended it), once, on the loop.
    // argv[0] is a path. A program that cannot be executed ends with 127.
    static Result<std::unique_ptr<Child>> start(boost::asio::io_context& loop,
                                                const std::vector<std::string>& argv,
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
