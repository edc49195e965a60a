// Which ordinals each version is to have, where only one at a time may have the claims of an
// ordinal. The version that serves has the lowest ones, the one on its way the highest. A version
// gives up an ordinal only when the one that follows it there has all beyond it, and no version
// takes one while anybody may still have its claims. So one ordinal is between two versions at a
// time, forward and backward.
#include <fmt/format.h>

#include <algorithm>

#include "api/extended_stateful_set/bodies.hpp"
#include "api/extended_stateful_set/reconciliation.hpp"
#include "base/text.hpp"
#include "model/annotations.hpp"
#include "model/json_text.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

namespace json = boost::json;
namespace key = model::key;

constexpr Duration doubt_pace = 10s;  // until what nobody tells us of is looked at again

Places places_of(const model::StatefulSet& set) {
    return {set.start.value, set.replicas.value};
}

std::int64_t number_at(const json::value& whole, const char* pointer, std::int64_t otherwise) {
    const json::value* found = model::value_at(whole, pointer);
    return found && found->is_int64() ? found->get_int64() : otherwise;
}

Places places_in(const std::string& spec) {
    const json::value whole = model::parse_json(spec);
    return {static_cast<int>(number_at(whole, "/ordinals/start", 0)),
            static_cast<int>(number_at(whole, "/replicas", 1))};
}

// Its controller may still act on what the set said before.
bool is_settled(const model::CustomObject& set) {
    return number_at(model::parse_json(set.status), "/observedGeneration", 0) >=
           set.meta.generation;
}

}  // namespace

std::optional<Slot> slot_of(std::string_view owner, const std::string& pod) {
    const std::size_t dash = pod.rfind('-');
    if (dash == std::string::npos) return std::nullopt;
    const auto ordinal = whole_number<int>(std::string_view{pod}.substr(dash + 1));
    const auto id = set_id(owner, std::string_view{pod}.substr(0, dash));
    return ordinal && id ? std::optional{Slot{*id, *ordinal}} : std::nullopt;
}

Places Reconciliation::wanted_places(const SetId& id) const {
    const int all = spec_.replicas.value;
    const int before = id.zone.value_or(0) * all;
    const int taken =
        next_.current == next_.update ? 0 : std::clamp(next_.exposed.value - before, 0, all);
    if (id.version == next_.current) return {0, spec_.hands_over() ? all - taken : all};
    if (id.version == next_.update) return {spec_.hands_over() ? all - taken : 0, taken};
    if (const Version* back = wanted_back(); back && back->number == id.version) return {0, all};
    return {};
}

const Part* Reconciliation::part_of(int version, int zone) const {
    const Version* found = find_version(versions_, version);
    return found ? found->in_zone(zone) : nullptr;
}

bool Reconciliation::is_ready(const Part& part, int ordinal) const {
    return std::ranges::any_of(part.pods, [&](const model::Pod* pod) {
        return pod->ready && !pod->meta.deleting && ordinal_of(*pod) == Ordinal{ordinal};
    });
}

bool Reconciliation::are_ready(const Part& part, const Places& places) const {
    for (int ordinal = places.first; ordinal < places.end(); ++ordinal)
        if (!is_ready(part, ordinal)) return false;
    return true;
}

// The pods that are ready and do not go: all others are on their way out. Those of another version
// take the place of its own only where ordinals are handed over.
int Reconciliation::ready_to_stay(int of) const {
    int ready = 0;
    for (const Version& version : versions_) {
        if (version.number != of && !spec_.hands_over()) continue;
        for (const Part& part : version.parts)
            ready += static_cast<int>(std::ranges::count_if(part.pods, [&](const model::Pod* pod) {
                const auto ordinal = ordinal_of(*pod);
                return pod->ready && !pod->meta.deleting && ordinal &&
                       places_of(*part.set).has(ordinal->value);
            }));
    }
    return ready;
}

// Unless a person has said that nobody need wait for pods that are not ready.
bool Reconciliation::is_last_ready(const Part& part, int ordinal) const {
    return is_ready(part, ordinal) && ready_to_stay(part.id.version) <= 1 &&
           spec_.pods().value > 1 && annotation_of(object_, key::allow_unready) != "true";
}

// Nothing: none of its pods is.
std::optional<Reconciliation::LastReady> Reconciliation::last_ready_in(const Part& part) const {
    for (const model::Pod* pod : part.pods) {
        const auto ordinal = ordinal_of(*pod);
        if (ordinal && places_of(*part.set).has(ordinal->value) &&
            is_last_ready(part, ordinal->value))
            return LastReady{*ordinal, pod->meta.key.name +
                                           " is the only pod that is ready, and "
                                           "stays until another one is."};
    }
    return std::nullopt;
}

