// The words about hooks: who is declared, what they say, and what they were asked.
#include <fmt/format.h>

#include <algorithm>

#include "sim/apis/hooks/api.hpp"
#include "sim/apis/hooks/hooks.hpp"
#include "sim/apis/hooks/objects.hpp"
#include "sim/scenario/words.hpp"

namespace sluice::sim::hooks {
namespace {

// hook NAME allows|refuses|hangs|"talks rubbish"|fails [before POD | after-the-last] [because TEXT]
Problem hook(World& world, Words words) {
    const auto says =
        called<HookRule::Says>(words[1], {"allows", "refuses", "hangs", "babbles", "fails"});
    if (!says) return "a hook allows, refuses, hangs, babbles or fails";
    HookRule rule{words[0], option(words, "before", ""), *says,
                  option(words, "because", "not now")};
    for (const std::string& word : words)
        if (word == "after-the-last") rule.next = "nil";
    world.egress.of<Hooks>().set_rule(std::move(rule));
    return std::nullopt;
}

void declare(World& world, Words words) {
    std::string yaml = words.size() > 1 ? words[1] : "";
    for (std::size_t at = yaml.find("; "); at != std::string::npos; at = yaml.find("; "))
        yaml.replace(at, 2, "\n");
    declare_hook(
        world, words[0],
        words.size() > 1 ? yaml + "\n" : fmt::format("url: https://{}.example/ask\n", words[0]));
}

// The questions about one set, each once however often it was put in a row.
std::vector<std::string> questions(const World& world, const std::string& set) {
    std::vector<std::string> asked;
    std::string last;
    for (const HookCall& call : world.egress.of<Hooks>().calls()) {
        if (call.set != set || call.key == last) continue;
        last = call.key;
        asked.push_back(call.prev + ">" + call.next);
    }
    return asked;
}

// In this order, with others in between.
Seen asked_at_least(const World& world, Words words) {
    const auto found = questions(world, words[0]);
    auto at = found.begin();
    for (const std::string& wanted : words.subspan(1)) {
        at = std::find(at, found.end(), wanted);
        if (at == found.end()) return joined(found);
        ++at;
    }
    return std::nullopt;
}

constexpr Action action_table[] = {
    {"declare hook", "NAME [YAML]", 1, declare},
    {"withdraw hook", "NAME", 1,
     [](World& world, Words words) { declare_hook(world, words[0], ""); }},
    {"hook", "NAME allows|refuses|hangs|babbles|fails [before POD|after-the-last] [because TEXT]",
     2, hook},
};

constexpr Expectation expectation_table[] = {
    {"asked", "NAME PREV>NEXT ...", 2, false,
     [](const World& world, Words words) {
         return unless_same(joined(words.subspan(1)), joined(questions(world, words[0])));
     }},
    {"asked at least", "NAME PREV>NEXT ...", 2, false, asked_at_least},
    {"never asked", "NAME", 1, true,
     [](const World& world, Words words) {
         const auto found = questions(world, words[0]);
         return found.empty() ? Seen{} : Seen{joined(found)};
     }},
};

}  // namespace

Api row() {
    return {.name = "hooks",
            .actions = [] { return std::span<const Action>{action_table}; },
            .expectations = [] { return std::span<const Expectation>{expectation_table}; },
            .service = [] -> std::unique_ptr<OwnService> { return std::make_unique<Hooks>(); }};
}

}  // namespace sluice::sim::hooks
