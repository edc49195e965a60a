// Which version of an ExtendedStatefulSet serves, the Services that follow it, and the version
// before it, which may stay for a while.
#include <fmt/format.h>

#include <algorithm>

#include "api/extended_stateful_set/reconciliation.hpp"
#include "api/extended_stateful_set/services.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

// It follows, and does not select this version yet.
bool is_behind(const model::CustomObject& service, int version) {
    return !service.meta.deleting && !selects(service, version);
}

}  // namespace

void Reconciliation::serve(int version) {
    if (version == next_.current) return;
    next_.previous = std::exchange(next_.current, version);
    next_.serving = in_whole_seconds(now_);
}

// The first version serves as soon as all its pods are ready.
void Reconciliation::note_serving() {
    const Version* current = find_version(versions_, next_.current);
    if (next_.serving != Instant{} || !current || spec_.pods().value == 0) return;
    if (current->ready() >= spec_.pods()) next_.serving = in_whole_seconds(now_);
}

// Nobody is sent to a version of which no pod is ready.
bool Reconciliation::serves_now() const {
    const Version* current = find_version(versions_, next_.current);
    return current && (current->ready().value > 0 || spec_.replicas.value == 0);
}

// Why a Service that is to follow cannot; empty: each of them can.
std::string Reconciliation::service_problem() const {
    const engine::Attempt* refused = refused_write(seen_);
    if (seen_.naming.size() > services_max)
        return fmt::format("{} Services follow, and {} are the most that may.", seen_.naming.size(),
                           services_max);
    for (const model::CustomObject& service : seen_.naming) {
        const std::string& called = service.meta.key.name;
        if (!service.meta.deleting && spec_.hands_over())
            return fmt::format(
                "Service {} cannot follow one version: all of them have pods while ordinals are "
                "handed over. Take its annotation away, and the version out of its selector.",
                called);
        if (!is_behind(service, next_.current)) continue;
        if (!has_selector(service))
            return fmt::format("Service {} has no selector, so it cannot follow.", called);
        if (refused && refused->ref == ref_to(model::services, service.meta.key))
            return fmt::format("Service {} was refused: {}", called,
                               refused->refusal.value_or(engine::Refusal{}).why);
    }
    return {};
}

bool Reconciliation::switch_services() {
    if (!serves_now()) return false;
    for (const model::CustomObject& service : seen_.naming) {
        if (!is_behind(service, next_.current) || !has_selector(service)) continue;
        add_action(switch_to(service, next_.current));
        return true;
    }
    return false;
}

// As it is now, and not as it was seen last: its pods are about to go.
bool Reconciliation::is_selected(int version) {
    if (seen_.naming.size() > services_max) return true;
    bool is_one = false;
    for (const model::CustomObject& service : seen_.naming) {
        const model::Ref ref = ref_to(model::services, service.meta.key);
        const engine::Fetched* now = seen_.fetched_as(ref);
        if (!now) decision_.rests_on.push_back(ref);
        is_one = is_one || !now || now->refusal || (now->object && selects(*now->object, version));
    }
    return is_one;
}

// Nothing: it may go.
std::optional<Instant> Reconciliation::stays_until(int version) const {
    if (version == 0 || version != next_.previous) return std::nullopt;
    const Instant due = next_.serving + spec_.strategy.scale_down_delay;
    return now_ < due ? std::optional{due} : std::nullopt;
}

// The version that served before, where somebody does not want the one that serves. It stays as
// long as that is so, and has as many pods as are wanted now. Null: there is none.
const Version* Reconciliation::wanted_back() const {
    if (!is_aborted() || next_.current != next_.update || spec_.hands_over()) return nullptr;
    return find_version(versions_, next_.previous);
}

// Of all its zones, which may be fewer than there are now.
PodCount Reconciliation::whole(const Version& version) const {
    return {spec_.replicas.value * static_cast<int>(version.parts.size())};
}

// Who does not want the version that has just begun to serve gets the one before it back, as soon
// as all of that is there.
void Reconciliation::go_back_at_once() {
    const Version* before = wanted_back();
    auto memory = engine::decode_memory(next_.rollout);
    if (!before || !memory || before->available(spec_.min_ready, now_) < whole(*before)) return;
    serve(before->number);
    next_.previous = 0;
    next_.exposed = {};
    next_.failure = fmt::format("Somebody does not want {}.", revision_of(next_.update));
    memory->open = memory->returning = false;
    memory->failed = true;
    next_.rollout = encode(*memory);
}

bool Reconciliation::tries_again() const {
    return !is_aborted() && next_.attempts <= spec_.strategy.retry_count;
}

// The pods of a version stay that has failed for good.
bool Reconciliation::keeps_failed() const {
    const auto memory = engine::decode_memory(next_.rollout);
    const bool has_failed = memory && (memory->returning || (memory->failed && !memory->open));
    return spec_.strategy.keeps_stale && has_failed && !is_aborted() && !tries_again();
}

}  // namespace sluice::api::extended_stateful_set
