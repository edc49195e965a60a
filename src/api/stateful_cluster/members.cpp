#include "api/stateful_cluster/members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/hash.hpp"

namespace sluice::api::stateful_cluster {
namespace {

using engine::Reason;
using model::Pod;
using Why = Leaver::Why;

// An API server ends every request within a minute; the rest is for clocks that differ.
constexpr Duration request_age_max = 75s;
// Pods that are made in one go, at most: the write before them says all their names.
constexpr std::size_t made_at_once = 16;

// Spreads the bits of a hash that was made of nearly the same text as the last one.
constexpr std::uint64_t mixed(std::uint64_t hash) {
    hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
    hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
    return hash ^ (hash >> 33);
}

bool is_taken(const Status& status, const std::string& name) {
    return std::ranges::find(status.members, name, &Member::name) != status.members.end() ||
           std::ranges::find(status.leaving, name, &Leaver::name) != status.leaving.end();
}

// Of this cluster, this version of its ledger and this instant: whatever becomes of the ledger, no
// later one comes to the same.
std::string new_name(const View& view, const Status& status) {
    const model::ObjectMeta& meta = view.object.meta;
    for (int i = 0;; ++i) {
        const std::string text =
            fmt::format("{} {} {} {} {}", meta.uid, meta.resource_version, view.now.ms,
                        status.members.size() + status.leaving.size(), i);
        std::string name = fmt::format("{}-{:016x}", view.cluster(), mixed(fnv1a(text)));
        if (!is_taken(status, name)) return name;
    }
}

class Tending {
  public:
    Tending(const View& view, Status status, const std::string& revision)
        : view_(view), revision_(revision), tended_{std::move(status)} {}

    Tended take() && {
        note_started();
        adopt_strays();
        replace_gone();
        replace_failed();
        scale();
        update();
        drop_leavers();
        return std::move(tended_);
    }

  private:
    Status& status() { return tended_.status; }
    std::vector<Member>& members() { return tended_.status.members; }
    std::size_t index_of(const Member& member) {
        return static_cast<std::size_t>(&member - members().data());
    }
    bool is_exposed(std::size_t index) {
        return index + static_cast<std::size_t>(status().exposed.value) >= members().size();
    }
    const std::string& revision_at(std::size_t index) {
        return is_exposed(index) ? status().update_revision : revision_;
    }
    // Ready, the one left out.
    std::size_t ready_beside(const Member* one) {
        return static_cast<std::size_t>(std::ranges::count_if(members(), [&](const Member& other) {
            return &other != one && view_.is_ready(other);
        }));
    }

    // So many others are away that it is an outage, whatever becomes of this one.
    bool is_outage(const Member* beside) {
        const auto all = std::ranges::count(members(), false, &Member::added);
        const auto ready = std::ranges::count_if(members(), [&](const Member& one) {
            return &one != beside && !one.added && view_.is_ready(one);
        });
        return all - ready > std::max<std::ptrdiff_t>(1, (all - 1) / 2);
    }
    // Nobody else has the data, and its volumes are there.
    bool is_last_copy(const Member& member) {
        return ready_beside(&member) == 0 && !view_.without_volume.contains(member.name);
    }
    // Its successor gets its claims: too few others have the data; or it has taken them over and
    // was not ready with them so far. Not where no node takes it with these claims.
    bool passes_claims_on(const Member& member) {
        const Pod* pod = view_.pod(member.name);
        const bool has_a_place = !pod || !pod->node.empty();
        const bool was_ready =
            member.state == Member::State::Ready || member.state == Member::State::NotReady;
        const bool only_started = !member.claims_of.empty() && !was_ready && has_a_place;
        const bool is_lost = view_.without_volume.contains(member.name);
        return is_last_copy(member) || (!is_lost && (is_outage(&member) || only_started));
    }

    void note_started();
    void adopt_strays();
    void replace_gone();
    void give_up(Member& member);
    void replace_failed();
    void scale();
    void scale_down();
    std::size_t victim();
    void keep_back(Member& member);
    void update();
    void update_in_place(Member& member);
    void drop_leavers();
    void replace(Member& member, Why why, bool hands_over, std::string cause);

