// `sluice explain`: what is being rolled out, how far it is, why it waits, since when, and what to
// type. A value in, lines of text out.
#pragma once

#include <string>
#include <vector>

#include "cli/verbs/standing.hpp"

namespace sluice::cli {

// Something to type, and what it does.
struct Hint {
    std::string command;
    std::string what;
};

struct Explanation {
    Found found;
    api::Standing standing;
    std::vector<api::PodView> pods;      // in the order in which they are updated: highest first
    std::vector<api::EventView> events;  // oldest first
    std::vector<Hint> hints;             // the verbs that make sense now
    std::vector<std::string> missing;    // what could not be read, and why
};

// What the server tells about it; what may not be read is missing, and the rest is told.
Explanation gather(Server& server, const Asked& asked, Found found, Instant now);

std::vector<Line> explain_lines(const Explanation& all, const Style& style, Instant now);
std::string explain_json(const Explanation& all, Instant now);

}  // namespace sluice::cli
