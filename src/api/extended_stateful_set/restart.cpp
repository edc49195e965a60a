// The pods of the version that serves, where what they read has changed: restarted one after the
// other, in one zone after the other, behind the gates of an upgrade. The version stays what it is.
#include <fmt/format.h>

#include <algorithm>

#include "api/extended_stateful_set/bodies.hpp"
#include "api/extended_stateful_set/reconciliation.hpp"
#include "api/extended_stateful_set/report.hpp"
#include "api/hooks/gate.hpp"
#include "engine/report.hpp"
#include "model/annotations.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

namespace key = model::key;
using engine::Decision;
using engine::Phase;
using engine::Reason;

// Changes that follow on one another are one: so long nothing may change, and no longer than this
// is a restart put off for the next change.
constexpr Duration quiet_time = 10s;
constexpr Duration waiting_max = 60s;

const std::string& digest_of_pods(const Part& part) {
    return annotation(*part.set, config_key);
}

bool is_open_in(const Part& part) {
    const auto memory = engine::recall(*part.set);
    return memory && memory->open;
}

}  // namespace

// What there is to be said about the config is not known yet, and nothing is done before it is.
Decision Reconciliation::without_config() {
    Decision decision;
    decision.subject = subject();
    decision.report = {Phase::Waiting, Reason::ConfigUnseen, {}, {}};
    decision.silent = true;
    decision.rests_on = config_.unread;
    decision.rereads_subject = false;
    decision.wake_at = now_ + looking_pace;
    if (config_.makes_key) decision.actions.push_back(*config_.makes_key);
    return decision;
}

// No version is made, and no pod is restarted.
void Reconciliation::hold_for_config() {
    decision_.report = {Phase::Held, config_.reason, config_.message, {}};
    if (config_.reason == Reason::ConfigUnseen) wake_at(now_ + looking_pace);
}

// Pods of a set that nobody has marked so far count as if they had read what is there now.
bool Reconciliation::needs_restart(const Version& version) const {
    return config_.is_known() && std::ranges::any_of(version.parts, [&](const Part& part) {
               const std::string& digest = digest_of_pods(part);
               return !digest.empty() && digest != config_.digest;
           });
}

bool Reconciliation::is_restarting() const {
    const Version* current = find_version(versions_, next_.current);
    return current && (needs_restart(*current) || std::ranges::any_of(current->parts, is_open_in));
}

// What its pods have read is written down, and does not stand on all of its sets yet.
bool Reconciliation::lacks_mark() const {
    const Version* current = find_version(versions_, next_.current);
    return current && std::ranges::any_of(current->parts, [](const Part& part) {
               return digest_of_pods(part).empty();
           });
}

// Written down before anything is done for it: whoever comes after us waits no longer than we do.
void Reconciliation::note_config() {
    if (config_.state == Config::State::Ignored) next_.config = {};
    if (!config_.is_known()) return;
    ConfigStatus& config = next_.config;
    const bool is_new = config.digest != config_.digest;
    if (is_new && !config.digest.empty() && lacks_mark()) return;
    if (is_new) config.versions = config_.versions;
    config.digest = config_.digest;
    if (!is_restarting()) {
        config.since = config.changed = {};
        return;
    }
    if (!is_new && config.since > Instant{}) return;
    config.changed = in_whole_seconds(now_);
    if (config.since == Instant{}) config.since = config.changed;
    if (!is_open()) next_.gates = {};  // the restart asks its gates anew
}

bool Reconciliation::restarts_though_unready(const Version& version) const {
    return spec_.strategy.update_not_ready || !version.was_ever_ready() ||
           annotation_of(object_, key::allow_unready) == "true";
}

// A sentence about pods of another zone that are not ready; nothing: there are none.
std::optional<std::string> Reconciliation::unready_elsewhere(const Part& part) const {
    const Version* version = find_version(versions_, part.id.version);
    if (restarts_though_unready(*version)) return std::nullopt;
    for (const Part& other : version->parts) {
        const auto ready = std::ranges::count_if(
            other.pods, [](const model::Pod* pod) { return pod->ready && !pod->meta.deleting; });
        if (&other != &part && ready < other.set->replicas.value)
            return fmt::format("Waiting: {} of {} pods of {} are ready.", ready,
                               other.set->replicas.value, other.set->meta.key.name);
    }
    return std::nullopt;
}

RestartHolds Reconciliation::restart_holds(const Part& part) const {
    RestartHolds holds;
    if (auto unready = unready_elsewhere(part))
        holds.elsewhere = engine::Refused{Reason::PodsNotReady, std::move(*unready)};
    if (auto last = last_ready_in(part))
        holds.last_ready = {index_of(last->ordinal, part.set->start),
                            {Reason::PodsNotReady, std::move(last->why_it_stays)}};
    return holds;
}

// For what there is to be read now; the next change is another restart.
bool Reconciliation::is_restart_aborted() const {
    return annotation_of(object_, std::string{abort_key}) == config_.digest;
}

void Reconciliation::hold_restart(Phase phase, Reason reason, std::string message) {
    restart_.emplace();
    restart_->report = {phase, reason, std::move(message), {}};
    decision_.report = restart_->report;
}

// The first zone that is not done.
void Reconciliation::restart() {
    const Version* current = find_version(versions_, next_.current);
    if (!config_.is_known() || !current || is_open()) return;
    for (const Part& part : current->parts) {
        if (is_open_in(part) || digest_of_pods(part) != config_.digest)
            return restart(*current, part);
    }
}

