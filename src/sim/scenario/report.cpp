// What can be expected of the objects that report on rollouts, whichever API they are of.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/api/state.hpp"
#include "sim/apis/registry.hpp"
#include "sim/scenario/words.hpp"

namespace sluice::sim {
namespace {

// What a reader of the status asks for, and where it stands: in all APIs, and in some.
const std::vector<ReportField>& fields() {
    static const std::vector<ReportField> all = [] {
        std::vector<ReportField> known{{"phase", "/status/phase"},
                                       {"reason", "/status/reason"},
                                       {"message", "/status/message"},
                                       {"unblock", "/status/unblock"},
                                       {"guarantee", "/status/guarantee"}};
        for (const Api& api : apis())
            known.insert(known.end(), api.fields.begin(), api.fields.end());
        return known;
    }();
    return all;
}

std::string plain_text(const json::value* value) {
    if (!value) return "absent";
    return value->is_string() ? std::string{value->get_string()} : json::serialize(*value);
}

// rollout NAME gone, rollout NAME FIELD VALUE|absent|present, rollout NAME says TEXT,
// rollout NAME condition TYPE STATUS [REASON]
Seen rollout(const World& world, Words words) {
    const ObjectPtr object = world.rollout(shop, words[0]);
    if (words[1] == "gone") return object ? Seen{"it is still there"} : Seen{};
    if (!object) return "it is gone";
    if (words.size() < 3) return "an expectation that says too little";
    if (words[1] == "condition") {
        const auto* found = condition(object_at(object->object(), "/status"), words[2]);
        if (!found) return "no such condition";
        std::string text = text_at(*found, "/status");
        if (words.size() > 4) text += " " + text_at(*found, "/reason");
        return unless_same(joined(words.subspan(3)), text);
    }
    const std::string_view word = words[1] == "says" ? "message" : std::string_view{words[1]};
    const auto field = std::ranges::find(fields(), word, &ReportField::word);
    if (field == fields().end()) return fmt::format("no such field: {}", words[1]);
    const std::string found = plain_text(find(object->object(), field->pointer));
    const std::string wanted = joined(words.subspan(2));
    if (words[1] == "says" || words[1] == "unblock")
        return found.find(wanted) != std::string::npos ? Seen{} : Seen{found};
    if (wanted == "present") return found != "absent" ? Seen{} : Seen{"nothing"};
    return unless_same(wanted, found);
}

}  // namespace

Expectation report_expectation() {
    static const std::string usage = [] {
        std::string text =
            "NAME gone | says TEXT | condition TYPE STATUS [REASON] | FIELD VALUE|absent|present, "
            "where FIELD is one of";
        for (const ReportField& field : fields())
            text += fmt::format(" {}", field.word);
        return text;
    }();
    return {"rollout", usage, 2, true, rollout};
}

}  // namespace sluice::sim
