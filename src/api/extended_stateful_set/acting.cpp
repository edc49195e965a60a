// What is done for an ExtendedStatefulSet, once it is written down which versions it has.
#include <fmt/format.h>

#include <algorithm>

#include "api/extended_stateful_set/bodies.hpp"
#include "api/extended_stateful_set/reconciliation.hpp"
#include "api/owning.hpp"

namespace sluice::api::extended_stateful_set {

bool Reconciliation::make_or_scale(int version) {
    return std::ranges::any_of(sets_of(version),
                               [&](const SetId& id) { return make_or_scale(id); });
}

bool Reconciliation::move_pods() {
    if (spec_.hands_over()) return carry_out_move();
    const Version* back = wanted_back();
    return make_or_scale(next_.current) || switch_services() ||
           (next_.update != next_.current && make_or_scale(next_.update)) ||
           (back && make_or_scale(back->number));
}

// A StatefulSet of a version, with as many pods as it is to have. One that has never had any is not
// made before it is to have some.
bool Reconciliation::make_or_scale(const SetId& id) {
    const Version* version = find_version(versions_, id.version);
    const Part* seen = version ? version->in_zone(id.zone.value_or(0)) : nullptr;
    const PodCount pods = wanted(id);
    if (seen && seen->set->replicas == pods) return false;
    const bool grows = !seen || pods > seen->set->replicas;
    if (grows && !spec_.volumes.templates.empty() && next_.claims.made < spec_.replicas.value)
        return false;
    if (seen && waits_for_other_zones(*seen, pods)) return false;
    // Of a version whose set somebody has deleted nobody knows the template any more.
    if (!seen && (pods.value == 0 || id.version != next_.update)) return false;
    if (!seen && config_.stops()) return false;
    const bool is_on_trial = id.version != next_.current;
    if (is_on_trial && pods.value == 0 && spec_.replicas.value > 0 && !can_go_back()) return false;
    if (is_on_trial && pods.value == 0 && is_selected(id.version)) return false;
    if (is_on_trial) begin_waiting();
    if (seen)
        add_action(scaling_of(*seen->set, pods, fence()));
    else
        make_set(id, pods);
    decision_.needs_live = true;
    return true;
}

// Of the version that serves, one zone after the other gives up pods.
bool Reconciliation::waits_for_other_zones(const Part& part, PodCount pods) const {
    if (part.id.version != next_.current || pods > part.set->replicas) return false;
    const Version* version = find_version(versions_, part.id.version);
    return std::ranges::any_of(version->parts, [&](const Part& other) {
        return &other != &part && other.pods.size() > static_cast<std::size_t>(pods.value) &&
               other.set->replicas == pods;
    });
}

// The time that pods get to be ready begins when they are made, whoever was away meanwhile.
void Reconciliation::begin_waiting() {
    if (next_.exposed.value == 0 || now_ < next_.stepped + counting_pace) return;
    next_.stepped = in_whole_seconds(now_);
    write_status(true);
}

// The mark is there as long as the version is not tried again.
bool Reconciliation::mark_stale() {
    const Version* update = find_version(versions_, next_.update);
    if (!update || next_.update == next_.current) return false;
    const auto memory = engine::decode_memory(next_.rollout);
    const bool is_stale = memory && memory->failed && !memory->open;
    const std::string why = next_.failure.empty() ? "It failed." : next_.failure;
    for (const Part& part : update->parts) {
        if (is_stale == !annotation(*part.set, stale_key).empty()) continue;
        add_action(stale_mark(*part.set, is_stale ? why : std::string{}, fence()));
        return true;
    }
    return false;
}

// Never the last one that serves: another one has as many pods available, or it has none itself.
bool Reconciliation::may_go(const Version& version) const {
    if (spec_.hands_over())
        return std::ranges::all_of(version.parts, [](const Part& part) {
            return part.set->replicas.value == 0 && part.pods.empty();
        });
    const PodCount ready = version.ready();
    if (ready.value == 0 || spec_.replicas.value == 0) return true;
    const Version* current = find_version(versions_, next_.current);
    const PodCount available = current ? current->available(spec_.min_ready, now_) : PodCount{0};
    return available >= std::min(ready, spec_.pods()) && available.value > 0;
}

// In one of its zones the pods are on their way out.
bool Reconciliation::is_leaving(int version) const {
    return std::ranges::any_of(seen_.sets, [&](const model::StatefulSet& set) {
        return set.meta.deleting && version_of(set) == version;
    });
}

// One zone after the other.
bool Reconciliation::delete_superseded() {
    for (const Version& one : versions_) {
        const bool is_wanted =
            one.number == next_.current || one.number == next_.update || &one == wanted_back();
        if (is_wanted || is_selected(one.number) || is_leaving(one.number) || !may_go(one))
            continue;
        if (const auto until = stays_until(one.number)) {
            wake_at(*until);
            continue;
        }
        const model::StatefulSet& set = *one.parts.front().set;
        engine::Action deletion =
            engine::deletion_of({ref_to(model::statefulsets, set.meta.key), set.meta.uid});
        deletion.awaits_owned = true;
        add_action(std::move(deletion));
        if (one.parts.size() == 1)
            decision_.notices.push_back(
                {engine::Reason::VersionRemoved,
                 fmt::format("{} is not needed any more.", revision_of(one.number))});
        return true;
    }
    return false;
}

bool Reconciliation::is_busy() const {
    return is_open() || restart_ || next_.versions.size() > 1 || next_.ready < spec_.pods();
}

bool Reconciliation::waits_to_count() {
    const Instant due = old_.written + counting_pace;
    if (!is_busy() || now_ >= due) return false;
    wake_at(due);
    return true;
}

void Reconciliation::write_status(bool is_urgent) {
    // What a gate has come to is not known from the pods, and lost with whoever does not write it.
    const bool is_of_pods = next_.gates == old_.gates;
    if (!is_urgent && is_of_pods && decision_.silent) return;
    if (!is_urgent && is_of_pods && waits_to_count()) return decision_.notices.clear();
    if (says_the_same(next_, old_)) return;
    Status status = next_;
    if (config_.is_known()) status.config.versions = config_.versions;
    status.written = in_whole_seconds(now_);
    auto write = api::status_write(subject(), object_, old_, status);
    if (!write) return;
    decision_.needs_live = decision_.needs_live || is_urgent;
    add_action(std::move(*write));
}

void Reconciliation::act() {
    if (substance_of(next_) != substance_of(old_)) return write_status(true);
    // What is to be looked at first is read alone: what could not be read is told of all.
    if (!decision_.rests_on.empty()) return;
    // That something was refused is told before it is tried again.
    if (refused() || !service_problem().empty()) write_status(true);
    const bool acts =
        makes_job() || takes_restart() || move_pods() || misses_claims() || make_claims() ||
        (!config_.stops() && (mark_stale() || delete_superseded())) || delete_claims() ||
        adjust_claims() || makes_run() || keep_revision() || trim_revisions() || tends_runs();
    for (std::size_t i = 1; i < decision_.actions.size(); ++i)
        decision_.actions[i].follows = true;
    if (!acts && decision_.actions.empty()) write_status(false);
    own_references();
}

}  // namespace sluice::api::extended_stateful_set
