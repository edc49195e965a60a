// The claims of an ExtendedStatefulSet: made before the pods that need them, adjusted when their
// templates want them larger, and deleted only where its policy says so, by their UID, when no
// version has their ordinal and no pod of it is there.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "api/extended_stateful_set/reconciliation.hpp"
#include "base/hash.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

constexpr Duration claim_pace = 10s;  // until claims that somebody else must see to are looked at
// So long a pod may take to start before its claims are looked at again, and between two looks.
constexpr Duration starting_time = 1min;

// Pods that have not started: since when they were seen, by their UIDs, and when their claims were
// looked at last.
struct StartingPods {
    std::map<std::string, Instant> since;
    Instant looked;
};

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
    book.ever = std::max(book.ever, book.made);
    book.adjusted = std::min(book.adjusted, book.ever);
    note_refusal();
    if (book.shape == spec_.volumes.shape()) return;
    book.shape = spec_.volumes.shape();
    book.adjusted = 0;
    book.refusal.clear();
    book.refused = {};
}

// All of them were looked at: what was refused is tried again after a while, and told until then.
void Reconciliation::note_refusal() {
    ClaimBook& book = next_.claims;
    if (book.refusal.empty() || book.adjusted < book.ever) return;
    if (book.refused == Instant{}) {
        book.refusal.clear();
    } else if (now_ >= book.refused + refused_pace) {
        book.adjusted = 0;
        book.refused = {};
    }
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

// As they are by now; nothing: they are read first. Who could not be read may be there.
bool Reconciliation::look_at(const std::vector<WantedClaim>& wanted) {
    for (const WantedClaim& one : wanted)
        if (!seen_.looked_at(one.ref)) decision_.rests_on.push_back(one.ref);
    return decision_.rests_on.empty();
}

const model::CustomObject* Reconciliation::found(const WantedClaim& claim) const {
    const engine::Fetched* fetched = seen_.looked_at(claim.ref);
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
    if (object->owner_kind == resource.kind && object->owner_uid != object_.meta.uid)
        return fmt::format(
            "Claim {} goes with another ExtendedStatefulSet of this name, which was "
            "deleted; it is made anew when it is gone.",
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
        book.adjusted = std::min(book.adjusted, book.made);
        book.made = end;
        book.ever = std::max(book.ever, end);
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
    book.ever = std::min(book.ever, ordinal);
    write_status(true);
    return true;
}

// Those whose claims were there once: they may have been deleted since.
std::vector<const model::Pod*> Reconciliation::starting_pods() const {
    std::vector<const model::Pod*> all;
    for (const Version& version : versions_)
        for (const Part& part : version.parts)
            for (const model::Pod* pod : part.pods) {
                const auto ordinal = ordinal_of(*pod);
                if (!pod->running && !pod->meta.deleting && ordinal &&
                    ordinal->value < next_.claims.made)
                    all.push_back(pod);
            }
    return all;
}

// Claims of pods that have not started in their time, and of none that somebody may just be
// restoring. When the next of them is due is told.
std::vector<Reconciliation::WantedClaim> Reconciliation::doubtful_claims() {
    const engine::Evidence* last = engine::last_of<StartingPods>(seen_.evidence);
    const StartingPods known = last ? *engine::opened<StartingPods>(*last->answer) : StartingPods{};
    StartingPods now{{}, known.looked};
    std::vector<WantedClaim> doubtful;
    const Instant next_look = std::max(now_, known.looked + starting_time);
    for (const model::Pod* pod : starting_pods()) {
        const auto found = known.since.find(pod->meta.uid);
        const Instant since = found == known.since.end() ? now_ : found->second;
        now.since.emplace(pod->meta.uid, since);
        const Instant due = std::max(since + starting_time, next_look);
        if (now_ < due) {
            wake_at(due);
            continue;
        }
        const auto slot = slot_of(name(), pod->meta.key.name);
        if (!slot) continue;
        for (WantedClaim& one : claims_of(slot->ordinal, slot->ordinal + 1))
            if (one.zone == slot->set.zone && doubtful.size() < claims_max)
                doubtful.push_back(std::move(one));
    }
    const bool is_looked_at = !doubtful.empty() && look_at(doubtful);
    if (is_looked_at) {
        now.looked = now_;
        wake_at(now_ + starting_time);
    }
    const bool is_news = is_looked_at || now.since != known.since;
    if (is_news && !decision_.noted)
        decision_.noted = engine::Evidence{"claims", engine::answer_of(std::move(now)), now_};
    return doubtful;
}

// From the lowest ordinal that lacks one, claims are made anew.
bool Reconciliation::misses_claims() {
    if (spec_.volumes.templates.empty()) return false;
    const auto doubtful = doubtful_claims();
    if (!decision_.rests_on.empty()) return true;
    int& made = next_.claims.made;
    const int before = made;
    for (const WantedClaim& one : doubtful) {
        const model::CustomObject* object = found(one);
        if (!object || object->meta.deleting) made = std::min(made, one.ordinal);
    }
    if (made == before) return false;
    write_status(true);
    return true;
}

// What is to be changed of one of these; nothing: it was refused, or none is to be changed. Of
// those that no pod is to have any more, one that was to go with the object is let go.
std::optional<engine::Action> Reconciliation::adjusting(const std::vector<WantedClaim>& wanted) {
    ClaimBook& book = next_.claims;
    for (const bool is_owner : {true, false})
        for (const WantedClaim& one : wanted) {
            const model::CustomObject* object = found(one);
            if (!object || object->meta.deleting || !is_own_claim(*object, name(), one.zone))
                continue;
            const bool is_left = one.ordinal >= book.made;
            const bool is_out = is_owner ? is_left && spec_.volumes.deletes_when_deleted
                                         : is_left || book.refused != Instant{};
            const std::string changes = is_out     ? std::string{}
                                        : is_owner ? owner_change(object_, spec_.volumes, *object)
                                                   : size_change(*one.model, *object);
            if (changes.empty()) continue;
            const engine::Attempt* tried = seen_.attempted(engine::Action::Verb::Patch, one.ref);
            if (!tried || !tried->refusal || !tried->refusal->is_final())
                return write_to({one.ref, object->meta.uid}, false, changes);
            book.refusal =
                fmt::format("Claim {} cannot be changed: {}", one.ref.name, tried->refusal->why);
            book.refused = in_whole_seconds(now_);
            book.adjusted = one.ordinal + 1;
            return std::nullopt;
        }
    return std::nullopt;
}

// From the lowest on. What is refused is told, and tried again after a while.
bool Reconciliation::adjust_claims() {
    ClaimBook& book = next_.claims;
    if (book.adjusted >= book.ever) {
        if (!book.refusal.empty()) wake_at(book.refused + refused_pace);
        return false;
    }
    const int from = book.adjusted, end = batch_end(from, book.ever);
    const auto wanted = claims_of(from, end);
    if (!look_at(wanted)) return true;
    if (auto change = adjusting(wanted)) {
        add_action(std::move(*change));
        return true;
    }
    if (book.adjusted == from) book.adjusted = end;
    write_status(true);
    return true;
}

// A condition, where there are claims.
void Reconciliation::report_on_claims() {
    if (spec_.volumes.templates.empty()) return;
    const ClaimBook& book = next_.claims;
    const bool is_refused = !book.refusal.empty();
    const bool is_done = !is_refused && book.adjusted >= book.ever;
    Condition condition{.type = "ClaimsCurrent",
                        .status = is_done ? "True" : "False",
                        .reason = is_refused ? "ClaimRefused"
                                  : is_done  ? "AsWanted"
                                             : "Adjusting",
                        .message = is_refused ? book.refusal : "",
                        .observed_generation = object_.meta.generation,
                        .since = in_whole_seconds(now_)};
    next_.conditions = with_newer(std::move(next_.conditions), std::move(condition));
}

}  // namespace sluice::api::extended_stateful_set
