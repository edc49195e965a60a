// What is steered, over all APIs, and which of it a person means.
#pragma once

#include <expected>
#include <map>
#include <string>
#include <vector>

#include "api/verbs.hpp"
#include "cli/verbs/server.hpp"

namespace sluice::cli {

struct Found {
    const api::Dialect* dialect;
    api::Steered steered;
};

struct View {
    std::vector<Found> found;  // by namespace, then name
    std::map<model::ObjectKey, api::Workload> workloads;
    std::vector<std::string> left_out;  // why something is missing that may be there
};

// A name as a person types it.
struct Wanted {
    const api::Dialect* dialect = nullptr;  // null: any
    std::string name;
};
// The error is a sentence about what was typed.
std::expected<Wanted, std::string> parse_name(const std::string& text);

// What the server told: the workloads, and the objects of each dialect that has objects.
struct Told {
    std::vector<boost::json::object> workloads;
    std::map<const api::Dialect*, std::vector<boost::json::object>> objects;
};
View assemble(const Told& told);

// Of a namespace; empty: of all. A kind that is not installed has no objects, and one that may not
// be listed is left out. With a dialect, only that one is asked for.
Result<View> look(Server& server, const std::string& ns, const api::Dialect* only);

// The one that is meant: of that name, or with a workload of that name. The error is a sentence.
std::expected<const Found*, std::string> choose(const View& view, const Wanted& wanted,
                                                const std::string& ns);

// Adds the earlier templates that its API keeps, if it keeps any.
Result<void> read_history(Server& server, Found& found);

// "sluice pause statefulset/web -n shop", with the flags that lead to the same cluster.
std::string command_text(const Asked& asked, const std::string& verb, const Found& found);

}  // namespace sluice::cli
