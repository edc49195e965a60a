#include "engine/probe.hpp"

namespace sluice::engine {
namespace {

bool is_same(const HookProbe& one, const HookProbe& other) {
    return one.key == other.key && one.binding == other.binding;
}

bool is_same(const MetricProbe& one, const MetricProbe& other) {
    return one == other;
}

bool is_same(const OwnProbe& one, const OwnProbe& other) {
    return one == other;
}

}  // namespace

bool is_same_question(const Probe& one, const Probe& other) {
    return std::visit(
        [&](const auto& mine) {
            const auto* others = std::get_if<std::decay_t<decltype(mine)>>(&other);
            return others && is_same(mine, *others);
        },
        one);
}

}  // namespace sluice::engine
