#include "api/gates/gates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/claims.hpp"
#include "api/hooks/gate.hpp"
#include "base/hash.hpp"
#include "base/names.hpp"
#include "engine/gates.hpp"
#include "model/annotations.hpp"

namespace sluice::api::gates {

namespace key = model::key;
using GateList = std::vector<engine::Gate>;

namespace {

constexpr Range pause_range{1, 2'592'000};  // 30 days
constexpr std::size_t hook_max = 63;

// What the counts of a check belong to, beside the step: the check, and the last request of a
// person to try again.
std::string definition_of(const model::CustomObject& object, const Gates& gates) {
    if (!gates.check) return {};
    return hex_digest(object.meta.uid + annotation_of(object, key::retry) +
                      metrics::definition_of(*gates.check));
}

}  // namespace

Gates read_gates(const Fields& fields) {
    Gates gates;
    gates.hook = fields.text("hook", hook_max, !required);
    if (!gates.hook.empty() && !is_label_value(gates.hook))
        fields.fault("hook", "is not the name of a hook");
    if (const auto check = fields.object("check", !required))
        gates.check = metrics::read_check(*check, metrics::SuccessOn::NoData);
    if (const auto pause = fields.object("pause", !required)) {
        gates.pause.emplace();
        if (const auto seconds = pause->number("seconds", pause_range))
            gates.pause->length = std::chrono::seconds{*seconds};
    }
    return gates;
}

std::string promote_asked(const model::CustomObject& object) {
    const std::string& said = annotation_of(object, key::promote);
    return said.empty() ? said : hex_digest(said);
}

Circumstances circumstances_of(const Gates& gates, const Remembered& remembered,
                               const engine::Snapshot& seen, bool allow_unready) {
    const model::CustomObject& object = seen.objects.front();
    Circumstances now;
    now.allow_unready = allow_unready || annotation_of(object, key::allow_unready) == "true";
    now.definition = definition_of(object, gates);
    now.pause = remembered.pause;
    const std::string promote = promote_asked(object);
    now.goes_on = remembered.pause && !promote.empty() && remembered.pause->promote != promote;
    now.hook_retry = seen.environment.hook_retry;
    if (!gates.hook.empty()) now.when = hooks::when_of(seen, gates.hook);
    return now;
}

void prepare(engine::Snapshot& seen, const Gates& gates, const Remembered& remembered) {
    if (!gates.hook.empty()) hooks::prepare(seen, gates.hook);
    if (gates.check) engine::recall_progress(seen, remembered.check);
}

// Each step has checks and a pause of its own.
Remembered noted(Remembered remembered, const engine::Decision& decision,
                 const model::CustomObject& object, bool is_open, Instant now) {
    if (decision.memory || !is_open) remembered = {};
    const auto& rests_at = decision.rests_at;
    if (rests_at && (!remembered.pause || remembered.pause->step != *rests_at))
        remembered.pause =
            PauseStatus{*rests_at, in_whole_seconds(now) + 1s, promote_asked(object)};
    if (!decision.progress) return remembered;
    remembered.check = *decision.progress;
    // Each trouble in other words would cost a write.
    if (remembered.check->last_result == engine::CheckResult::Error)
        remembered.check->last_text.clear();
    return remembered;
}

StepGates::StepGates(const Gates& gates, const Circumstances& now)
    : gates_(gates),
      now_(now),
      query_(gates.check ? metrics::query_of(gates.check->query) : engine::MetricQuery{}) {}

GateList StepGates::before(PodCount exposed, const Pods& pods) const {
    GateList all;
    if (is_early()) add_hook(all, pods.prev, pods.next);
    all.emplace_back(ready(pods.may_be_broken));
    const bool rests_at_once = now_.pause && now_.pause->step == 0;  // fewer are wanted by now
    if (gates_.pause && (exposed.value > 0 || rests_at_once))
        all.emplace_back(pause_at(exposed.value, *gates_.pause));
    if (gates_.check)
        all.emplace_back(metrics::gate_of(*gates_.check, query_, now_.definition,
                                          pods.next.value_or(PodIndex{0}), now_.allow_unready));
    if (!is_early()) add_hook(all, pods.prev, pods.next);
    return all;
}

GateList StepGates::after(PodIndex last, bool is_end) const {
    GateList all;
    if (is_end && is_early()) add_hook(all, last, std::nullopt);
    all.emplace_back(ready(std::nullopt));
    // Fewer pods are wanted than when the rest began: it is not over for that.
    if (is_end && gates_.pause && now_.pause)
        all.emplace_back(pause_at(now_.pause->step, *gates_.pause));
    if (is_end && !is_early()) add_hook(all, last, std::nullopt);
    return all;
}

engine::PodsReady StepGates::ready(std::optional<PodIndex> except) const {
    return {.except = except,
            .exposed_only = now_.allow_unready,
            .counts_missing = !now_.allow_unready};
}

engine::Pause StepGates::pause_at(int step, const Rest& rest) const {
    engine::Pause pause{.place = step, .length = rest.length};
    if (now_.pause && now_.pause->step == step) {
        pause.began = now_.pause->since;
        pause.is_over = now_.goes_on;
    }
    return pause;
}

void StepGates::add_hook(GateList& all, std::optional<PodIndex> prev,
                         std::optional<PodIndex> next) const {
    if (gates_.hook.empty()) return;
    if (is_early()) all.emplace_back(engine::PodsRunning{next});
    engine::HookApproval hook{.hook = gates_.hook, .prev = prev, .next = next};
    hook.retry = now_.hook_retry;
    all.emplace_back(std::move(hook));
}

void add_facts(std::vector<Fact>& facts, const Gates& gates, const Remembered& remembered) {
    if (gates.pause)
        facts.push_back({"pause", gates.pause->length
                                      ? fmt::format("{} between two steps",
                                                    sluice::to_text(*gates.pause->length))
                                      : std::string{"between two steps, until promoted"}});
    if (gates.check)
        facts.push_back({"check", fmt::format("{} of {} passes in a row",
                                              remembered.check ? remembered.check->successes : 0,
                                              gates.check->success_threshold)});
    if (!gates.hook.empty()) facts.push_back({"hook", gates.hook});
}

Reply promote(const Steered& steered, const std::string& reason, const std::string& phase,
              Instant now) {
    constexpr engine::Reason rests[] = {engine::Reason::StepPaused,
                                        engine::Reason::AnalysisRunInconclusive};
    if (std::ranges::none_of(rests, [&](auto rest) { return reason == engine::entry(rest).name; }))
        return decline(
            "{} is not paused at a step, so there is nothing to promote: its phase is {}.",
            steered.title, phase.empty() ? "not known yet" : phase);
    return annotated::promote(steered, now);
}

}  // namespace sluice::api::gates
