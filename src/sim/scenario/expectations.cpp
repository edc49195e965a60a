// What can be seen in a scenario.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/json_pointer.hpp"
#include "sim/api/state.hpp"
#include "sim/apis/registry.hpp"
#include "sim/scenario/words.hpp"

namespace sluice::sim {
namespace {

std::string note(const World& world, const std::string& name, const std::string& key) {
    const ObjectPtr set = world.set(shop, name);
    return set ? text_at(set->object(), "/metadata/annotations/" + pointer_token(key))
               : std::string{};
}

Seen partition(const World& world, Words words) {
    const ObjectPtr set = world.set(shop, words[0]);
    if (!set) return "gone";
    return unless_same(words[1], std::to_string(partition_of(set->object())));
}

Seen event(const World& world, Words words) {
    std::string others;
    for (const ObjectPtr& one : world.cluster.api().list("events", shop)) {
        const std::string about = text_at(one->object(), "/involvedObject/name");
        const std::string why = text_at(one->object(), "/reason");
        if (about == words[0] && why == words[1]) return std::nullopt;
        if (about == words[0]) others += " " + why;
    }
    return "only" + others;
}

Seen no_event(const World& world, Words words) {
    for (const ObjectPtr& one : world.cluster.api().list("events", shop))
        if (text_at(one->object(), "/involvedObject/name") == words[0] &&
            text_at(one->object(), "/reason") == words[1])
            return text_at(one->object(), "/message");
    return std::nullopt;
}

Seen one_leader(const World& world, Words) {
    const auto count = std::ranges::count_if(
        world.operators, [](const auto& one) { return one->is_running() && one->leads(); });
    return unless_same("1", std::to_string(count));
}

Seen corrections(const World& world, Words words) {
    const std::size_t most = std::stoull("0" + words[0]);
    std::size_t worst = 0;
    const auto& times = world.inspector.corrections();
    for (std::size_t from = 0; from < times.size(); ++from) {
        std::size_t count = 0;
        for (std::size_t i = from; i < times.size() && times[i] - times[from] < 60s; ++i)
            ++count;
        worst = std::max(worst, count);
    }
    return worst <= most ? Seen{} : Seen{fmt::format("{} in one minute", worst)};
}

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
    if (words[1] == "says" || words[1] == "unblock") return unless_says(wanted, found);
    if (wanted == "present") return found != "absent" ? Seen{} : Seen{"nothing"};
    return unless_same(wanted, found);
}

constexpr Expectation general_expectations[] = {
    {"pods", "NAME TAG TAG ...", 1, true,
     [](const World& world, Words words) {
         return unless_same(joined(words.subspan(1)), world.pods_text(shop, words[0]));
     }},
    {"pods in", "NAMESPACE NAME TAG ...", 2, true,
     [](const World& world, Words words) {
         return unless_same(joined(words.subspan(2)), world.pods_text(words[0], words[1]));
     }},
    {"partition", "NAME NUMBER", 2, true, partition},
    {"phase", "NAME PHASE", 2, true,
     [](const World& world, Words words) {
         return unless_same(words[1], note(world, words[0], "sluice.dev/phase"));
     }},
    {"reason", "NAME REASON", 2, true,
     [](const World& world, Words words) {
         return unless_same(words[1], note(world, words[0], "sluice.dev/reason"));
     }},
    {"message", "NAME TEXT", 2, true,
     [](const World& world, Words words) {
         return unless_says(joined(words.subspan(1)), note(world, words[0], "sluice.dev/message"));
     }},
    {"annotation", "NAME KEY VALUE|absent", 3, true,
     [](const World& world, Words words) {
         return unless_same(words[2] == "absent" ? "" : joined(words.subspan(2)),
                            note(world, words[0], words[1]));
     }},
    {"event", "NAME REASON", 2, false, event},
    {"no event", "NAME REASON", 2, true, no_event},
    {"jobs", "NUMBER", 1, true,
     [](const World& world, Words words) {
         const auto jobs = world.cluster.api().list("jobs.batch", shop);
         return unless_same(words[0], std::to_string(jobs.size()));
     }},
    {"claims", "NUMBER", 1, true,
     [](const World& world, Words words) {
         const auto claims = world.cluster.api().list("persistentvolumeclaims");
         return unless_same(words[0], std::to_string(claims.size()));
     }},
    {"one leader", "", 0, true, one_leader},
    {"corrections a minute at most", "NUMBER", 1, true, corrections},
    {"gone", "NAME", 1, true,
     [](const World& world, Words words) {
         return world.set(shop, words[0]) ? Seen{"it is still there"} : Seen{};
     }},
};

}  // namespace

std::span<const Expectation> expectations() {
    static const std::string usage = [] {
        std::string text =
            "NAME gone | says TEXT | condition TYPE STATUS [REASON] | FIELD VALUE|absent|present, "
            "where FIELD is one of";
        for (const ReportField& field : fields())
            text += fmt::format(" {}", field.word);
        return text;
    }();
    static const std::vector<Expectation> all = [] {
        std::vector<Expectation> rows{std::begin(general_expectations),
                                      std::end(general_expectations)};
        rows.push_back({"rollout", usage, 2, true, rollout});
        const auto services = service_expectations();
        rows.insert(rows.end(), services.begin(), services.end());
        return with_rows_of_apis(std::move(rows), &Api::expectations);
    }();
    return all;
}

}  // namespace sluice::sim