// The version that serves is to have a lower one that nobody has.
bool Reconciliation::is_vacant_below(int zone, int ordinal) const {
    if (!part_of(next_.current, zone)) return false;
    for (int lower = 0; lower < ordinal; ++lower)
        if (std::ranges::none_of(versions_, [&](const Version& version) {
                const Part* part = version.in_zone(zone);
                return part && places_of(*part->set).has(lower);
            }))
            return true;
    return false;
}

// To the version on its way, which has all beyond it. Of three versions, the one between two that
// are wanted gives on either side, and not on both at once, and never the last pod that is ready.
bool Reconciliation::may_hand_up(const Part& part, int ordinal) const {
    const SetId heir{next_.update, part.id.zone};
    if (heir.version == part.id.version || !wanted_places(heir).has(ordinal)) return false;
    if (ordinal >= next_.claims.made) return false;  // nobody could take it
    if (is_ready(part, ordinal) && is_vacant_below(part.zone(), ordinal)) return false;
    if (is_last_ready(part, ordinal)) return false;
    const Places beyond{ordinal + 1, spec_.replicas.value - ordinal - 1};
    if (beyond.count == 0) return true;
    const Part* to = part_of(heir.version, part.zone());
    if (!to || places_of(*to->set) != beyond) return false;
    return !is_ready(part, ordinal) || are_ready(*to, beyond);
}

// Back to the version that serves, which has all below it; never the last pod that is ready, but
// where there is only one.
bool Reconciliation::may_hand_down(const Part& part, int ordinal) const {
    const Part* to = part_of(next_.current, part.zone());
    if (!to || to->id == part.id || !wanted_places(to->id).has(ordinal)) return false;
    const Places below{0, ordinal};
    const Places has = places_of(*to->set);
    if (has.count != ordinal || (ordinal > 0 && has != below)) return false;
    if (!is_ready(part, ordinal)) return true;
    return are_ready(*to, below) && !is_last_ready(part, ordinal);
}

// What is left of its ordinals when it has given up what it can; nothing: it gives up none.
std::optional<Places> Reconciliation::given_up(const Part& part) const {
    const Places has = places_of(*part.set), wants = wanted_places(part.id);
    const int all = spec_.replicas.value;
    if (has.end() > all && has.count > 0) {  // fewer are wanted
        const Places rest{has.first, std::max(0, all - has.first)};
        if (waits_for_other_zones(part, PodCount{rest.count})) return std::nullopt;
        return rest;
    }
    if (wants.has(has)) return std::nullopt;
    const int top = has.end() - 1;
    if (!wants.has(top) && may_hand_up(part, top)) return Places{has.first, has.count - 1};
    if (!wants.has(has.first) && may_hand_down(part, has.first))
        return Places{has.first + 1, has.count - 1};
    return std::nullopt;
}

// Whoever may still have the claims of this ordinal, other than this set: a pod that is there,
// whosever it is. Empty: nobody.
std::string Reconciliation::pod_at(const SetId& id, int ordinal) const {
    const auto has_it = [&](const model::Pod& pod) {
        const auto slot = slot_of(name(), pod.meta.key.name);
        return slot && slot->set.zone == id.zone && slot->ordinal == ordinal && slot->set != id;
    };
    for (const auto* pods : {&seen_.pods, &seen_.strays})
        for (const model::Pod& pod : *pods)
            if (has_it(pod)) return pod.meta.key.name;
    return {};
}

// The other sets of its zone that are known of, or could be there.
std::vector<model::Ref> Reconciliation::others_of(const SetId& id) const {
    std::vector<SetId> ids{{next_.current, id.zone}, {next_.update, id.zone}};
    for (const model::StatefulSet& set : seen_.sets)
        if (const auto other = id_of(set); other && other->zone == id.zone) ids.push_back(*other);
    std::vector<model::Ref> refs;
    for (const SetId& other : ids) {
        const model::Ref ref{&whole_sets, object_.meta.key.ns, set_name(name(), other)};
        if (other != id && std::ranges::find(refs, ref) == refs.end()) refs.push_back(ref);
    }
    return refs;
}

// The same of sets, as they are by now. Nothing: they have not been looked at.
std::optional<std::string> Reconciliation::set_at(const SetId& id, int ordinal) const {
    for (const model::Ref& ref : others_of(id)) {
        const engine::Fetched* found = seen_.looked_at(ref);
        if (!found) return std::nullopt;
        if (!found->object || found->object->meta.deleting) continue;
        const bool has_it = places_in(found->object->spec).has(ordinal);
        if (has_it || !is_settled(*found->object)) return "StatefulSet " + ref.name;
    }
    return std::string{};
}

