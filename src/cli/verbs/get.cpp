#include "cli/verbs/get.hpp"

#include <boost/json.hpp>

#include "cli/verbs/standing.hpp"

namespace sluice::cli {
namespace {

Cells head(const Asked& asked) {
    Cells cells;
    if (asked.all_namespaces) cells.push_back({"NAMESPACE"});
    for (const char* name : {"API", "NAME", "WORKLOAD", "PHASE", "STEP", "WAITS-FOR", "SINCE"})
        cells.push_back({name});
    if (asked.output == Output::Wide) cells.push_back({"MESSAGE"});
    return cells;
}

Cells row(const Found& found, const Asked& asked, Instant now) {
    const api::Standing standing = found.dialect->standing(found.steered);
    const bool rests = standing.mood == api::Mood::Resting;
    const model::ObjectKey& key = found.steered.object.meta.key;
    Cells cells;
    if (asked.all_namespaces) cells.push_back({safe(key.ns)});
    cells.push_back({std::string{found.dialect->api}});
    cells.push_back({safe(key.name)});
    cells.push_back({safe(standing.workload)});
    cells.push_back({safe(standing.phase), ink_of(standing.mood)});
    cells.push_back({safe(standing.step)});
    cells.push_back({rests ? "" : safe(standing.reason)});
    cells.push_back({standing.since == Instant{} ? "" : api::age_text(now - standing.since)});
    if (asked.output == Output::Wide) cells.push_back({safe(standing.message)});
    return cells;
}

}  // namespace

std::vector<Line> get_lines(const std::vector<const Found*>& found, const Asked& asked,
                            Instant now) {
    std::vector<Cells> rows{head(asked)};
    for (const Found* one : found)
        rows.push_back(row(*one, asked, now));
    return terminal::table(rows);
}

std::string get_json(const std::vector<const Found*>& found) {
    boost::json::array items;
    for (const Found* one : found)
        items.push_back(standing_json(*one));
    return pretty(boost::json::object{{"items", std::move(items)}});
}

}  // namespace sluice::cli
