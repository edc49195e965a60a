// Runs a program beside the event loop: a kubeconfig's exec plugin.
//
// Promises: exactly one call of `done`, on the loop, never from inside run_program(); the program
// and all it started are killed when the deadline passes or the output grows past its bound, and
// the program is reaped; it inherits no descriptor but stdin, stdout and stderr, and no signal
// handler is installed. What it printed before it exited is complete, even if a process that it
// left behind keeps the pipe open. Refuses: an empty argv, NUL bytes in argv or environment.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/redacted.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace sluice::net {

struct Variable {
    std::string name;
    Redacted value;
};

struct Program {
    std::vector<std::string> argv{};  // argv[0] is looked up in PATH unless it contains a slash
    std::vector<Variable> env{};      // added to our own environment; the same name wins over ours
    std::string input{};              // what it reads on stdin
    Duration deadline = 60s;
    std::size_t output_max = 1 << 20;  // for stdout and for stderr
};

struct ProgramOutput {
    int exit_code = 0;  // 128 + the signal's number if one ended it, as shells say
    std::string out;
    std::string err;
};

// Unreadable: it could not be started; Timeout; TooLarge; Invalid. Any exit code is a
// ProgramOutput.
void run_program(boost::asio::io_context& loop, const Program& program,
                 std::function<void(Result<ProgramOutput>)> done);

}  // namespace sluice::net
