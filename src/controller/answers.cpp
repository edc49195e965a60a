// What the controller makes of the answers to its reads and writes.
#include <fmt/format.h>

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
std::vector<model::CustomObject> objects_about(const model::Ref& subject, const LiveWorkload& live,
                                               const api::Api& api) {
    std::vector<model::CustomObject> objects;
    for (const LiveObject& one : live.objects)
        if (one.resource == api.resource && api.target_of(one.object) == subject)
            objects.push_back(one.object);
    std::ranges::sort(objects, {}, [](const model::CustomObject& one) {
        return std::pair{one.created, one.meta.uid};
    });
    return objects;
}

// Of what was read, that which a decision wanted to look at.
std::vector<engine::LookedAt> found_of(const std::vector<model::Ref>& wanted,
                                       const LiveWorkload& live) {
    std::vector<engine::LookedAt> found;
    for (const model::Ref& ref : wanted) {
        found.push_back({ref, std::nullopt});
        for (const LiveObject& one : live.objects)
            if (one.resource == ref.resource && one.object.meta.key.name == ref.name)
                found.back().object = one.object;
    }
    return found;
}

bool is_creation(const engine::Decision& decision) {
    return !decision.patch && !decision.removal && !decision.writes.empty() &&
           decision.writes.front().deed == engine::ObjectWrite::Deed::Create;
}

}  // namespace

void Controller::on(WorkloadRead&& input, Instant now) {
    const auto found = take_ticket(input.ticket);
    if (!found) return;
    const model::Ref& subject = *found;
    Case& about = cases_[subject];
    if (!input.answer) return patch_failed(subject, input.answer.error(), now);
    about.must_read = false;
    LiveWorkload live = std::move(*input.answer);
    const bool is_set = subject.resource == &model::statefulsets;
    const bool exists = !live.set.meta.uid.empty();
    if (exists) refresh(live.set);
    if (!exists) live.set.meta.key = known_set(subject).meta.key;
    for (const LiveObject& one : live.objects)
        refresh(one.resource, one.object, now);
    if (about.search) about.search->found = found_of(about.search->wanted, live);
    // One that is gone: the watch will say so too.
    const bool matters = leads_ && (exists || about.search || !is_set);
    auto concerns = matters ? concerned(subject, live.set) : std::vector<Concern>{};
    if (concerns.empty()) return end_turn(subject, now);
    concerns.front().objects = objects_about(subject, live, *concerns.front().api);
    if (!exists && concerns.front().objects.empty()) return end_turn(subject, now);
    auto turn =
        decided(subject, std::move(concerns), std::move(live.set), std::move(live.pods), now);
    if (!turn) return;
    const bool moved_on = about.intended != Intent{} && intent_of(turn->decision) != about.intended;
    if (moved_on && turn->decision.wants.empty()) {
        // Between the two looks: think again.
        return fail_turn(subject, now);
    }
    carry_out(*turn->api, turn->seen, std::move(turn->decision), true, now);
}

void Controller::end_turn(const model::Ref& subject, Instant now) {
    Case& about = cases_[subject];
    about.intended = {};
    about.search.reset();
    queue_.done(subject, now);
}

void Controller::fail_turn(const model::Ref& subject, Instant now, Duration at_least) {
    Case& about = cases_[subject];
    about.intended = {};
    about.search.reset();
    queue_.failed(subject, now, at_least);
}

std::optional<model::Ref> Controller::take_ticket(Ticket ticket) {
    auto found = tickets_.extract(ticket);
    if (found.empty()) return std::nullopt;
    --in_flight_;
    return std::move(found.mapped());
}

void Controller::on(WorkloadPatched&& input, Instant now) {
    const auto subject = take_ticket(input.ticket);
    if (!subject) return;
    if (input.answer)
        patched(*subject, *input.answer, now);
    else
        patch_failed(*subject, input.answer.error(), now);
}

// A workload that the store still knows, in a newer version. One that it no longer knows was
// deleted meanwhile, and an answer that comes late does not bring it back.
void Controller::refresh(const model::StatefulSet& set) {
    if (store_.statefulset(set.meta.key)) store_.put(set);
}

// The watch will bring no news of what is known by then, so whoever it concerns is queued here.
void Controller::refresh(const model::Resource* resource, const model::CustomObject& object,
                         Instant now) {
    if (!table_of(resource)) return;
    runtime::ObjectTable& objects = objects_of(resource);
    if (!objects.find(object.meta.key)) return;
    for (const model::Ref& subject : subjects_of(resource, objects.put(object)))
        queue_.add(subject, now);
}

