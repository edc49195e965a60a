// The claims of an ExtendedStatefulSet: made before the pods that need them, adjusted when their
// templates want them larger, and deleted only where its policy says so, by their UID, when no
// version has their ordinal and no pod of it is there.
#include <fmt/format.h>

#include <algorithm>

#include "api/extended_stateful_set/reconciliation.hpp"
#include "base/hash.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

constexpr Duration claim_pace = 10s;  // until claims that somebody else must see to are looked at

}  // namespace

std::string identity_of(const Spec& spec) {
    if (spec.volumes.templates.empty()) return {};
    std::string text = spec.volumes.identity();
    for (const std::string& zone : spec.zones.names)
        text += ";" + zone;
    return hex_digest(text);
}

// What is to be there is written down before anything of it is made, and what is there afterwards.
void Reconciliation::note_claims() {
    ClaimBook& book = next_.claims;
    if (spec_.volumes.templates.empty()) return;
    const int all = spec_.replicas.value;
    book.templates = identity_of(spec_);
    book.made = std::min(book.made, all);
    const bool stay = !spec_.volumes.deletes_when_scaled;
    book.highest = stay ? all : std::max(book.highest, all);
    const bool is_new = book.shape != spec_.volumes.shape();
    book.shape = spec_.volumes.shape();
    book.adjusted = is_new ? 0 : std::min(book.adjusted, book.made);
    if (!is_new && book.adjusted < book.made) return;
    book.refusal.clear();
    book.refused = {};
}

// The claims of these ordinals in all zones.
std::vector<Reconciliation::WantedClaim> Reconciliation::claims_of(int from, int to) const {
    std::vector<WantedClaim> all;
    for (int ordinal = from; ordinal < to; ++ordinal)
        for (int zone = 0; zone < spec_.zones.count(); ++zone)
            for (const ClaimTemplate& one : spec_.volumes.templates) {
                const auto in = spec_.zones.names.empty() ? std::nullopt : std::optional{zone};
                const std::string claim = claim_name(name(), one.name, in, std::to_string(ordinal));
                all.push_back({&one, in, ordinal, {&claims, object_.meta.key.ns, claim}});
            }
    return all;
}

// Up to where they are looked at together, beginning here.
int Reconciliation::batch_end(int from, int to) const {
    const auto each =
        spec_.volumes.templates.size() * static_cast<std::size_t>(spec_.zones.count());
    return std::min(to, from + std::max(1, static_cast<int>(claims_max / each)));
}

// As they are by now; nothing: they are read first.
bool Reconciliation::look_at(const std::vector<WantedClaim>& wanted) {
    for (const WantedClaim& one : wanted)
        if (!seen_.fetched_as(one.ref)) decision_.rests_on.push_back(one.ref);
    return decision_.rests_on.empty();
}

const model::CustomObject* Reconciliation::found(const WantedClaim& claim) const {
    const engine::Fetched* fetched = seen_.fetched_as(claim.ref);
    return fetched && fetched->object ? &*fetched->object : nullptr;
}

// Why a claim that is to be there cannot be used, or made; empty: nothing is known against it.
std::string Reconciliation::trouble_with(const WantedClaim& claim) const {
    const engine::Attempt* tried = seen_.attempted(engine::Action::Verb::Create, claim.ref);
    if (tried && tried->refusal && tried->refusal->is_final())
        return fmt::format("Claim {} was refused: {}", claim.ref.name, tried->refusal->why);
    const model::CustomObject* object = found(claim);
    if (!object) return {};
    if (object->meta.deleting)
        return fmt::format("Claim {} is being deleted; it is made anew when it is gone.",
                           claim.ref.name);
    if (claim.model->is_shared && !can_be_shared(*object))
        return fmt::format("Claim {} is there already, and only one pod may have it at a time.",
                           claim.ref.name);
    if (is_own_claim(*object, name(), claim.zone)) return {};
    return fmt::format(
        "Claim {} is not labelled as one of this ExtendedStatefulSet. If its data is meant to be "
        "used: kubectl -n {} label pvc {} {}={}{}",
        claim.ref.name, claim.ref.ns, claim.ref.name, owner_label, name(),
        claim.zone ? fmt::format(" {}={}", zone_index_key, *claim.zone) : std::string{});
}

void Reconciliation::examine_claims() {
    const ClaimBook& book = next_.claims;
    if (spec_.volumes.templates.empty() || book.made >= spec_.replicas.value) return;
    for (const WantedClaim& one : claims_of(book.made, batch_end(book.made, spec_.replicas.value)))
        if (trouble_.empty()) trouble_ = trouble_with(one);
}

