// What the controller makes of the answers to its reads and writes.

#include <algorithm>

#include "base/assert.hpp"
#include "controller/controller.hpp"

namespace sluice::controller {
namespace {

// How long we let a workload be after somebody changed our own write to it.
constexpr Duration contest_pace = 60s;
// So many failed preconditions in a row are no coincidence.
constexpr int conflicts_worth_a_word = 3;
// What was created or deleted is seen through the watch, and so long we wait for it to say so.
constexpr Duration watch_patience = 5s;

// Of what was read, the objects of this API that are about the subject, oldest first.
std::vector<model::CustomObject> read_about(const model::Ref& subject, const LiveWorkload& live,
                                            const api::Api& api) {
    std::vector<model::CustomObject> objects;
    for (const LiveObject& one : live.objects)
        if (one.resource == api.resource && api.subject_of(one.object) == subject)
            objects.push_back(one.object);
    std::ranges::sort(objects, {}, [](const model::CustomObject& one) {
        return std::pair{one.created, one.meta.uid};
    });
    return objects;
}

// Of what was read, that which a decision wanted.
std::vector<engine::Fetched> found_of(const std::vector<model::Ref>& wanted,
                                      const LiveWorkload& live) {
    std::vector<engine::Fetched> found;
    for (const model::Ref& ref : wanted) {
        found.push_back({ref, std::nullopt});
        for (const LiveObject& one : live.objects)
            if (one.resource == ref.resource && one.object.meta.key == ref.key())
                found.back().object = one.object;
    }
    return found;
}

engine::Refusal refusal_of(const runtime::RequestFailure& failure) {
    return {failure.status, failure.said.empty() ? failure.message : failure.said,
            failure.unreadable || failure.too_large};
}

// Which counter a write that went through belongs to.
std::uint64_t& counter_of(Counters& counters, const engine::Action& action) {
    using Verb = engine::Action::Verb;
    const model::Resource* resource = action.object.ref.resource;
    if (action.verb == Verb::Create) return counters.objects_created;
    if (action.verb == Verb::Delete)
        return resource == &model::pods ? counters.pods_deleted : counters.objects_deleted;
    return resource == &model::statefulsets ? counters.workload_writes : counters.object_writes;
}

}  // namespace

void Controller::on(WorkloadRead&& input, Instant now) {
    const auto found = take_ticket(input.ticket);
    if (!found) return;
    const model::Ref& subject = *found;
    Case& about = cases_[subject];
    if (about.search && std::exchange(about.search->is_read_alone, false))
        return see_wanted(subject, std::move(input.answer), now);
    if (!input.answer) return request_failed(subject, input.answer.error(), now);
    about.must_read = false;
    LiveWorkload live = std::move(*input.answer);
    const bool is_set = subject.resource == &model::statefulsets;
    const bool exists = !live.set.meta.uid.empty();
    if (exists) store_.refresh(model::statefulsets, live.set);  // this reconcile goes on with it
    if (!exists) live.set.meta.key = known_set(subject).meta.key;
    // The watch will bring no news of what is known by then, so whoever it concerns is queued here.
    for (const LiveObject& one : live.objects)
        queue(store_.refresh(*one.resource, one.object), now);
    for (const model::StatefulSet& one : live.sets)
        queue(store_.refresh(model::statefulsets, one), now);
    if (about.search) {
        Search& search = *about.search;
        std::erase_if(search.found, [&](const engine::Fetched& one) {
            return !one.refusal || std::ranges::find(search.wanted, one.ref) != search.wanted.end();
        });
        for (engine::Fetched& one : found_of(search.wanted, live))
            search.found.push_back(std::move(one));
    }
    // One that is gone: the watch will say so too.
    const bool matters = leads_ && (exists || about.search || !is_set);
    auto candidates = matters ? candidates_for(subject, live.set) : std::vector<Candidate>{};
    if (candidates.empty()) return finish(subject, now);
    candidates.front().objects = read_about(subject, live, *candidates.front().api);
    if (!exists && candidates.front().objects.empty()) return finish(subject, now);
    auto outcome =
        decided(subject, std::move(candidates), std::move(live.set), std::move(live.pods), now);
    if (!outcome) return;
    const auto& actions = outcome->decision.actions;
    const bool moved_on =
        about.intended && (actions.empty() || !is_same(actions.front(), *about.intended));
    if (moved_on && outcome->decision.rests_on.empty()) {
        // Between the two looks: think again.
        return retry_later(subject, now);
    }
    carry_out(*outcome->api, outcome->seen, std::move(outcome->decision), true, now);
}

// All else is as it is known. What could not be read is told to whoever wanted it.
void Controller::see_wanted(const model::Ref& subject, Answer<LiveWorkload> answer, Instant now) {
    Search& search = *cases_[subject].search;
    search.found = found_of(search.wanted, answer ? *answer : LiveWorkload{});
    if (answer)
        for (const LiveObject& one : answer->objects)
            queue(store_.refresh(*one.resource, one.object), now);
    for (engine::Fetched& one : search.found)
        if (!answer) one.refusal = refusal_of(answer.error());
    // A live read goes without what nobody may read, which stays refused.
    if (!answer) search.wanted.clear();
    if (has_left_out(subject)) return read(subject, {});
    const bool matters = leads_ && is_settled(subject.ns);
    model::StatefulSet set = known_set(subject);
    auto candidates = matters ? candidates_for(subject, set) : std::vector<Candidate>{};
    if (candidates.empty()) return finish(subject, now);
    auto pods = pods_of(subject, set, candidates.front());
    auto outcome = decided(subject, std::move(candidates), std::move(set), std::move(pods), now);
    if (outcome) carry_out(*outcome->api, outcome->seen, std::move(outcome->decision), false, now);
}

void Controller::finish(const model::Ref& subject, Instant now) {
    Case& about = cases_[subject];
    about.intended.reset();
    about.search.reset();
    about.attempt.reset();
    queue_.done(subject, now);
}

void Controller::retry_later(const model::Ref& subject, Instant now, Duration at_least) {
    Case& about = cases_[subject];
    about.intended.reset();
    about.search.reset();
    about.attempt.reset();
    queue_.failed(subject, now, at_least);
}

std::optional<model::Ref> Controller::take_ticket(Ticket ticket) {
    auto found = tickets_.extract(ticket);
    if (found.empty()) return std::nullopt;
    --in_flight_;
    return std::move(found.mapped());
}

engine::Decision Controller::take_written(const model::Ref& subject) {
    Case& about = cases_[subject];
    SLUICE_ASSERT(about.writing != nullptr);
    engine::Decision written = std::move(*about.writing);
    about.writing.reset();
    about.conflicts = 0;
    return written;
}

// Somebody changes our writes on their way: not again before a while has passed.
bool Controller::is_contested(const model::Ref& subject, const engine::Action& action,
                              const std::optional<model::Object>& answer, Instant now) {
    const auto* set = answer ? std::get_if<model::StatefulSet>(&*answer) : nullptr;
    if (!set || !action.partition) return false;
    Case& about = cases_[subject];
    about.contested_until.reset();
    if (effective_partition(*set) == *action.partition) return false;
    log(Log::Level::Warning, "the partition that was written is not the one that was asked for",
        subject);
    about.contested_until = now + contest_pace;
    return true;
}

void Controller::count(const Case& about, const engine::Decision& written) {
    if (written.takes_step) ++counters_.steps;
    if (written.ended)
        effects_.list.push_back(
            RolloutEnded{std::string{about.api}, written.ended->outcome, written.ended->took});
}

// An object that was made is put into no table: it may be gone again by now, and only the watch
// knows the order of things. The watch is waited for, too, when one is gone; but whoever deletes a
// pod goes on with what is left, and of what nobody watches the answer is all there is.
void Controller::on(Written&& input, Instant now) {
    using Verb = engine::Action::Verb;
    const auto found = take_ticket(input.ticket);
    if (!found) return;
    const model::Ref& subject = *found;
    if (!input.answer) return request_failed(subject, input.answer.error(), now);
    engine::Decision written = take_written(subject);
    const engine::Action action = written.actions.front();
    ++counter_of(counters_, action);
    if (action.verb == Verb::Patch && *input.answer)
        queue(store_.refresh(*action.object.ref.resource, **input.answer), now);
    if (writes_on(subject, written)) return tell(action.object, action.notices, now);
    const bool watched = store_.is_watched(action.object.ref.resource);
    const bool deletes_pod =
        action.verb == Verb::Delete && action.object.ref.resource == &model::pods;
    const bool goes_on = action.verb == Verb::Patch || deletes_pod || !watched;
    Case& about = cases_[subject];
    if (!watched) {
        about.attempt = std::make_unique<engine::Attempt>(action.verb, action.object.ref);
        if (*input.answer) about.attempt->object = std::get<model::CustomObject>(**input.answer);
    }
    queue_.done(subject, now);
    if (goes_on)
        queue_.add(subject, now);
    else
        queue_.add_at(subject, now + watch_patience);
    if (is_contested(subject, action, *input.answer, now)) return;
    if (written.takes_step)
        std::erase_if(about.evidence,
                      [](const engine::Evidence& one) { return !one.outlasts_step; });
    count(about, written);
    tell(action.object, action.notices, now);
    const bool is_workload = action.object.ref == subject;
    const engine::Subject workload =
        is_workload ? action.object : engine::Subject{subject, known_set(subject).meta.uid};
    tell(written.subject.value_or(workload), written.notices, now);
    queue_.succeeded(subject);
}

void Controller::request_failed(const model::Ref& subject, const runtime::RequestFailure& failure,
                                Instant now) {
    Case& about = cases_[subject];
    const std::unique_ptr<engine::Decision> failed = std::move(about.writing);
    const engine::Action* action = failed ? &failed->actions.front() : nullptr;
    if (failed && failure.exists && writes_on(subject, *failed)) return;
    const bool creates = action && action->verb == engine::Action::Verb::Create;
    const bool overtaken = failure.status == 409 || failure.status == 422;
    // Applied, refused or never arrived: whatever it was, read before the next write. Only what was
    // to be made and is there already is all the same: the watch will bring it.
    const bool is_there = creates && failure.status == 409;
    if (!is_there) about.must_read = true;
    if (overtaken) {
        ++counters_.conflicts;
        ++about.conflicts;
    }
    if (!overtaken || about.conflicts % conflicts_worth_a_word == 0)
        log(Log::Level::Warning, failure.message, subject);
    retry_later(subject, now, failure.retry_after);
    if (action && action->object.ref != subject)
        about.attempt = std::make_unique<engine::Attempt>(action->verb, action->object.ref,
                                                          std::nullopt, refusal_of(failure));
}

void Controller::drop_case(const model::Ref& subject) {
    const auto found = cases_.find(subject);
    if (found == cases_.end()) return;
    stop_asking(found->second);
    cases_.erase(found);
}

}  // namespace sluice::controller