engine::Decision Controller::take_written(const model::Ref& subject) {
    Case& about = cases_[subject];
    SLUICE_ASSERT(about.writing != nullptr);
    engine::Decision written = std::move(*about.writing);
    about.writing.reset();
    about.conflicts = 0;
    return written;
}

void Controller::look_again(const model::Ref& subject, Instant now) {
    queue_.done(subject, now);
    queue_.add(subject, now);
}

void Controller::patched(const model::Ref& subject, const model::StatefulSet& set, Instant now) {
    const engine::Decision written = take_written(subject);
    look_again(subject, now);
    SLUICE_ASSERT(written.patch.has_value());
    Case& about = cases_[subject];
    ++counters_.workload_writes;
    refresh(set);
    if (written.patch->moves_partition() &&
        effective_partition(set) != written.patch->partition_to()) {
        log(Log::Level::Warning, "the partition that was written is not the one that was asked for",
            subject);
        about.contested_until = now + contest_pace;
        return;
    }
    if (written.patch->moves_partition()) about.contested_until.reset();
    if (written.takes_step) {
        about.evidence.reset();
        about.reading.reset();
    }
    count(about, written);
    tell(written.subject.value_or(subject_of(set.meta)), written.notices, now);
    queue_.succeeded(subject);
}

void Controller::count(const Case& about, const engine::Decision& written) {
    if (written.takes_step) ++counters_.steps;
    if (written.ended)
        effects_.list.push_back(
            RolloutEnded{std::string{about.api}, written.ended->outcome, written.ended->took});
}

void Controller::on(ObjectPatched&& input, Instant now) {
    const auto found = take_ticket(input.ticket);
    if (!found) return;
    const model::Ref& subject = *found;
    if (!input.answer) return patch_failed(subject, input.answer.error(), now);
    const engine::Decision written = take_written(subject);
    refresh(written.writes.front().object.ref.resource, *input.answer, now);
    object_written(subject, written, now);
}

void Controller::on(Deleted&& input, Instant now) {
    const auto found = take_ticket(input.ticket);
    if (!found) return;
    const model::Ref& subject = *found;
    if (!input.answer) return patch_failed(subject, input.answer.error(), now);
    const engine::Decision written = take_written(subject);
    if (!written.removal) return object_written(subject, written, now);
    ++counters_.pods_deleted;
    const engine::Subject workload{subject, known_set(subject).meta.uid};
    tell(written.subject.value_or(workload), written.notices, now);
    look_again(subject, now);
    queue_.succeeded(subject);
}

// An object that was made is put into no table: it may be gone again by now, and only the watch
// knows the order of things.
void Controller::object_written(const model::Ref& subject, const engine::Decision& written,
                                Instant now) {
    using Deed = engine::ObjectWrite::Deed;
    const engine::ObjectWrite& write = written.writes.front();
    tell(write.object, write.notices, now);
    queue_.succeeded(subject);
    if (write.deed == Deed::Patch) {
        ++counters_.object_writes;
        count(cases_[subject], written);
        return look_again(subject, now);
    }
    ++(write.deed == Deed::Create ? counters_.objects_created : counters_.objects_deleted);
    queue_.done(subject, now);
    queue_.add_at(subject, now + watch_patience);
}

void Controller::patch_failed(const model::Ref& subject, const runtime::RequestFailure& failure,
                              Instant now) {
    Case& about = cases_[subject];
    const bool creates = about.writing && is_creation(*about.writing);
    about.writing.reset();
    const bool overtaken = failure.status == 409 || failure.status == 422;
    // Applied, refused or never arrived: whatever it was, look before the next write. Only what was
    // to be made and is there already is all the same: the watch will bring it.
    const bool is_there = creates && failure.status == 409;
    if (!is_there) about.must_read = true;
    if (overtaken) {
        ++counters_.conflicts;
        ++about.conflicts;
    }
    if (!overtaken || about.conflicts % conflicts_worth_a_word == 0)
        log(Log::Level::Warning, failure.message, subject);
    fail_turn(subject, now, failure.retry_after);
}

void Controller::drop_case(const model::Ref& subject) {
    const auto found = cases_.find(subject);
    if (found == cases_.end()) return;
    stop_asking(found->second);
    cases_.erase(found);
}

}  // namespace sluice::controller