// Those that are there are left as they are.
bool Reconciliation::make_claims() {
    ClaimBook& book = next_.claims;
    if (spec_.volumes.templates.empty() || book.made >= spec_.replicas.value) return false;
    const int end = batch_end(book.made, spec_.replicas.value);
    const auto wanted = claims_of(book.made, end);
    if (!look_at(wanted)) return true;
    bool is_usable = true;
    if (!trouble_.empty()) write_status(true);
    for (const WantedClaim& one : wanted) {
        const model::CustomObject* object = found(one);
        is_usable = is_usable && (!object || trouble_with(one).empty());
        if (!object)
            add_action(engine::creation_of(
                one.ref, claim_body(object_, spec_.volumes, *one.model, one.zone, one.ordinal)));
    }
    if (is_usable) {
        book.made = end;
        write_status(true);
    } else {
        wake_at(now_ + claim_pace);
    }
    return !decision_.actions.empty();
}

// Whom a scale-down has left, from the highest on.
bool Reconciliation::delete_claims() {
    ClaimBook& book = next_.claims;
    if (!spec_.volumes.deletes_when_scaled || book.highest <= spec_.replicas.value) return false;
    const int ordinal = book.highest - 1;
    const auto has_it = [&](const model::StatefulSet& set) {
        return ordinal >= set.start.value && ordinal < set.start.value + set.replicas.value;
    };
    const auto is_there = [&](const model::Pod& pod) {
        const auto slot = slot_of(name(), pod.meta.key.name);
        return slot && slot->ordinal == ordinal;
    };
    if (std::ranges::any_of(seen_.sets, has_it) || std::ranges::any_of(seen_.pods, is_there) ||
        std::ranges::any_of(seen_.strays, is_there))
        return false;
    const auto wanted = claims_of(ordinal, ordinal + 1);
    if (!look_at(wanted)) return true;
    for (const WantedClaim& one : wanted) {
        const model::CustomObject* object = found(one);
        const bool is_ours =
            object && !object->meta.deleting && is_own_claim(*object, name(), one.zone);
        const engine::Attempt* tried = seen_.attempted(engine::Action::Verb::Delete, one.ref);
        if (!is_ours || (tried && tried->refusal && tried->refusal->is_final())) continue;
        add_action(engine::deletion_of({one.ref, object->meta.uid}));
        return true;
    }
    book.highest = ordinal;
    write_status(true);
    return true;
}

// Those whose templates have changed, from the lowest on. What is refused is told, and tried again
// after a while.
bool Reconciliation::adjust_claims() {
    ClaimBook& book = next_.claims;
    if (book.adjusted >= book.made) return false;
    if (!book.refusal.empty() && now_ < book.refused + refused_pace) {
        wake_at(book.refused + refused_pace);
        return false;
    }
    const int end = batch_end(book.adjusted, book.made);
    const auto wanted = claims_of(book.adjusted, end);
    if (!look_at(wanted)) return true;
    for (const WantedClaim& one : wanted) {
        const model::CustomObject* object = found(one);
        if (!object || object->meta.deleting || !is_own_claim(*object, name(), one.zone)) continue;
        const std::string changes = claim_changes(object_, spec_.volumes, *one.model, *object);
        if (changes.empty()) continue;
        const engine::Attempt* tried = seen_.attempted(engine::Action::Verb::Patch, one.ref);
        if (tried && tried->refusal && tried->refusal->is_final()) {
            book.refusal =
                fmt::format("Claim {} cannot be changed: {}", one.ref.name, tried->refusal->why);
            book.refused = in_whole_seconds(now_);
            write_status(true);
            return true;
        }
        add_action(write_to({one.ref, object->meta.uid}, false, changes));
        return true;
    }
    book.adjusted = end;
    write_status(true);
    return true;
}

// A condition, where there are claims.
void Reconciliation::report_on_claims() {
    if (spec_.volumes.templates.empty()) return;
    const ClaimBook& book = next_.claims;
    const bool is_refused = !book.refusal.empty();
    Condition condition{.type = "ClaimsCurrent",
                        .status = book.adjusted >= book.made ? "True" : "False",
                        .reason = is_refused ? "ClaimRefused" : "AsWanted",
                        .message = is_refused ? book.refusal : "",
                        .observed_generation = object_.meta.generation,
                        .since = in_whole_seconds(now_)};
    next_.conditions = with_newer(std::move(next_.conditions), std::move(condition));
}

}  // namespace sluice::api::extended_stateful_set
