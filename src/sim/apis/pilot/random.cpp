// The part of hooks in random worlds.
#include "sim/apis/hooks/hooks.hpp"
#include "sim/apis/hooks/objects.hpp"
#include "sim/apis/pilot/api.hpp"
#include "sim/apis/pilot/objects.hpp"
#include "sim/world/chaos.hpp"

namespace sluice::sim::pilot {
namespace {

constexpr const char* shop = "shop";
constexpr const char* hook = "careful";

void begin(Chaos& chaos) {
    hooks::declare_hook(chaos.world(), hook,
                        "url: https://careful.example/ask\nheadersSecret: canary\n");
}

void enrol(SetOptions& set, bool is_usual) {
    set.labels[label] = is_usual ? hook : "noop";
}

void hook_says(Chaos& chaos) {
    using Says = hooks::HookRule::Says;
    constexpr Says all[] = {Says::Allow, Says::Allow,   Says::Refuse,
                            Says::Hang,  Says::Rubbish, Says::Fail};
    hooks::HookRule rule{hook, chaos.chance(50) ? "" : chaos.some_pod(),
                         all[chaos.below(std::size(all))], "not now"};
    chaos.did("hook says {} {}", static_cast<int>(rule.says), rule.next);
    chaos.world().egress.of<hooks::Hooks>().set_rule(std::move(rule));
}

void relabel(Chaos& chaos) {
    const std::string set = chaos.some_set();
    if (!chaos.is_of(set, random_part) && !chaos.chance(10)) return;
    const char* values[] = {"", "careful", "noop", "nobody"};
    const std::string value = values[chaos.below(std::size(values))];
    chaos.did("label {} {}", set, value);
    chaos.world().label(shop, set, label, value);
}

void calm(Chaos& chaos) {
    chaos.world().egress.of<hooks::Hooks>().forget_rules(hook);
}

void give(Chaos& chaos, const std::string& set) {
    chaos.world().label(shop, set, label, hook);
}

void release(Chaos& chaos, const std::string& set) {
    chaos.world().label(shop, set, label, "");
}

bool is_released(Chaos& chaos, const std::string& set) {
    const ObjectPtr found = chaos.world().set(shop, set);
    return !object_at(found->object(), "/metadata/labels").contains(label);
}

constexpr RandomAction actions[] = {{hook_says, 20}, {relabel, 4}};

}  // namespace

const RandomPart random_part{.begin = begin,
                             .enrol = enrol,
                             .actions = actions,
                             .calm = calm,
                             .heal = give,
                             .release = release,
                             .is_released = is_released,
                             .give_back = give};

}  // namespace sluice::sim::pilot
