#include "api/stateful_cluster/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "api/claims.hpp"
#include "api/hooks/gate.hpp"
#include "api/owning.hpp"
#include "api/stateful_cluster/bodies.hpp"
#include "api/stateful_cluster/compile.hpp"
#include "api/stateful_cluster/in_place.hpp"
#include "api/stateful_cluster/part.hpp"
#include "api/stateful_cluster/reconciliation.hpp"
#include "api/stateful_cluster/report.hpp"
#include "engine/gates.hpp"
#include "model/annotations.hpp"

namespace sluice::api::stateful_cluster {
namespace {

namespace key = model::key;
using engine::Action;
using engine::Decision;
using engine::Reason;
using engine::Snapshot;
using model::CustomObject;

// Claims that are read to find out whose volume is gone: each is a request. Others have their turn
// when these members are replaced.
constexpr std::size_t read_at_once = 16;
// A claim that is being bound can be called Lost for a moment.
constexpr Duration binding_time = 20s;

std::string refused_pod(const Snapshot& seen, Action::Verb verb) {
    const engine::Attempt* refused = refused_write(seen);
    const bool is_it = refused && refused->verb == verb && refused->ref.resource == &model::pods;
    return is_it ? refused->ref.name : std::string{};
}

std::optional<engine::Memory> memory_of(const Status& status) {
    return engine::decode_memory(status.rollout);
}

}  // namespace

Reconciliation::Reconciliation(const Snapshot& seen, const Spec& spec, Instant now)
    : seen_(seen),
      object_(seen.objects.front()),
      spec_(spec),
      now_(now),
      view_{object_, spec_, seen.pods, now, refused_pod(seen, Action::Verb::Create)},
      refused_update_(refused_pod(seen, Action::Verb::Patch)),
      old_(read_status(object_)),
      next_(old_) {}

// The template has a revision, and the revision is kept.
void Reconciliation::note_revision() {
    revision_ = revision_of(object_, spec_.pod_template);
    next_.update_revision = revision_;
    if (next_.current_revision.empty()) next_.current_revision = revision_;
    next_.selector = spec_.selector.empty() ? fmt::format("{}={}", cluster_label, view_.cluster())
                                            : spec_.selector;
    std::erase(next_.revisions, revision_);
    next_.revisions.push_back(revision_);
}

bool Reconciliation::is_open() const {
    const auto memory = memory_of(next_);
    return memory && memory->open;
}

// Of those that the update has not reached nobody has ever been ready, and no gate is to be asked:
// there is nothing that a step could disturb, and a template that is put right is not kept waiting
// by the wrong one.
bool Reconciliation::disturbs_nobody() const {
    const auto reached = static_cast<std::size_t>(next_.exposed.value);
    const std::size_t behind = next_.members.size() - std::min(reached, next_.members.size());
    return !spec_.gates.are_any() &&
           std::ranges::all_of(next_.members | std::views::take(behind), [&](const Member& one) {
               return one.added || one.revision == revision_;
           });
}

// While there are no members, and no gates that somebody wants to be asked, nothing is left of the
// revision before.
void Reconciliation::settle_at_zero() {
    if (spec_.replicas.value > 0 || !next_.members.empty() || spec_.gates.are_any()) return;
    next_.current_revision = revision_;
    auto memory = memory_of(next_);
    if (!memory) return;
    memory->open = memory->returning = memory->failed = false;
    next_.rollout = encode(*memory);
}

Circumstances Reconciliation::circumstances() const {
    return {.members = PodCount{static_cast<std::int32_t>(next_.members.size())},
            .exposed = next_.exposed,
            .gates = gates::circumstances_of(spec_.gates, next_.gates, seen_, disturbs_nobody())};
}

engine::Course Reconciliation::course() const {
    engine::Course course;
    course.commands = commands();
    course.allowed = Reason::StepTaken;
    course.members = engine::MemberCluster{.names = {},
                                           .exposed = next_.exposed,
                                           .current = next_.current_revision,
                                           .updated = revision_,
                                           .memory = memory_of(next_)};
    for (const Member& one : next_.members)
        course.members->names.push_back(one.name);
    course.compile = [this] { return compile(spec_, circumstances()); };
    return course;
}

void Reconciliation::note_gates() {
    next_.gates = gates::noted(std::move(next_.gates), decision_, object_, is_open(), now_);
}

// How many members the update may have reached by now.
void Reconciliation::steer() {
    if (spec_.strategy == Strategy::OnDelete) {
        const bool is_done = std::ranges::all_of(
            next_.members, [&](const Member& one) { return one.revision == revision_; });
        if (is_done) next_.current_revision = revision_;
        next_.exposed = {};
        next_.rollout.clear();
        return note_gates();
    }
    settle_at_zero();
    decision_ = engine::steer(seen_, course(), now_);
    hooks::complete(decision_, seen_, "statefulcluster");
    if (const auto& memory = decision_.memory) {
        const PodCount count{static_cast<std::int32_t>(next_.members.size())};
        next_.rollout = encode(*memory);
        next_.exposed = memory->open ? exposed_count(memory->partition, count) : PodCount{0};
        if (!memory->open && !memory->failed) next_.current_revision = memory->revision;
    }
    note_gates();
}

// From which revisions the update can be made in place, as far as they were read.
void Reconciliation::find_in_place() {
    if (spec_.in_place == InPlace::Never) return;
    const auto first = next_.members.size() - static_cast<std::size_t>(next_.exposed.value);
    for (std::size_t i = first; i < next_.members.size(); ++i) {
        const Member& member = next_.members[i];
        if (!member.is_tried() || member.revision == revision_) continue;
        const auto from = template_of(member.revision);
        if (from && image_changes(*from, spec_.pod_template))
            view_.in_place_from.insert(member.revision);
    }
}

// Who waits for a node may wait for a volume that is gone, and gets none any more: when that is to
// be found out. Of one whose pod somebody has deleted meanwhile at once, so that its successor does
// not wait for the same. Nothing: it has a node, or is not there yet.
std::optional<Instant> Reconciliation::volumes_due(const Member& member) const {
    const model::Pod* pod = view_.pod(member.name);
    if (pod && !pod->meta.deleting)
        return pod->ready || !pod->node.empty()
                   ? std::nullopt
                   : std::optional{view_.since(member) +
                                   std::max(spec_.failure_tolerance, binding_time)};
    const bool was_seen = member.is_tried() && member.state != Member::State::Creating;
    const Instant due = member.since + binding_time;
    return was_seen && member.node.empty() && due <= now_ ? std::optional{due} : std::nullopt;
}

// As far as claims were read.
void Reconciliation::find_lost_volumes() {
    std::size_t read = 0;
    for (const Member& member : next_.members) {
        const auto due = volumes_due(member);
        if (!due) continue;
        if (now_ < *due) {
            decision_.wake_at = std::min(decision_.wake_at.value_or(*due), *due);
            continue;
        }
        const auto wanted = claims_of(object_, spec_, member.name, member.claims_of);
        read += wanted.size();
        if (read > read_at_once) break;
        const auto is_lost = lost_volume(wanted, seen_);
        if (!is_lost) std::ranges::copy(wanted, std::back_inserter(decision_.rests_on));
        if (is_lost.value_or(false)) view_.without_volume.insert(member.name);
    }
}

void Reconciliation::tend_members() {
    const bool stays_behind = is_open() && !disturbs_nobody();
    const std::string behind = stays_behind ? next_.current_revision : revision_;
    Tended tended = tend(view_, std::move(next_), behind);
    next_ = std::move(tended.status);
    held_ = std::move(tended.held);
    for (engine::Notice& one : tended.notices)
        decision_.notices.push_back(std::move(one));
    if (tended.wake_at)
        decision_.wake_at = std::min(decision_.wake_at.value_or(*tended.wake_at), *tended.wake_at);
}

void Reconciliation::report() {
    count_members(view_, next_);
    for (const model::Pod& pod : seen_.pods)
        if (const Instant due = pod.ready_since + spec_.min_ready; pod.ready && due > now_)
            decision_.wake_at = std::min(decision_.wake_at.value_or(due), due);
    engine::StatusReport members = report_on(view_, next_);
    const engine::Attempt* refused = refused_write(seen_);
    if (refused && refused->verb == Action::Verb::Delete) refused = nullptr;
    if (refused && refused->refusal)
        members = {engine::Phase::Held,
                   Reason::MemberRefused,
                   fmt::format("{} {} was refused: {}", refused->ref.resource->kind,
                               refused->ref.name, refused->refusal->why),
                   {}};
    if (members.phase == engine::Phase::Idle && seen_.hook_problem)
        members = {engine::Phase::Blocked,
                   engine::reason_of(*seen_.hook_problem),
                   seen_.hook_problem->message,
                   {}};
    const bool is_idle = decision_.report.phase == engine::Phase::Idle;
    const bool is_refusal = members.reason == Reason::MemberRefused;
    if (held_)
        decision_.report = std::move(*held_);
    else if (is_idle || is_refusal)
        decision_.report = std::move(members);
    if (decision_.report.unblock.empty())
        decision_.report.unblock = engine::unblock_text(decision_.report.reason, seen_.workload,
                                                        commands(), view_.cluster());
    if (engine::entry(decision_.report.reason).tone == engine::Tone::Warning)
        decision_.notices.push_back({decision_.report.reason, decision_.report.message});
    write_report(next_, old_, decision_.report, seen_, now_);
}

bool Reconciliation::is_busy() const {
    return is_open() || !next_.leaving.empty() ||
           std::ranges::any_of(next_.members, [&](const Member& one) {
               return !view_.pod(one.name) || view_.was_never_ready(one);
           });
}

// Everything that was decided, in one write.
void Reconciliation::write_status(bool is_urgent) {
    // What a gate has come to is not known from the pods, and lost with whoever does not write it.
    const bool is_of_pods = next_.gates == old_.gates;
    if (!is_urgent && is_of_pods && is_busy() && now_ < old_.written + counting_pace) {
        const Instant due = old_.written + counting_pace;
        decision_.wake_at = std::min(decision_.wake_at.value_or(due), due);
        decision_.notices.clear();
        return;
    }
    if (says_the_same(next_, old_)) return;
    Status status = next_;
    status.written = in_whole_seconds(now_);
    auto write = api::status_write(subject(), object_, old_, status);
    if (!write) return;
    const bool is_new_revision =
        std::ranges::find(old_.revisions, revision_) == old_.revisions.end();
    if (is_new_revision) {
        const model::Ref ref{&revisions, object_.meta.key.ns, revision_};
        decision_.actions.push_back(engine::creation_of(
            ref, revision_body(object_, revision_, object_.meta.generation, spec_.pod_template)));
        write->follows = true;
    }
    decision_.needs_live = is_urgent;
    decision_.actions.push_back(std::move(*write));
}

void Reconciliation::act() {
    if (auto write = finalizer_write(object_, spec_)) {
        decision_.actions.push_back(std::move(*write));
        return;
    }
    if (substance_of(next_) != substance_of(old_)) return write_status(true);
    if (retry_refused() || delete_leaver() || delete_claims() || update_in_place() ||
        make_members() || trim_revisions())
        return;
    write_status(false);
}

Decision Reconciliation::decide() && {
    note_revision();
    steer();
    decision_.subject = subject();
    find_in_place();
    find_lost_volumes();
    if (!decision_.rests_on.empty()) return std::move(decision_);  // that is read first
    tend_members();
    report();
    act();
    return std::move(decision_);
}

void prepare(Snapshot& seen) {
    if (seen.objects.empty()) return;
    const CustomObject& object = seen.objects.front();
    const Status status = read_status(object);
    stand_for_workload(seen, status.rollout);
    model::StatefulSet& workload = seen.workload;
    const auto spec = read_spec(object);
    if (!spec) return;
    gates::prepare(seen, spec->gates, status.gates);
    workload.min_ready = spec->min_ready;
    workload.update_revision = revision_of(object, spec->pod_template);
}

Decision decide(const Snapshot& seen, Instant now) {
    if (seen.objects.empty()) return {};
    const auto spec = read_spec(seen.objects.front());
    if (seen.objects.front().meta.deleting) return part(seen, spec ? &*spec : nullptr, now);
    if (!spec)
        return refuse_spec(resource, seen, spec.error(), read_status(seen.objects.front()), now,
                           write_report);
    return Reconciliation{seen, *spec, now}.decide();
}

}  // namespace sluice::api::stateful_cluster
