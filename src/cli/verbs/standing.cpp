#include "cli/verbs/standing.hpp"

#include <boost/json.hpp>

#include "api/json_parts.hpp"

namespace sluice::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t text_max = 4096;

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

}  // namespace

Ink ink_of(api::Mood mood) {
    constexpr Ink inks[] = {Ink::Good, Ink::Accent, Ink::Warn};  // in the order of Mood
    return inks[static_cast<std::size_t>(mood)];
}

json::object standing_json(const Found& found) {
    const api::Standing standing = found.dialect->standing(found.steered);
    const model::ObjectKey& key = found.steered.object.meta.key;
    return api::JsonWriter{}
        .text("namespace", key.ns, text_max)
        .text("api", found.dialect->api, text_max)
        .text("name", key.name, text_max)
        .text("workload", standing.workload, text_max)
        .text("phase", standing.phase, text_max)
        .text("step", standing.step, text_max)
        .text("reason", standing.reason, text_max)
        .text("message", standing.message, text_max)
        .text("unblock", standing.unblock, text_max)
        .time("since", standing.since)
        .part("pending", standing.mood != api::Mood::Resting)
        .take();
}

std::string pretty(const json::value& value) {
    std::string out;
    print(value, "", out);
    return out + "\n";
}

}  // namespace sluice::cli
