// A timeline that a Kubernetes user can read: what is given, what happens when, what must be seen,
// and how it ends. docs/simulation.md has the words.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"

namespace sluice::sim {

struct Statement {
    int line = 0;
    std::vector<std::string> words;
    std::string text() const;
};

struct Block {
    enum class Kind { Given, At, After, ExpectWithin, ExpectFor, Finally } kind = Kind::Given;
    Duration time{0};
    int line = 0;
    std::vector<Statement> statements;
};

struct Scenario {
    std::string name;   // of the file
    std::string title;  // its first comment
    std::vector<Block> blocks;
};

// Names the line that cannot be read, and why.
Result<Scenario> parse_scenario(const std::string& name, const std::string& text);

}  // namespace sluice::sim
