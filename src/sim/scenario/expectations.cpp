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

Seen pods(const World& world, Words words) {
    return unless_same(joined(words.subspan(1)), world.pods_text(shop, words[0]));
}

Seen pods_in(const World& world, Words words) {
    return unless_same(joined(words.subspan(2)), world.pods_text(words[0], words[1]));
}

Seen partition(const World& world, Words words) {
    const ObjectPtr set = world.set(shop, words[0]);
    if (!set) return "gone";
    return unless_same(words[1], std::to_string(partition_of(set->object())));
}

Seen phase(const World& world, Words words) {
    return unless_same(words[1], note(world, words[0], "sluice.dev/phase"));
}

Seen reason(const World& world, Words words) {
    return unless_same(words[1], note(world, words[0], "sluice.dev/reason"));
}

Seen message(const World& world, Words words) {
    const std::string said = note(world, words[0], "sluice.dev/message");
    return said.find(joined(words.subspan(1))) != std::string::npos ? Seen{} : Seen{said};
}

// "annotation web KEY absent" and "annotation web KEY VALUE"
Seen annotation(const World& world, Words words) {
    const std::string found = note(world, words[0], words[1]);
    return unless_same(words[2] == "absent" ? "" : joined(words.subspan(2)), found);
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

Seen jobs(const World& world, Words words) {
    return unless_same(words[0],
                       std::to_string(world.cluster.api().list("jobs.batch", shop).size()));
}

Seen claims(const World& world, Words words) {
    return unless_same(words[0],
                       std::to_string(world.cluster.api().list("persistentvolumeclaims").size()));
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

Seen gone(const World& world, Words words) {
    return world.set(shop, words[0]) ? Seen{"it is still there"} : Seen{};
}

constexpr Expectation table[] = {
    {"pods", "NAME TAG TAG ...", 1, true, pods},
    {"pods in", "NAMESPACE NAME TAG ...", 2, true, pods_in},
    {"partition", "NAME NUMBER", 2, true, partition},
    {"phase", "NAME PHASE", 2, true, phase},
    {"reason", "NAME REASON", 2, true, reason},
    {"message", "NAME TEXT", 2, true, message},
    {"annotation", "NAME KEY VALUE|absent", 3, true, annotation},
    {"event", "NAME REASON", 2, false, event},
    {"no event", "NAME REASON", 2, true, no_event},
    {"jobs", "NUMBER", 1, true, jobs},
    {"claims", "NUMBER", 1, true, claims},
    {"one leader", "", 0, true, one_leader},
    {"corrections a minute at most", "NUMBER", 1, true, corrections},
    {"gone", "NAME", 1, true, gone},
};

}  // namespace

std::span<const Expectation> expectations() {
    static const std::vector<Expectation> all = [] {
        std::vector<Expectation> rows{std::begin(table), std::end(table)};
        rows.push_back(report_expectation());
        const auto services = service_expectations();
        rows.insert(rows.end(), services.begin(), services.end());
        return with_rows_of_apis(std::move(rows), &Api::expectations);
    }();
    return all;
}

}  // namespace sluice::sim