// More of the ordinals that it is to have: those whose claims are there and nobody else's.
std::optional<Places> Reconciliation::taken(const SetId& id, const Part* part) {
    const Places has = part ? places_of(*part->set) : Places{}, wants = wanted_places(id);
    if (wants.count == 0 || has == wants || !wants.has(has)) return std::nullopt;
    const bool in_order = spec_.is_ordered;
    if (in_order && part && !are_ready(*part, has)) return std::nullopt;
    const auto can_have = [&](int ordinal) {
        if (!wants.has(ordinal) || ordinal >= next_.claims.made) return false;
        std::string holder = pod_at(id, ordinal);
        if (holder.empty()) {
            auto set = set_at(id, ordinal);
            if (!set) move_.rests_on = others_of(id);
            if (!set) return false;
            holder = std::move(*set);
        }
        if (!holder.empty())
            move_.waits = fmt::format("{}-{} waits for {} to give up its claims.",
                                      set_name(name(), id), ordinal, holder);
        return holder.empty();
    };
    const int anchor = id.version == next_.current ? 0 : wants.end() - 1;
    Places next = has;
    if (next.count == 0) {
        if (!can_have(anchor)) return std::nullopt;
        next = {anchor, 1};
    }
    const auto is_enough = [&] { return in_order && next.count > has.count; };
    while (!is_enough() && can_have(next.end()))
        ++next.count;
    while (!is_enough() && can_have(next.first - 1))
        next = {next.first - 1, next.count + 1};
    return next == has ? std::nullopt : std::optional{next};
}

// Of all versions: first who gives up, then who takes.
void Reconciliation::plan_hand_over() {
    if (!spec_.hands_over()) return;
    for (const Version& version : versions_)
        for (const Part& part : version.parts)
            if (const auto places = given_up(part)) {
                move_.to = Move{part.id, part.set, *places, false};
                return;
            }
    std::vector<int> numbers{next_.current};
    if (next_.update != next_.current) numbers.push_back(next_.update);
    for (const int number : numbers)
        for (const SetId& id : sets_of(number)) {
            const Part* part = part_of(number, id.zone.value_or(0));
            if (!part && number != next_.update) continue;  // nobody knows its template
            if (const auto places = taken(id, part)) {
                move_.to = Move{id, part ? part->set : nullptr, *places, true};
                move_.waits.clear();
                return;
            }
            if (!move_.rests_on.empty()) return;
        }
    if (std::string why = last_ready_stays(); !why.empty()) move_.waits = std::move(why);
    if (!move_.waits.empty()) wake_at(now_ + doubt_pace);
}

// A sentence about a pod that would go, were another one ready; empty: there is none.
std::string Reconciliation::last_ready_stays() const {
    for (const Version& version : versions_)
        for (const Part& part : version.parts)
            if (auto last = last_ready_in(part);
                last && !wanted_places(part.id).has(last->ordinal.value))
                return std::move(last->why_it_stays);
    return {};
}

// Whoever led before us may have a write on its way to another set of the zone: none of those goes
// through once that set has our fence. Nothing: all of them have it.
std::optional<engine::Action> Reconciliation::fencing(const SetId& id) const {
    if (fence().empty()) return std::nullopt;
    for (const model::Ref& ref : others_of(id)) {
        const engine::Fetched* found = seen_.looked_at(ref);
        if (!found) return engine::Action{};  // nobody knows
        if (!found->object || found->object->meta.deleting) continue;
        if (annotation_of(*found->object, key::fence) == fence()) continue;
        for (const model::StatefulSet& set : seen_.sets)
            if (set.meta.uid == found->object->meta.uid) return fencing_of(set, fence());
        return engine::Action{};  // it is not known well enough
    }
    return std::nullopt;
}

// A set is made without pods, and takes its ordinals as any other: a write that comes late must not
// bring pods that nobody expects any more.
bool Reconciliation::carry_out_move() {
    if (!move_.rests_on.empty()) {
        decision_.rests_on.insert(decision_.rests_on.end(), move_.rests_on.begin(),
                                  move_.rests_on.end());
        return true;
    }
    if (!move_.to || (!move_.to->set && config_.stops())) return false;
    const Move& move = *move_.to;
    decision_.needs_live = true;
    if (!move.set) {
        make_set(move.id, PodCount{0});
        return true;
    }
    if (auto first = move.takes ? fencing(move.id) : std::nullopt) {
        if (first->body.empty())
            wake_at(now_ + doubt_pace);
        else
            add_action(std::move(*first));
        return true;
    }
    if (move.takes && move.id.version != next_.current) begin_waiting();
    add_action(moving_of(*move.set, move.to, fence()));
    return true;
}

}  // namespace sluice::api::extended_stateful_set
