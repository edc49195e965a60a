#include "engine/weight_lever.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/gates.hpp"
#include "engine/report.hpp"

namespace sluice::engine {
namespace {

constexpr PodCount whole{100};  // hundredths
// What a step rests on is no older than this.
constexpr Duration fresh = 5s;
// Between two probes: after an error, while a change is awaited, and while somebody else must go
// on.
constexpr Duration plugin_error_pace = 5s;
constexpr Duration working_pace = 2s;
constexpr Duration resting_pace = 15s;
// A wait that goes on is told anew no more often.
constexpr Duration telling_pace = 15s;

// Waits whose words may change at every probe, and how often one is made.
struct Restless {
    Reason reason;
    Duration pace;
};
constexpr Restless restless[] = {
    {Reason::PluginWorking, working_pace},
    {Reason::RollingBack, working_pace},
    {Reason::PluginError, plugin_error_pace},
    {Reason::ProgressDeadlineExceeded, plugin_error_pace},
};

// Nothing is exposed of what nobody remembers.
Memory no_memory() {
    Memory none;
    none.partition = closed_partition;
    return none;
}

}  // namespace

WeightLever::WeightLever(const Snapshot& seen, const Course& course, const Weight& weight,
                         Instant now)
    : RecordedLever(seen, course, now),
      weight_(weight),
      plugin_(*weight_.plugin),
      recalled_(weight_.memory.value_or(no_memory())),
      reality_(plugin_.reality()),
      standing_(seen) {
    const bool is_seen = reality_ && !is_commanded();
    standing_.units = whole;
    standing_.exposed = exposed_count(recalled_.partition, whole);
    standing_.current = reality_ ? std::string_view{reality_->current} : weight_.current;
    standing_.updated = is_seen ? std::string_view{reality_->updated} : recalled_.revision;
    standing_.is_pending = standing_.current != standing_.updated;
    standing_.lacks = lacks();
}

bool WeightLever::is_promoted() const {
    return recalled_.list == course_.list && recalled_.place >= weight_.last_place &&
           exposed_count(recalled_.partition, whole) == whole;
}

bool WeightLever::is_commanded() const {
    const bool aborts = course_.abort && !recalled_.returning;
    return recalled_.open && (aborts || (weight_.promotes && !is_promoted()));
}

bool WeightLever::is_fresh() const {
    return now_ - plugin_.at() <= fresh;
}

bool WeightLever::goes_home() const {
    return recalled_.open && !is_commanded() && reality_ &&
           reality_->updated != recalled_.revision && reality_->updated == reality_->current;
}

// Of the last probe, or what was told before anybody has asked again.
std::string WeightLever::last_error() const {
    const std::string error = plugin_.error();
    const bool was_told = weight_.told == entry(Reason::PluginError).name;
    return error.empty() && was_told && !reality_ ? weight_.told_message : error;
}

WeightGoal WeightLever::goal() const {
    if (!recalled_.open) return {};
    if (goes_home())
        return {WeightGoal::What::Return, recalled_.id, std::string{standing_.current}, 0};
    WeightGoal goal{WeightGoal::What::Weigh, recalled_.id, recalled_.revision,
                    standing_.exposed.value};
    goal.restarts = goal.weight == 0 && weight_.is_restart;
    if (recalled_.returning) {
        goal.what = WeightGoal::What::Return;
        goal.weight = 0;
    } else if (is_promoted()) {
        goal.what = WeightGoal::What::Promote;
    }
    return goal;
}

// Why what was asked for is not there.
std::optional<Hold> WeightLever::lacks() const {
    if (!recalled_.open || goes_home()) return std::nullopt;
    if (!reality_ && !last_error().empty()) return Hold{Reason::PluginError, last_error()};
    const auto seen = plugin_.observed(goal());
    if (!seen)
        return Hold{Reason::PluginWorking,
                    fmt::format("{} is asked for {} %.", plugin_.title(), goal().weight)};
    const bool is_current = reality_ && reality_->current == reality_->updated;
    if (is_promoted() && !(is_current && seen->is_verified && reality_->is_ready))
        return Hold{Reason::PluginWorking,
                    fmt::format("{} makes revision {} the current one. {}", plugin_.title(),
                                recalled_.revision, seen->message)};
    if (!is_promoted() && !seen->is_verified)
        return Hold{Reason::PluginWorking, fmt::format("{} brings it to {} %. {}", plugin_.title(),
                                                       goal().weight, seen->message)};
    return std::nullopt;
}

std::optional<Decision> WeightLever::blocked() const {
    if (is_commanded()) return std::nullopt;
    if (!reality_) {
        if (recalled_.open) return std::nullopt;
        if (last_error().empty()) return probe_again();
        return wait(weight_.memory ? Phase::Idle : Phase::Blocked, Reason::PluginError,
                    last_error());
    }
    if (goes_home()) {
        const auto seen = plugin_.observed(goal());
        if (seen && (seen->is_verified || reality_->is_whole)) return std::nullopt;
        return wait(Phase::Rolling, Reason::PluginWorking,
                    fmt::format("Revision {} was taken back: what was updated returns to revision "
                                "{}.",
                                recalled_.revision, standing_.current));
    }
    const bool is_news = standing_.is_pending && recalled_.revision != reality_->updated;
    const bool begins = is_news || (standing_.is_pending && !recalled_.open &&
                                    (!recalled_.failed || asks_for_retry()));
    const bool is_seen = recalled_.open || plugin_.observed(goal());
    if (begins && !(is_seen && is_fresh())) return probe_again();
    return std::nullopt;
}

std::optional<Decision> WeightLever::unsure() const {
    if (is_commanded() || is_fresh()) return std::nullopt;
    return probe_again();
}

// The probe that is due now, or the time when it is.
void WeightLever::ask(Decision& decision, Duration pace) const {
    const WeightGoal goal = this->goal();
    const bool is_observed = plugin_.observed(goal).has_value();
    const Instant due = !plugin_.error().empty() ? plugin_.at() + plugin_error_pace
                        : is_observed            ? plugin_.at() + pace
                                                 : now_;
    if (now_ < due) {
        decision.wake_at = std::min(decision.wake_at.value_or(due), due);
        return;
    }
    // Who begins a change probes first: somebody else may have gone further.
    decision.needs_live = !goal.revision.empty() && !is_observed;
    decision.probe = plugin_.probe(goal, !reality_);
}

// Short waits whose words may change at every probe are not told at all, and long ones not every
// time.
Decision WeightLever::wait(Phase phase, Reason reason, std::string message) const {
    const auto* row = std::ranges::find(restless, reason, &Restless::reason);
    const bool is_restless = row != std::end(restless);
    Decision decision = RecordedLever::wait(phase, reason, std::move(message));
    if (is_restless) {
        const Hold brief = brief_hold(reason, {}, seen_, now_);
        const Instant again = weight_.told_at + telling_pace;
        const bool is_told = weight_.told == entry(reason).name;
        decision.keeps_report = is_told ? now_ < again : brief.silent;
        if (decision.keeps_report) decision.wake_at = is_told ? again : brief.until;
    }
    ask(decision, is_restless ? row->pace : resting_pace);
    return decision;
}

// What is known is too old to be acted on, and what was told stands until more is known.
Decision WeightLever::probe_again() const {
    Decision decision;
    decision.keeps_report = true;
    decision.report = {Phase::Waiting, Reason::PluginWorking,
                       fmt::format("{} is asked what is there.", plugin_.title()), ""};
    ask(decision, 0s);
    return decision;
}

Decision WeightLever::rest(Memory memory) const {
    memory.failed = false;
    if (!memory.open) {
        Decision decision = wait(Phase::Idle, Reason::Idle, "");
        decision.memory = std::move(memory);
        return decision;
    }
    const Duration took = now_ - memory.started;
    const std::string message =
        fmt::format("The plugin is back at revision {}.", standing_.current);
    memory.open = memory.returning = false;
    Decision decision =
        move(std::move(memory), resting(), {Phase::Idle, Reason::RolloutCompleted, message, {}});
    decision.notices.push_back({Reason::RolloutCompleted, message});
    decision.ended = {"superseded", took};
    return decision;
}

std::optional<Decision> WeightLever::take_back(const Memory& memory) const {
    if (!reality_ && !last_error().empty())
        return wait(Phase::Held, Reason::PluginError, last_error());
    const auto seen = plugin_.observed(goal());
    if (!seen)
        return wait(Phase::Held, Reason::RollingBack,
                    fmt::format("{} is asked for 0 %.", plugin_.title()));
    if (seen->is_verified || standing_.current == standing_.updated) return std::nullopt;
    return wait(Phase::Held, Reason::RollingBack,
                fmt::format("{} takes revision {} back. {}", plugin_.title(), memory.revision,
                            seen->message));
}

// The steps allow less than was asked for: they were changed.
Decision WeightLever::narrow(Memory memory, PodCount exposed_max) const {
    const TakeStep step{exposed_max, memory.place};
    StepText text = step_text(step);
    Decision decision =
        move(std::move(memory), partition_for(exposed_max, whole), std::move(text.report));
    decision.takes_step = true;
    decision.notices.push_back({course_.allowed, std::move(text.notice)});
    return decision;
}

Memory WeightLever::fresh_memory() const {
    return first_memory(weight_.binding, standing_, course_, now_);
}

std::optional<int> WeightLever::promotes_at() const {
    return is_promoted() ? std::nullopt : std::optional{weight_.last_place};
}

Lever::StepText WeightLever::step_text(const TakeStep& step) const {
    const bool promotes = step.place >= weight_.last_place;
    return {{Phase::Rolling,
             Reason::PluginWorking,
             promotes ? fmt::format("{} is asked to make revision {} the current one.",
                                    plugin_.title(), recalled_.revision)
                      : fmt::format("{} is asked for {} %.", plugin_.title(), step.target.value),
             {}},
            fmt::format("{} brings {} % to revision {}.", plugin_.title(), step.target.value,
                        recalled_.revision)};
}

std::string WeightLever::completed_text() const {
    return recalled_.returning
               ? fmt::format("Revision {} was current before the abort came; it stays.",
                             recalled_.revision)
               : fmt::format("All of it is at revision {}.", recalled_.revision);
}

std::string WeightLever::returning_text() const {
    return "What was updated returns to the revision before.";
}

std::string WeightLever::returned_text() const {
    return fmt::format("Revision {} failed; all is back at revision {}.", recalled_.revision,
                       standing_.current);
}

}  // namespace sluice::engine
