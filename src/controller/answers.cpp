// What the controller makes of the answers to its reads, writes and questions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

// Of what was read, the objects of this API that name the workload, oldest first.
std::vector<model::CustomObject> naming(const LiveWorkload& live, const api::Api& api) {
    std::vector<model::CustomObject> objects;
    for (const LiveObject& one : live.objects)
        if (one.resource == api.resource && api.target_of(one.object) == live.set.meta.key.name)
            objects.push_back(one.object);
    std::ranges::sort(objects, {}, [](const model::CustomObject& one) {
        return std::pair{one.created, one.meta.uid};
    });
    return objects;
}

// Of what was read, that which a decision wanted to look at.
std::vector<engine::LookedAt> found_of(const std::vector<engine::ObjectRef>& wanted,
                                       const LiveWorkload& live) {
    std::vector<engine::LookedAt> found;
    for (const engine::ObjectRef& ref : wanted) {
        found.push_back({ref.resource, ref.name, std::nullopt});
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

std::string text_of(const api::metrics::MetricReading& reading) {
    using Kind = api::metrics::MetricReading::Kind;
    if (reading.kind == Kind::Unknown) return reading.message;
    if (reading.kind == Kind::NoData) return "no data";
    std::string text = reading.value ? fmt::format("{:.6g}", *reading.value) : "no number";
    if (reading.series > 1) text += fmt::format(" and {} more", reading.series - 1);
    return text;
}

engine::MetricEvidence evidence_of(const api::metrics::MetricReading& reading, std::string key,
                                   Instant at) {
    using Kind = api::metrics::MetricReading::Kind;
    using Seen = engine::MetricEvidence::Kind;
    const Seen kind = reading.kind == Kind::Data     ? Seen::Data
                      : reading.kind == Kind::NoData ? Seen::NoData
                                                     : Seen::Unknown;
    const bool is_number = !reading.value || !std::isnan(*reading.value);
    return {std::move(key), kind, is_number, reading.misconfigured, text_of(reading), at};
}

}  // namespace

void Controller::on(WorkloadRead&& input, Instant now) {
    const auto found = take_ticket(input.ticket);
    if (!found) return;
    const model::ObjectKey& key = *found;
    Case& about = cases_[key];
    if (!input.answer) return patch_failed(key, input.answer.error(), now);
    about.must_read = false;
    LiveWorkload live = std::move(*input.answer);
    const bool exists = !live.set.meta.uid.empty();
    if (exists) refresh(live.set);
    live.set.meta.key = key;
    for (const LiveObject& one : live.objects)
        refresh(one.resource, one.object, now);
    if (about.search) about.search->found = found_of(about.search->wanted, live);
    // One that is gone: the watch will say so too.
    const bool matters = leads_ && (exists || about.search || is_synthetic(key));
    auto concerns = matters ? concerned(live.set) : std::vector<Concern>{};
    if (concerns.empty()) return end_turn(key, now);
    concerns.front().objects = naming(live, *concerns.front().api);
    if (!exists && concerns.front().objects.empty()) return end_turn(key, now);
    auto turn = decided(std::move(concerns), std::move(live.set), std::move(live.pods), now);
    if (!turn) return;
    const bool moved_on = about.intended != Intent{} && intent_of(turn->decision) != about.intended;
    if (moved_on && turn->decision.wants.empty()) {
        // Between the two looks: think again.
        return fail_turn(key, now);
    }
    carry_out(*turn->api, turn->seen, std::move(turn->decision), true, now);
}

void Controller::end_turn(const model::ObjectKey& key, Instant now) {
    Case& about = cases_[key];
    about.intended = {};
    about.search.reset();
    queue_.done(key, now);
}

void Controller::fail_turn(const model::ObjectKey& key, Instant now, Duration at_least) {
    Case& about = cases_[key];
    about.intended = {};
    about.search.reset();
    queue_.failed(key, now, at_least);
}

std::optional<model::ObjectKey> Controller::take_ticket(Ticket ticket) {
    auto found = tickets_.extract(ticket);
    if (found.empty()) return std::nullopt;
    --in_flight_;
    return std::move(found.mapped());
}

void Controller::on(WorkloadPatched&& input, Instant now) {
    const auto key = take_ticket(input.ticket);
    if (!key) return;
    if (input.answer)
        patched(*key, *input.answer, now);
    else
        patch_failed(*key, input.answer.error(), now);
}

// A workload that the store still knows, in a newer version. One that it no longer knows was
// deleted meanwhile, and an answer that comes late does not bring it back.
void Controller::refresh(const model::StatefulSet& set) {
    if (store_.statefulset(set.meta.key)) store_.put(set);
}

// The watch will bring no news of what is known by then, so whoever it concerns is queued here.
void Controller::refresh(const model::CustomResource* resource, const model::CustomObject& object,
                         Instant now) {
    if (!table_of(resource)) return;
    runtime::ObjectTable& objects = objects_of(resource);
    if (!objects.find(object.meta.key)) return;
    for (const model::ObjectKey& workload : workloads_of(resource, objects.put(object)))
        queue_.add(workload, now);
}

engine::Decision Controller::take_written(const model::ObjectKey& key) {
    Case& about = cases_[key];
    SLUICE_ASSERT(about.writing != nullptr);
    engine::Decision written = std::move(*about.writing);
    about.writing.reset();
    about.conflicts = 0;
    return written;
}

void Controller::look_again(const model::ObjectKey& key, Instant now) {
    queue_.done(key, now);
    queue_.add(key, now);
}

void Controller::patched(const model::ObjectKey& key, const model::StatefulSet& set, Instant now) {
    const engine::Decision written = take_written(key);
    look_again(key, now);
    SLUICE_ASSERT(written.patch.has_value());
    Case& about = cases_[key];
    ++counters_.workload_writes;
    refresh(set);
    if (written.patch->moves_partition() &&
        effective_partition(set) != written.patch->partition_to()) {
        log(Log::Level::Warning, "the partition that was written is not the one that was asked for",
            key);
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
    queue_.succeeded(key);
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
    const model::ObjectKey& key = *found;
    if (!input.answer) return patch_failed(key, input.answer.error(), now);
    const engine::Decision written = take_written(key);
    refresh(written.writes.front().object.resource, *input.answer, now);
    object_written(key, written, now);
}

void Controller::on(Deleted&& input, Instant now) {
    const auto found = take_ticket(input.ticket);
    if (!found) return;
    const model::ObjectKey& key = *found;
    if (!input.answer) return patch_failed(key, input.answer.error(), now);
    const engine::Decision written = take_written(key);
    if (!written.removal) return object_written(key, written, now);
    ++counters_.pods_deleted;
    const auto set = store_.statefulset(key);
    const engine::Subject workload =
        set ? subject_of(set->meta) : engine::Subject{nullptr, key, {}};
    tell(written.subject.value_or(workload), written.notices, now);
    look_again(key, now);
    queue_.succeeded(key);
}

// An object that was made is put into no table: it may be gone again by now, and only the watch
// knows the order of things.
void Controller::object_written(const model::ObjectKey& key, const engine::Decision& written,
                                Instant now) {
    using Deed = engine::ObjectWrite::Deed;
    const engine::ObjectWrite& write = written.writes.front();
    tell(write.object, write.notices, now);
    queue_.succeeded(key);
    if (write.deed == Deed::Patch) {
        ++counters_.object_writes;
        count(cases_[key], written);
        return look_again(key, now);
    }
    ++(write.deed == Deed::Create ? counters_.objects_created : counters_.objects_deleted);
    queue_.done(key, now);
    queue_.add_at(key, now + watch_patience);
}

void Controller::patch_failed(const model::ObjectKey& key, const runtime::RequestFailure& failure,
                              Instant now) {
    Case& about = cases_[key];
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
        log(Log::Level::Warning, failure.message, key);
    fail_turn(key, now, failure.retry_after);
}

// The workload that asked, if it still waits for the answer to this question; it is looked at next.
Controller::Case* Controller::take_question(Ticket ticket, Instant now) {
    const auto found = tickets_.extract(ticket);
    if (found.empty()) return nullptr;
    Case& about = cases_[found.mapped()];
    if (about.asking != ticket || !about.asked) return nullptr;
    about.asking = 0;
    queue_.add(found.mapped(), now);
    return &about;
}

void Controller::on(HookAnswered&& input, Instant now) {
    Case* about = take_question(input.ticket, now);
    const auto* asked = about ? std::get_if<engine::HookProbe>(about->asked.get()) : nullptr;
    if (!asked) return;
    about->evidence = std::make_unique<engine::HookEvidence>(engine::HookEvidence{
        asked->key, asked->binding, input.allowed, std::move(input.message), now});
}

void Controller::on(MetricAnswered&& input, Instant now) {
    Case* about = take_question(input.ticket, now);
    const auto* asked = about ? std::get_if<engine::MetricProbe>(about->asked.get()) : nullptr;
    if (!asked) return;
    about->reading = std::make_unique<engine::MetricEvidence>(
        evidence_of(input.reading, asked->key, in_whole_seconds(now)));
}

void Controller::on(OwnAnswered&& input, Instant now) {
    SLUICE_ASSERT(input.answer != nullptr);
    Case* about = take_question(input.ticket, now);
    const auto* asked = about ? std::get_if<engine::OwnProbe>(about->asked.get()) : nullptr;
    if (!asked) return;
    about->answer = std::make_unique<engine::OwnEvidence>(
        engine::OwnEvidence{asked->key, std::move(input.answer), in_whole_seconds(now)});
}

void Controller::drop_case(const model::ObjectKey& key) {
    const auto found = cases_.find(key);
    if (found == cases_.end()) return;
    stop_asking(found->second);
    cases_.erase(found);
}

}  // namespace sluice::controller
