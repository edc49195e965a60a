// How a rollout through a plugin waits: what is said, when it is said, and when the next look is
// due.
#include <algorithm>

#include "api/rollout_plugin/outside_helm.hpp"
#include "engine/gates.hpp"
#include "engine/report.hpp"

namespace sluice::api::rollout_plugin {

using engine::Decision;
using engine::Phase;
using engine::Reason;

namespace {

// A wait that goes on is told anew no more often.
constexpr Duration telling_pace = 15s;

constexpr engine::Command outside_commands[] = {
    {Reason::Paused,
     "sluice resume -n {0} rolloutplugin/{2}, or: kubectl -n {0} patch rolloutplugin {2} --type "
     "merge -p '{{\"spec\":{{\"paused\":false}}}}' and kubectl -n {0} annotate rolloutplugin/{2} "
     "sluice.dev/paused-"},
    {Reason::PluginWorking,
     "the plugin; look at its log if this lasts. To take it back: sluice abort -n {0} "
     "rolloutplugin/{2}"},
    {Reason::PluginError,
     "the plugin is asked again by itself; docs/plugins.md says what the message means"},
};

}  // namespace

Decision Outside::say(Phase phase, Reason reason, std::string message) {
    Decision decision;
    const auto* own = std::ranges::find(outside_commands, reason, &engine::Command::reason);
    const std::span<const engine::Command> commands =
        own == std::end(outside_commands) ? claims.commands : outside_commands;
    decision.report = {
        phase, reason, std::move(message),
        engine::unblock_text(reason, seen_.workload, commands, object_.meta.key.name)};
    if (engine::entry(reason).tone == engine::Tone::Warning)
        decision.notices.push_back({reason, decision.report.message});
    return decision;
}

// The look that is due now, or the time when it is.
void Outside::ask(Decision& decision, const Goal& goal, Duration pace) const {
    const Instant due = !evidence_.error().empty() ? evidence_.at() + error_pace
                        : evidence_.observed(goal) ? evidence_.at() + pace
                                                   : now_;
    if (now_ < due) {
        decision.wake_at = std::min(decision.wake_at.value_or(due), due);
        return;
    }
    // Who begins a change looks first: somebody else may have gone further.
    decision.needs_live = !goal.revision.empty() && !evidence_.observed(goal);
    decision.probe = evidence_.look(goal, !evidence_.reality());
}

Decision Outside::hold(const Goal& goal, engine::Hold held, Duration pace) {
    const Phase begun = weight() > 0 ? Phase::Rolling : Phase::Waiting;
    const Phase phase = memory_.open ? begun : is_known_ ? Phase::Idle : Phase::Blocked;
    Decision decision = say(phase, held.reason, std::move(held.message));
    decision.rests_at = held.rests_at;
    decision.wake_at = held.until;
    ask(decision, goal, pace);
    return decision;
}

// A wait whose words may change at every look: short ones are not told at all, and long ones not
// every time.
Decision Outside::wait(const Goal& goal, Reason reason, std::string message, Duration pace) {
    engine::Hold held = engine::brief_hold(reason, std::move(message), seen_, now_);
    const auto last =
        std::ranges::find(reported_.conditions, condition::progressing, &Condition::type);
    const bool is_told = reported_.reason == engine::entry(reason).name;
    const Instant again =
        last == reported_.conditions.end() ? Instant{} : last->updated + telling_pace;
    if (is_told) held.until = now_ < again ? std::optional{again} : std::nullopt;
    says_nothing_ = is_told ? now_ < again : held.silent;
    return hold(goal, std::move(held), pace);
}

Decision Outside::working(const Goal& goal, Reason reason, std::string message) {
    return wait(goal, reason, std::move(message), working_pace);
}

Decision Outside::erring(const Goal& goal, const std::string& error) {
    return wait(goal, Reason::PluginError, error, error_pace);
}

// What is known is too old to be acted on, and what the status says stands until more is known.
Decision Outside::look_again(const Goal& goal) {
    says_nothing_ = true;
    Decision decision;
    decision.subject = subject_of(object_);
    decision.report = {Phase::Waiting, Reason::PluginWorking,
                       fmt::format("{} is asked what is there.", plugin()), ""};
    ask(decision, goal, 0s);
    return decision;
}

Decision Outside::late(const Goal& goal, const std::string& message) {
    const std::string why = "The next step was not reached in time. " + message;
    const OnFailure then = spec_.abort_at_deadline ? OnFailure::Rollback : spec_.on_failure;
    if (then == OnFailure::Rollback) return turn_back(Reason::ProgressDeadlineExceeded, why);
    return wait(goal, Reason::ProgressDeadlineExceeded, why, error_pace);
}

}  // namespace sluice::api::rollout_plugin