    std::optional<Instant> patience_ends(const Member& member, std::string& cause);
    bool is_in_replacement(const Member& member) const {
        const Pod* pod = view_.pod(member.name);
        return !member.added &&
               (!member.is_tried() || (pod && view_.was_never_ready(member) && !pod->ended));
    }

    const View& view_;
    const std::string& revision_;
    Tended tended_;
};

// Who was ready while nobody looked counts from then on, as its pod says.
void Tending::note_started() {
    for (Member& member : members())
        if (const Pod* pod = view_.pod(member.name); pod && !pod->never_ready) member.added = false;
}

// Pods of ours that the ledger does not know: it was lost, or a request came late. Each was made
// once, and stays.
void Tending::adopt_strays() {
    for (const Pod& pod : view_.pods) {
        if (pod.owner_uid != view_.object.meta.uid || pod.meta.deleting) continue;
        const std::string& name = pod.meta.key.name;
        if (is_taken(status(), name)) continue;
        members().insert(members().begin(), Member{.name = name,
                                                   .state = Member::State::Starting,
                                                   .revision = pod.revision,
                                                   .claims_of = pod.claims});
        tended_.notices.push_back(
            {Reason::MemberFound,
             fmt::format("Pod {} is of this cluster and was not written down; it is a member.",
                         name)});
    }
}

// In its place, under another name; its pod is made when the old one is gone.
void Tending::replace(Member& member, Why why, bool hands_over, std::string cause) {
    const std::string own{identity_in(member.name)};
    Member next{.name = new_name(view_, status()),
                .revision = revision_at(index_of(member)),
                .after = member.name,
                .added = member.added};
    if (hands_over) next.claims_of = member.claims_of.empty() ? own : member.claims_of;
    if (!view_.spec.claim_templates.empty() && hands_over)
        cause += " Its claims go to its successor.";
    tended_.notices.push_back(
        {Reason::MemberReplaced, fmt::format("{} {} takes its place.", cause, next.name)});
    status().leaving.push_back({member.name, why, member.claims_of, hands_over});
    member = std::move(next);
}

void Tending::replace_gone() {
    for (Member& member : members()) {
        if (!member.is_tried() || member.name == view_.refused) continue;
        const Pod* pod = view_.pod(member.name);
        if (pod && !pod->meta.deleting && !pod->ended) continue;
        if (!pod && member.state == Member::State::Creating)
            give_up(member);
        else
            replace(member, Why::Gone, passes_claims_on(member),
                    !pod         ? fmt::format("Pod {} is gone.", member.name)
                    : pod->ended ? fmt::format("Pod {} has ended.", member.name)
                                 : fmt::format("Pod {} is being deleted.", member.name));
    }
}

// Nobody knows whether its pod was ever made. Until no request can come late any more it is waited
// for; then its name is given up, and nobody else can have its claims.
void Tending::give_up(Member& member) {
    const Instant until = member.since + request_age_max;
    if (view_.now < until) {
        tended_.wake_at = std::min(tended_.wake_at.value_or(until), until);
        return;
    }
    replace(member, Why::Gone, true,
            fmt::format("Pod {} was to be made, and is not there.", member.name));
}

// When it is time to give a member up that is not ready; nothing: there is no reason to.
std::optional<Instant> Tending::patience_ends(const Member& member, std::string& cause) {
    const Pod* pod = view_.pod(member.name);
    if (!pod || !member.is_tried() || pod->ready || pod->meta.deleting) return std::nullopt;
    if (view_.without_volume.contains(member.name)) {
        cause = fmt::format("A volume of pod {} is gone.", member.name);
        return Instant{};
    }
    const bool is_new = view_.was_never_ready(member);
    const Duration patience = is_new ? view_.spec.startup_deadline : view_.spec.failure_tolerance;
    cause = is_new ? fmt::format("Pod {} did not become ready within {}.", member.name,
                                 sluice::to_text(patience))
                   : fmt::format("Pod {} has not been ready for {}.", member.name,
                                 sluice::to_text(patience));
    return std::max(view_.since(member), status().tolerance_from) + patience;
}

void Tending::replace_failed() {
    if (members().empty()) return;
    const bool is_held = is_outage(nullptr);
    // Who was away together gets the same patience again, from when most are back.
    const bool was_outage = status().reason == engine::entry(Reason::TooManyUnready).name;
    if (was_outage && !is_held) status().tolerance_from = in_whole_seconds(view_.now);
    auto in_replacement = std::ranges::count_if(
        members(), [&](const Member& member) { return is_in_replacement(member); });
    for (Member& member : members()) {
        std::string cause;
        const auto until = patience_ends(member, cause);
        if (!until) continue;
        if (*until > view_.now) {
            tended_.wake_at = std::min(tended_.wake_at.value_or(*until), *until);
        } else if (is_held) {
            tended_.held = {engine::Phase::Held,
                            Reason::TooManyUnready,
                            fmt::format("{} of {} members are not ready: nobody is replaced.",
                                        members().size() - ready_beside(nullptr), members().size()),
                            {}};
        } else if (in_replacement < view_.spec.max_unavailable.value || member.added ||
                   is_in_replacement(member)) {
            if (!member.added && !is_in_replacement(member)) ++in_replacement;
            replace(member, Why::Failed, passes_claims_on(member), std::move(cause));
        }
    }
}

void Tending::scale() {
    const auto wanted = static_cast<std::size_t>(view_.spec.replicas.value);
    while (members().size() > wanted)
        scale_down();
    while (members().size() < wanted) {
        // At the front, which an update reaches last.
        members().insert(
            members().begin(),
            Member{.name = new_name(view_, status()), .revision = revision_, .added = true});
    }
}

// Not tried first, then whom a person picked, not ready, outdated, of the zone with most, youngest.
std::size_t Tending::victim() {
    std::map<std::string, int> in_zone;
    for (const Member& member : members())
        if (const Pod* pod = view_.pod(member.name)) ++in_zone[pod->zone];
    const auto rank = [&](const Member& member) {
        const Pod* pod = view_.pod(member.name);
        const bool is_outdated = member.revision != status().update_revision;
        return std::tuple{!member.is_tried(),
                          pod && pod->goes_first,
                          !view_.is_ready(member),
                          is_outdated,
                          pod && !pod->zone.empty() ? in_zone[pod->zone] : 0,
                          pod ? pod->created : Instant{},
                          member.name};
    };
    const auto found = std::ranges::max_element(members(), {}, rank);
    return static_cast<std::size_t>(found - members().begin());
}

void Tending::scale_down() {
    const std::size_t index = victim();
    const Member& member = members()[index];
    // What a member that was never tried has, somebody may have handed to it.
    status().leaving.push_back({member.name, Why::Scaled, member.claims_of, false});
    tended_.notices.push_back(
        {Reason::MemberRemoved,
         fmt::format("{} leaves: {} members are wanted.", member.name, view_.spec.replicas.value)});
    if (is_exposed(index)) --status().exposed.value;
    members().erase(members().begin() + static_cast<std::ptrdiff_t>(index));
}

// Those that the rollout has not reached, or not any more, stay what they are: nobody becomes what
// is not wanted any more.
void Tending::keep_back(Member& member) {
    if (!member.is_tried()) member.revision = revision_;
    if (view_.is_behind(member)) member.revision = view_.pod(member.name)->revision;
}

// Those that the rollout has reached get the new revision. Of whom it is not known yet whether a
// pod was made, that comes first.
void Tending::update() {
    for (Member& member : members()) {
        if (!is_exposed(index_of(member))) {
            keep_back(member);
            continue;
        }
        const bool is_in_doubt = member.state == Member::State::Creating &&
                                 !view_.pod(member.name) && member.name != view_.refused;
        if (is_in_doubt || member.revision == status().update_revision) continue;
        if (!member.is_tried())
            member.revision = status().update_revision;
        else if (view_.in_place_from.contains(member.revision))
            update_in_place(member);
        else if (view_.spec.in_place == InPlace::Only)
            tended_.held = {engine::Phase::Held,
                            Reason::NotInPlace,
                            fmt::format("{} would have to be replaced: the template differs in "
                                        "more than the images of its containers.",
                                        member.name),
                            {}};
        else
            replace(member, Why::Updated,
                    view_.spec.claim_policy == ClaimPolicy::Keep || is_last_copy(member),
                    fmt::format("{} is updated to revision {}.", member.name,
                                status().update_revision));
    }
}

// It keeps its name, its claims and its node; its pod follows what is written down.
void Tending::update_in_place(Member& member) {
    member.revision = status().update_revision;
    member.state = Member::State::Starting;
    member.since = in_whole_seconds(view_.now);
    tended_.notices.push_back(
        {Reason::MemberUpdated,
         fmt::format("{} is updated in place to revision {}.", member.name, member.revision)});
}

// Those whose pods are gone and whose claims nobody has to delete.
void Tending::drop_leavers() {
    std::erase_if(status().leaving, [&](const Leaver& leaver) {
        if (view_.pod(leaver.name)) return false;
        const RetentionPolicy& policy = view_.spec.retention;
        const Retention claims =
            leaver.why == Why::Scaled ? policy.when_scaled : policy.when_failed;
        return leaver.hands_over || claims == Retention::Retain ||
               view_.spec.claim_templates.empty();
    });
}

}  // namespace

const Pod* View::pod(const std::string& name) const {
    const auto found = std::ranges::find_if(pods, [&](const Pod& one) {
        return one.meta.key.name == name && one.owner_uid == object.meta.uid;
    });
    return found == pods.end() ? nullptr : &*found;
}

bool View::is_mounted(std::string_view identity) const {
    return std::ranges::any_of(pods, [&](const Pod& one) {
        return (one.claims.empty() ? identity_in(one.meta.key.name) : one.claims) == identity;
    });
}

bool View::is_ready(const Member& member) const {
    const Pod* found = pod(member.name);
    return found && found->ready && !found->meta.deleting;
}

// Creating is over once the pod is there, and nothing has changed by that.
Member::State View::state(const Member& member) const {
    const Pod* found = pod(member.name);
    if (!found) return member.state;
    if (is_behind(member)) return Member::State::Starting;
    if (is_ready(member)) return Member::State::Ready;
    return was_never_ready(member) && !found->meta.deleting ? Member::State::Starting
                                                            : Member::State::NotReady;
}

// What nodes and API servers call the time is not asked: their clocks may differ from ours.
Instant View::since(const Member& member) const {
    const bool is_start =
        member.state == Member::State::Creating && state(member) == Member::State::Starting;
    const bool is_known = state(member) == member.state || is_start;
    return is_known && member.since > Instant{} ? member.since : in_whole_seconds(now);
}

bool View::was_never_ready(const Member& member) const {
    const Pod* found = pod(member.name);
    const bool is_known =
        member.state == Member::State::Ready || member.state == Member::State::NotReady;
    const bool is_restarting = member.state == Member::State::Starting && found && !found->ready;
    return found && ((found->never_ready && !is_known) || is_restarting);
}

bool View::is_behind(const Member& member) const {
    const Pod* found = pod(member.name);
    return found && !found->meta.deleting && found->revision != member.revision;
}

Tended tend(const View& view, Status status, const std::string& revision) {
    return Tending{view, std::move(status), revision}.take();
}

void count_members(const View& view, Status& status) {
    status.replicas = status.ready = status.available = status.current = status.updated = {};
    for (Member& member : status.members) {
        const Pod* pod = view.pod(member.name);
        if (!pod) continue;
        ++status.replicas.value;
        if (view.is_ready(member)) ++status.ready.value;
        if (is_available(*pod, view.spec.min_ready, view.now)) ++status.available.value;
        if (pod->revision == status.current_revision) ++status.current.value;
        if (pod->revision == status.update_revision) ++status.updated.value;
        member.node = pod->node;
        member.since = view.since(member);
        member.state = view.state(member);
    }
}

// One after the other, and each revision for itself: one that does not start keeps nobody back who
// is made from another, and one that cannot, for want of a volume, keeps back nobody at all.
std::vector<Member*> due(const View& view, Status& status) {
    const bool is_ordered = view.spec.order == Order::OrderedReady;
    std::set<std::string> starting;
    for (const Member& member : status.members)
        if (member.is_tried() && !view.without_volume.contains(member.name) &&
            (!view.pod(member.name) || view.was_never_ready(member)))
            starting.insert(member.revision);
    std::vector<Member*> found;
    for (Member& member : status.members) {
        const bool may_come = member.after.empty() || !view.pod(member.after);
        const bool is_full = found.size() == made_at_once;
        if (member.is_tried() || !may_come || is_full) continue;
        if (is_ordered && (!starting.insert(member.revision).second || !found.empty())) continue;
        found.push_back(&member);
    }
    return found;
}

}  // namespace sluice::api::stateful_cluster
