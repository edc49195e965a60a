// How the controller turns one decision into effects.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/assert.hpp"
#include "base/names.hpp"
#include "controller/controller.hpp"
#include "model/annotations.hpp"

namespace sluice::controller {
namespace {

// What a read of a workload and its pods costs in requests; a write and an event cost one each.
constexpr double read_cost = 2;
// A leader that was overtaken has lost its lease by then: its duration, and time to hear of it.
constexpr Duration fence_doubt = 30s;
// So often a decision may want to read something more, and so much in all.
constexpr int rounds_max = 8;
constexpr std::size_t wanted_max = 128;
// Until a workload at which nothing happened is reconciled again.
constexpr Duration wake_pace = 10ms;

bool is_of_workload(const engine::Action& action) {
    const model::Resource* resource = action.object.ref.resource;
    return resource == &model::statefulsets || resource == &model::pods;
}

}  // namespace

// Of an object that there was no room for nothing is known. It is read once there is room, or when
// it is to go, which makes room; until then its subject is held.
bool Controller::is_left_out(const model::Ref& subject, Instant now) {
    const runtime::Budget& budget = store_.budget();
    for (const ServedApi& one : apis_) {
        const model::Resource* resource = one.api->resource;
        const runtime::ObjectTable* own = store_.objects(resource);
        if (!own) continue;
        for (const auto& [meta, bytes] : own->left_out(subject)) {
            if (meta.deleting || budget.has_room(subject.ns, bytes)) {
                read(subject, {});
                return true;
            }
            tell({ref_to(*resource, meta.key), meta.uid},
                 {{engine::Reason::TooManyBytes,
                   fmt::format("The objects of namespace {} take more than {} KiB of Sluice's "
                               "memory; there is no room for this one, of {} KiB. To see what is "
                               "there: kubectl -n {} get {}",
                               subject.ns, budget.bytes_max() / 1024, bytes / 1024, subject.ns,
                               resource->plural)}},
                 now);
            ++counters_.decisions[{std::string{one.api->name}, engine::Reason::TooManyBytes}];
            queue_.failed(subject, now);
            return true;
        }
    }
    return false;
}

// Whether no table can say all there is to know of the objects that are about it.
bool Controller::has_left_out(const model::Ref& subject) const {
    return std::ranges::any_of(apis_, [&](const ServedApi& one) {
        const runtime::ObjectTable* own = store_.objects(one.api->resource);
        return own && !own->left_out(subject).empty();
    });
}

void Controller::reconcile(const model::Ref& subject, Instant now) {
    // Who is first in the registry must not be overtaken by who is first in sync.
    if (!is_settled(subject.ns)) return queue_.done(subject, now);
    if (is_left_out(subject, now)) return;
    model::StatefulSet set = known_set(subject);
    auto candidates = candidates_for(subject, set);
    if (candidates.empty()) {
        drop_case(subject);
        queue_.forget(subject);
        queue_.done(subject, now);
        return;
    }
    look_for_named(candidates.front(), subject.ns);
    auto pods = pods_of(subject, set, candidates.front());
    auto outcome = decided(subject, std::move(candidates), std::move(set), std::move(pods), now);
    if (outcome) carry_out(*outcome->api, outcome->seen, std::move(outcome->decision), false, now);
}

std::optional<Controller::Outcome> Controller::decided(const model::Ref& subject,
                                                       std::vector<Candidate> candidates,
                                                       model::StatefulSet set,
                                                       std::vector<model::Pod> pods, Instant now) {
    Case& about = cases_[subject];
    auto outcome = decided_by(subject, std::move(candidates.front()), std::move(set),
                              std::move(pods), about, now);
    if (!outcome) {
        note_reason(about, engine::Phase::Held, engine::Reason::InternalError, now);
        retry_later(subject, now);
        return std::nullopt;
    }
    candidates.erase(candidates.begin());
    add_bystanders(*outcome, std::move(candidates), now);
    return outcome;
}

// Deciding changes nothing, so if it fails for a reason that is ours, whoever it is about waits and
// nobody else does.
std::optional<Controller::Outcome> Controller::decided_by(const model::Ref& subject,
                                                          Candidate candidate,
                                                          model::StatefulSet set,
                                                          std::vector<model::Pod> pods,
                                                          const Case& about, Instant now) {
    const api::Api& api = *candidate.api;
    engine::Subject told = subject_of(set.meta);
    if (!candidate.objects.empty())
        told = {ref_to(*api.resource, candidate.objects.front().meta.key),
                candidate.objects.front().meta.uid};
    try {
        Outcome outcome{
            &api,
            snapshot(subject, std::move(candidate), std::move(set), std::move(pods), about),
            {}};
        outcome.decision = api.decide(outcome.seen, now);
        return outcome;
    } catch (const std::exception& defect) {
        if (!settings_.survives_defects) throw;
        tell_of_defect(api, told, defect.what(), now);
        return std::nullopt;
    }
}

void Controller::tell_of_defect(const api::Api& api, const engine::Subject& subject,
                                const std::string& defect, Instant now) {
    ++counters_.defects;
    ++counters_.decisions[{std::string{api.name}, engine::Reason::InternalError}];
    tell(subject,
         {{engine::Reason::InternalError,
           fmt::format("A defect of Sluice: {}. Nothing is done here until it can be decided "
                       "about; all else goes on.",
                       defect)}},
         now);
}

// The APIs that want the workload and do not have it tell their objects so.
void Controller::add_bystanders(Outcome& outcome, std::vector<Candidate> others, Instant now) {
    const model::StatefulSet& set = outcome.seen.workload;
    if (annotation(set, model::key::claim).empty()) return;
    for (Candidate& other : others) {
        auto their = decided_by(outcome.seen.subject, std::move(other), set, {}, {}, now);
        if (!their || std::ranges::any_of(their->decision.actions, is_of_workload)) continue;
        engine::Decision& said = their->decision;
        for (engine::Action& action : said.actions)
            outcome.decision.actions.push_back(std::move(action));
        tell(said.subject.value_or(subject_of(set.meta)), said.notices, now);
    }
}

// The set carries the fence of a later leader. If there is one we shall lose the lease within its
// duration; if we still lead after that, nobody wrote this fence who ever held the lease. Letting a
// set go needs no fence.
bool Controller::is_overtaken(const engine::Snapshot& seen, const engine::Decision& decision,
                              Instant now) {
    Case& about = cases_[seen.subject];
    const auto fence = model::decode_fence(annotation(seen.workload, model::key::fence));
    if (settings_.leads_at_once || decision.releases || !fence || !is_newer(*fence, fence_)) {
        about.overtaken_since.reset();
        return false;
    }
    if (!about.overtaken_since) about.overtaken_since = now;
    const Instant proven = *about.overtaken_since + fence_doubt;
    if (now >= proven) {
        log(Log::Level::Warning,
            "the fence on this set is newer than our lease, and we still hold the lease: it is "
            "not a leader's, and is overwritten",
            seen.subject);
        return false;
    }
    tell(subject_of(seen.workload.meta),
         {{engine::Reason::StaleLeader,
           "The annotation sluice.dev/fence names a newer leader; waiting to see whether there is "
           "one."}},
         now);
    queue_.add_at(seen.subject, proven);
    return true;
}

void Controller::note_reason(Case& about, engine::Phase phase, engine::Reason reason, Instant now) {
    about.phase = phase;
    if (about.reason != reason) about.reason_since = now;
    about.reason = reason;
}

void Controller::remember(const api::Api& api, const engine::Snapshot& seen,
                          const engine::Decision& decision, Instant now) {
    Case& about = cases_[seen.subject];
    about.api = api.name;
    note_reason(about, decision.report.phase, decision.report.reason, now);
    if (decision.progress)
        about.progress = std::make_unique<engine::CheckProgress>(*decision.progress);
    else
        about.progress.reset();
    ++counters_.decisions[{std::string{api.name}, decision.report.reason}];
    // A time that is over would bring the workload back at once, and again, for ever.
    if (decision.wake_at) queue_.add_at(seen.subject, std::max(*decision.wake_at, now + wake_pace));
}

void Controller::carry_out(const api::Api& api, const engine::Snapshot& seen,
                           engine::Decision decision, bool is_live, Instant now) {
    const model::Ref& subject = seen.subject;
    Case& about = cases_[subject];
    if (decision.noted) keep(about, std::move(*decision.noted));
    if (!decision.rests_on.empty()) return seek(seen, decision, now);
    remember(api, seen, decision, now);
    const bool can_read =
        !seen.workload.meta.uid.empty() || subject.resource != &model::statefulsets;
    if (!decision.actions.empty()) {
        if (is_overtaken(seen, decision, now)) return finish(subject, now);
        const engine::Action& first = decision.actions.front();
        const engine::Action* intended = cannot_be_undone(first) ? &first : nullptr;
        const bool confirmed =
            is_live && (!intended || (about.intended && is_same(*about.intended, first)));
        const bool doubted = intended || about.must_read || decision.needs_live;
        const bool is_target_read = intended || about.must_read;
        if (can_read && doubted && !confirmed)
            return read_live(seen, is_target_read ? &first : nullptr);
        if (intended && !confirmed) return finish(subject, now);  // there is nothing to read
        return write(subject, std::move(decision));
    }
    const bool asks_anew = decision.probe && !is_asking(about, *decision.probe);
    if (can_read && asks_anew && decision.needs_live && !is_live) return read_live(seen);
    tell(decision.subject.value_or(subject_of(seen.workload.meta)), decision.notices, now);
    ask(seen, decision.probe);
    queue_.succeeded(subject);
    finish(subject, now);
}

// Everything that was wanted so far is read again, so that all of it is of one moment.
void Controller::seek(const engine::Snapshot& seen, const engine::Decision& decision, Instant now) {
    Case& about = cases_[seen.subject];
    if (!about.search) about.search = std::make_unique<Search>();
    Search& search = *about.search;
    for (const model::Ref& one : decision.rests_on)
        if (std::ranges::find(search.wanted, one) == search.wanted.end())
            search.wanted.push_back(one);
    if (++search.rounds <= rounds_max && search.wanted.size() <= wanted_max) {
        const bool is_set = seen.subject.resource == &model::statefulsets;
        if (decision.rereads_subject || is_set) return read_live(seen);
        search.is_read_alone = true;
        const Ticket ticket = issue(seen.subject, static_cast<double>(search.wanted.size()));
        effects_.list.push_back(ReadWorkload{ticket, seen.subject, search.wanted});
        return;
    }
    log(Log::Level::Warning,
        fmt::format("what is to be done rests on more objects than can be looked at: after {} "
                    "rounds it wants {}",
                    search.rounds - 1, search.wanted.size()),
        seen.subject);
    retry_later(seen.subject, now);
}

Ticket Controller::issue(const model::Ref& subject, double cost) {
    tickets_[++last_ticket_] = subject;
    ++in_flight_;
    bucket_.take(cost);
    return last_ticket_;
}

void Controller::read_live(const engine::Snapshot& seen, const engine::Action* first) {
    read(seen.subject, annotation(seen.workload, model::key::claim), first);
}

// Everything that the decision rests on: the subject, the objects that are about it, the one that
// claims it though we do not know it, what the decision wanted, and what it is to write.
void Controller::read(const model::Ref& subject, const std::string& claim,
                      const engine::Action* first) {
    Case& about = cases_[subject];
    const bool is_intended = first && cannot_be_undone(*first);
    about.intended = is_intended ? std::make_unique<engine::Action>(*first) : nullptr;
    ReadWorkload effect{0, subject, {}, label_of_pods(subject)};
    const auto add = [&](const model::Ref& ref) {
        if (std::ranges::find(effect.objects, ref) == effect.objects.end())
            effect.objects.push_back(ref);
    };
    if (about.search) effect.objects = about.search->wanted;
    const model::Ref* target = first ? &first->object.ref : nullptr;
    if (target && *target != subject &&
        (store_.objects(target->resource) || target->resource == &model::statefulsets))
        add(*target);
    for (const ServedApi& one : apis_) {
        if (!one.api->resource) continue;
        std::set<std::string> names;
        for (const model::CustomObject& object : objects_about(subject, *one.api))
            names.insert(object.meta.key.name);
        const std::string prefix = std::string{one.api->name} + "/";
        if (claim.starts_with(prefix) && is_dns_subdomain(claim.substr(prefix.size())))
            names.insert(claim.substr(prefix.size()));
        for (const std::string& name : names)
            add({one.api->resource, subject.ns, name});
    }
    effect.ticket = issue(subject, read_cost + static_cast<double>(effect.objects.size()));
    effects_.list.push_back(std::move(effect));
}

// The first action of the decision. What does not follow on it waits until the world is looked at
// again.
void Controller::write(const model::Ref& subject, engine::Decision decision) {
    Case& about = cases_[subject];
    about.intended.reset();
    about.search.reset();
    about.attempt.reset();
    effects_.list.push_back(Write{issue(subject, 1), decision.actions.front()});
    about.writing = std::make_unique<engine::Decision>(std::move(decision));
}

// Who leads no more leaves the rest undone: whoever leads now decides about it.
bool Controller::writes_on(const model::Ref& subject, engine::Decision& written) {
    const bool has_more = written.actions.size() > 1 && written.actions[1].follows;
    if (!has_more || !leads_) return false;
    written.actions.erase(written.actions.begin());
    write(subject, std::move(written));
    return true;
}

void Controller::tell(const engine::Subject& subject, const std::vector<engine::Notice>& notices,
                      Instant now) {
    for (const engine::Notice& notice : notices) {
        const std::string_view reason =
            notice.name.empty() ? engine::entry(notice.reason).name : notice.name;
        const bool warns = engine::entry(notice.reason).tone == engine::Tone::Warning;
        // Warnings may repeat themselves; a start, a step and an end are told every time.
        if (warns &&
            !told_.is_news(fmt::format("{} {} {}", subject.uid, reason, notice.message), now))
            continue;
        effects_.list.push_back(Log{warns ? Log::Level::Warning : Log::Level::Info,
                                    fmt::format("{}: {}", reason, notice.message), subject.ref});
        bucket_.take(1);
        ++counters_.events[notice.reason];
        effects_.list.push_back(
            PostEvent{subject, notice.reason, notice.message, now, notice.name});
    }
}

}  // namespace sluice::controller
