// The verbs of a rollout on the command line: get, explain, promote, pause, resume, abort, retry.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "cli/verbs/server.hpp"

namespace sluice::cli {

class VerbCommands {
  public:
    // `program` is how the command was called, for the commands that are printed.
    VerbCommands(CLI::App& app, std::string program);
    VerbCommands(const VerbCommands&) = delete;
    VerbCommands& operator=(const VerbCommands&) = delete;

    // Was one of them typed?
    bool is_parsed() const;
    // Its exit code: 0, or 1 with a sentence on the error output, or 2 if the words were wrong.
    int run();

  private:
    CLI::App* add(CLI::App& app, const char* word, const char* help, bool needs_name);
    void add_output(CLI::App& command, const std::vector<std::string>& names);

    Asked asked_;
    std::string output_;
    bool full_ = false;
    CLI::App* get_;
    CLI::App* explain_;
    std::vector<CLI::App*> changes_;  // one for each verb that changes something
};

// "kubectl sluice" where the program is called kubectl-sluice.
std::string program_name(const std::string& called);

}  // namespace sluice::cli
