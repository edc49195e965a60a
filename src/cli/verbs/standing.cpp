#include "cli/verbs/standing.hpp"

#include <boost/json.hpp>

#include "api/json_parts.hpp"
#include "base/printable.hpp"

namespace sluice::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t text_max = 4096;
// A message of ours has at most 1024 bytes.
constexpr std::size_t text_bytes_max = 2048;

void print(const json::value& value, const std::string& indent, std::string& out);

template <class Range, class Each>
void print_all(const Range& range, const char* brackets, const std::string& indent,
               std::string& out, Each each) {
    if (range.empty()) {
        out += brackets;
        return;
    }
    out += brackets[0];
    const char* joint = "\n";
    for (const auto& one : range) {
        out += joint + indent + "  ";
        each(one, indent + "  ");
        joint = ",\n";
    }
    out += "\n" + indent + brackets[1];
}

void print(const json::value& value, const std::string& indent, std::string& out) {
    if (const json::object* object = value.if_object())
        return print_all(*object, "{}", indent, out, [&](const auto& field, const auto& inner) {
            out += json::serialize(json::string(field.key())) + ": ";
            print(field.value(), inner, out);
        });
    if (const json::array* array = value.if_array())
        return print_all(*array, "[]", indent, out,
                         [&](const auto& entry, const auto& inner) { print(entry, inner, out); });
    out += json::serialize(value);
}

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

std::string safe(std::string_view text) {
    return printable(text, text_bytes_max);
}

Ink ink_of(api::Mood mood) {
    constexpr Ink inks[] = {Ink::Good, Ink::Accent, Ink::Warn};  // in the order of Mood
    return inks[static_cast<std::size_t>(mood)];
}

json::object standing_json(const Found& found) {
    const api::Standing standing = found.dialect->standing(found.steered);
    const model::ObjectKey& key = found.steered.object.meta.key;
    return api::JsonWriter{}
        .field("namespace", key.ns, text_max)
        .field("api", found.dialect->api, text_max)
        .field("name", key.name, text_max)
        .field("workload", standing.workload, text_max)
        .field("phase", standing.phase, text_max)
        .field("step", standing.step, text_max)
        .field("reason", standing.reason, text_max)
        .field("message", standing.message, text_max)
        .field("unblock", standing.unblock, text_max)
        .field("since", standing.since)
        .part("pending", standing.mood != api::Mood::Resting)
        .take();
}

std::string pretty(const json::value& value) {
    std::string out;
    print(value, "", out);
    return out + "\n";
}

std::vector<Line> get_lines(const std::vector<const Found*>& found, const Asked& asked,
                            Instant now) {
    std::vector<Cells> rows{head(asked)};
    for (const Found* one : found)
        rows.push_back(row(*one, asked, now));
    return terminal::table(rows);
}

std::string get_json(const std::vector<const Found*>& found) {
    json::array items;
    for (const Found* one : found)
        items.push_back(standing_json(*one));
    return pretty(json::object{{"items", std::move(items)}});
}

}  // namespace sluice::cli
