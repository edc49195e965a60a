#include "sim/demo/chronicle.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/demo/screen.hpp"

namespace sluice::sim::demo {
namespace {

constexpr Duration lasting = 10s;

class Chronicle {
  public:
    Chronicle(const Scene& before, const Scene& now) : before_(before), now_(now) {}

    std::vector<std::string> lines() {
        action();
        for (std::size_t i = 0; i < now_.pods.size(); ++i)
            pod(i < before_.pods.size() ? before_.pods[i] : PodSeen{}, now_.pods[i]);
        events();
        gate();
        set();
        unblock();
        return std::move(lines_);
    }

  private:
    void action();
    void gate();
    void set();
    void unblock();
    void pod(const PodSeen& before, const PodSeen& now);
    void events();
    void add(const std::string& text) {
        const double seconds = static_cast<double>((now_.now - now_.begun).count()) / 1000;
        lines_.push_back(fmt::format("{:5.1f}s  {}", seconds, text));
    }

    const Scene& before_;
    const Scene& now_;
    std::vector<std::string> lines_;
};

void Chronicle::action() {
    if (!now_.action || (before_.action && before_.action->at == now_.action->at)) return;
    add(now_.action->caption);
    if (!now_.action->command.empty()) add("$ " + now_.action->command);
    if (!now_.action->answer.empty()) add(now_.action->answer);
    if (now_.set.refused != before_.set.refused) add("kept back: " + now_.set.refused);
}

void Chronicle::gate() {
    if (gate_text(before_) == gate_text(now_) && before_.set.partition == now_.set.partition)
        return;
    std::string text = gate_text(now_);
    text.replace(0, 4, "gate");
    text.replace(text.find(','), 1, ":");
    const GatePlace place = gate_place(now_.set);
    add(fmt::format("{} ({} {})", text, place.noun, place.number));
}

void Chronicle::set() {
    const SetSeen& set = now_.set;
    const bool same = before_.set.phase == set.phase && before_.set.reason == set.reason &&
                      before_.set.message == set.message;
    if (same) return;
    add(fmt::format("{}, {}{}{}", set.phase, set.reason, set.message.empty() ? "" : ": ",
                    set.message));
}

// A wait that lasts deserves a word on how to end it.
void Chronicle::unblock() {
    const SetSeen& set = now_.set;
    if (set.unblock.empty() || !set.since) return;
    const bool lasted_before =
        before_.set.since == set.since && before_.now - *set.since >= lasting;
    if (!lasted_before && now_.now - *set.since >= lasting) add("to unblock: " + set.unblock);
}

void Chronicle::pod(const PodSeen& before, const PodSeen& now) {
    if (!now.exists) {
        if (before.exists) add(fmt::format("{} is gone", now.name));
        return;
    }
    const bool same = before.uid == now.uid && before.state == now.state &&
                      before.ready == now.ready && before.restarts == now.restarts;
    if (same) return;
    add(fmt::format("{} ({}, {}) {}, {}{}", now.name, now.image,
                    is_old(now, now_.set) ? "old" : "new", now.state,
                    now.ready ? "ready" : "not ready",
                    now.restarts > 0 ? fmt::format(", restarts {}", now.restarts) : ""));
}

// What an event says that the annotations do not say already.
void Chronicle::events() {
    for (const EventSeen& event : now_.events) {
        const auto known = std::ranges::find(before_.events, event.name, &EventSeen::name);
        if (known != before_.events.end() || event.message == now_.set.message) continue;
        add(fmt::format("event {}: {}", event.reason, event.message));
    }
}

}  // namespace

std::vector<std::string> news(const Scene& before, const Scene& now) {
    return Chronicle{before, now}.lines();
}

std::vector<std::string> opening(const Scene& scene) {
    const GatePlace place = gate_place(scene.set);
    return {fmt::format("Sluice demo: {}. Times are of a simulated clock.", scene.title),
            fmt::format("{} {}/{}: {} pods of {}, {} ready; {} {}, {}.", scene.set.kind,
                        scene.set.ns, scene.set.name, scene.set.replicas, scene.set.image,
                        count_ready(scene), place.noun, place.number, scene.set.phase)};
}

std::vector<std::string> ending(const Summary& summary) {
    const terminal::Style plain{.colour = false, .unicode = false};
    std::vector<std::string> lines{""};
    for (const auto& part : {summary_lines(summary), hint_lines(summary)})
        for (const terminal::Line& line : part)
            lines.push_back(terminal::written(line, plain));
    return lines;
}

}  // namespace sluice::sim::demo
