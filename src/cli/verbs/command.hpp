// The verbs of a rollout on the command line: get, explain, promote, pause, resume, abort, retry.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace sluice::cli {

class VerbCommands {
  public:
    // `program` is how the command was called, for the commands that are printed.
    VerbCommands(CLI::App& app, std::string program);
    ~VerbCommands();
    VerbCommands(const VerbCommands&) = delete;
    VerbCommands& operator=(const VerbCommands&) = delete;

    // Was one of them typed?
    bool is_parsed() const;
    // Its exit code: 0, or 1 with a sentence on the error output, or 2 if the words were wrong.
    int run();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// "kubectl sluice" where the program is called kubectl-sluice.
std::string program_name(const std::string& called);

}  // namespace sluice::cli