void Reconciliation::restart(const Version& version, const Part& part) {
    const bool is_marked = !digest_of_pods(part).empty();
    const bool is_new = is_marked && digest_of_pods(part) != config_.digest;
    const Instant due =
        std::min(next_.config.changed + quiet_time, next_.config.since + waiting_max);
    if (!is_marked) {
        restart_.emplace();
        restart_->report = decision_.report;
        const std::string& was = old_.config.digest;
        restart_->actions.push_back(
            config_mark(*part.set, was.empty() ? config_.digest : was, fence()));
    } else if (is_new && now_ < due) {
        wake_at(due);
        hold_restart(Phase::Waiting, Reason::ConfigChanged,
                     fmt::format("What the pods of {} read has changed; they are restarted when "
                                 "there is no further change for a while.",
                                 revision_of(version.number)));
    } else if (is_new) {
        begin_restart(version, part);
    } else if (part.pods.empty() && part.set->replicas.value == 0) {
        restart_.emplace();
        restart_->report = decision_.report;
        restart_->actions.push_back(end_of_restart(*part.set, fence()));
    } else {
        go_on_restarting(version, part);
    }
}

void Reconciliation::begin_restart(const Version& version, const Part& part) {
    const std::string what =
        fmt::format("What the pods of {} read has changed", revision_of(version.number));
    if (is_restart_aborted())
        return hold_restart(Phase::Held, Reason::Aborted,
                            what + ", and somebody does not want them to be restarted for it.");
    if (engine::is_paused(annotation_of(object_, key::paused)))
        return hold_restart(Phase::Held, Reason::Paused, what + "; paused by annotation.");
    if (auto unready = unready_elsewhere(part))
        return hold_restart(Phase::Waiting, Reason::PodsNotReady, std::move(*unready));
    engine::Course asked;
    asked.retry = annotation_of(object_, key::retry);
    hold_restart(Phase::Waiting, Reason::ConfigChanged,
                 fmt::format("{}: those of {} are restarted one after the other.", what,
                             part.set->meta.key.name));
    next_.gates = {};
    if (!restart_) return;
    restart_->actions.push_back(restart_of(*part.set, config_.digest,
                                           engine::retry_asked(*part.set, asked), now_, fence()));
    restart_->notices.push_back({Reason::ConfigChanged, restart_->report.message});
    restart_->needs_live = true;
}

void Reconciliation::go_on_restarting(const Version& version, const Part& part) {
    engine::Snapshot seen = pods_;
    seen.workload = *part.set;
    engine::Course course;
    course.claim = claim_of(object_);
    course.commands = commands();
    course.reports_on_workload = false;
    course.allowed = Reason::StepTaken;
    course.name = name();
    course.retry = annotation_of(object_, key::retry);
    course.paused_by = engine::paused_by(annotation_of(object_, key::paused));
    if (is_restart_aborted())
        course.paused_by = engine::Refused{
            Reason::Aborted, "Somebody does not want the pods to be restarted for this change."};
    const RestartHolds holds = restart_holds(part);
    const gates::Circumstances now = gates::circumstances_of(
        spec_.strategy.gates, next_.gates, seen, restarts_though_unready(version));
    course.compile = [&] { return compile_restart(spec_, now, part.set->replicas, holds); };
    restart_ = engine::steer(seen, course, now_);
    hooks::complete(*restart_, seen, "extendedstatefulset");
    next_.gates = gates::noted(std::move(next_.gates), *restart_, object_, true, now_);
    if (!restart_) return;
    engine::Decision& restart = *restart_;
    if (restart.report.reason != Reason::OnDelete)
        restart.report.unblock.clear();  // that is about the StatefulSet
    decision_.report = restart.report;
    decision_.probe = restart.probe;
    decision_.progress = restart.progress;
    decision_.rests_at = restart.rests_at;
    decision_.silent = restart.silent;
    if (restart.wake_at) wake_at(*restart.wake_at);
    if (restart.actions.empty())
        for (engine::Notice& notice : restart.notices)
            decision_.notices.push_back(std::move(notice));
}

// The gates of the zone before mean nothing in the next one: what is remembered of them is struck
// out first.
bool Reconciliation::takes_restart() {
    if (!restart_ || restart_->actions.empty()) return false;
    engine::Decision& restart = *restart_;
    const Reason reason = restart.report.reason;
    if (reason == Reason::ConfigChanged && next_.gates != old_.gates) {
        write_status(true);
        return true;
    }
    for (engine::Action& action : restart.actions)
        add_action(std::move(action));
    for (engine::Notice& notice : restart.notices)
        decision_.notices.push_back(std::move(notice));
    decision_.takes_step = restart.takes_step;
    decision_.needs_live = decision_.needs_live || restart.needs_live;
    decision_.ended = restart.ended;
    return true;
}

// Whether the pods have read what there is now.
void Reconciliation::note_condition() {
    const char* type = "ConfigUpToDate";
    std::erase_if(next_.conditions, [&](const Condition& one) { return one.type == type; });
    if (config_.state == Config::State::Ignored) return;
    const bool is_behind = config_.stops() || is_restarting();
    std::string reason = is_behind ? next_.reason : "UpToDate", message = next_.message;
    if (config_.stops()) {
        reason = engine::entry(config_.reason).name;
        message = config_.message;
    }
    if (!is_behind) message = "The pods have read what there is now.";
    if (is_behind && !config_.stops() && is_open()) {
        reason = engine::entry(Reason::ConfigChanged).name;
        message = fmt::format(
            "What the pods of {} read has changed; that waits for the end of the upgrade.",
            revision_of(next_.current));
    }
    std::vector<Condition> old;
    for (const Condition& one : old_.conditions)
        if (one.type == type) old.push_back(one);
    old = with_newer(std::move(old), Condition{type, is_behind ? "False" : "True", reason, message,
                                               next_.observed_generation, in_whole_seconds(now_)});
    next_.conditions.push_back(std::move(old.front()));
}

}  // namespace sluice::api::extended_stateful_set
