// What is done for a cluster, once it is written down who its members are.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "api/stateful_cluster/bodies.hpp"
#include "api/stateful_cluster/in_place.hpp"
#include "api/stateful_cluster/part.hpp"
#include "api/stateful_cluster/reconciliation.hpp"

namespace sluice::api::stateful_cluster {

using engine::Action;

// Until a change that the server would not take is tried again.
constexpr Duration refused_pace = 30s;

// The pods of those who leave, one after the other.
bool Reconciliation::delete_leaver() {
    for (const Leaver& leaver : next_.leaving) {
        const model::Pod* pod = view_.pod(leaver.name);
        if (!pod || pod->meta.deleting) continue;
        decision_.actions.push_back(
            engine::deletion_of({ref_to(model::pods, pod->meta.key), pod->meta.uid}));
        return true;
    }
    return false;
}

// Somebody, or a policy, does not let the claim be deleted: then it is kept, and that is told.
bool Reconciliation::stays_for_good(const engine::Subject& claim) {
    const engine::Attempt* tried = seen_.attempted(Action::Verb::Delete, claim.ref);
    if (!tried || !tried->refusal || !tried->refusal->is_final()) return false;
    decision_.notices.push_back({engine::Reason::MemberRefused,
                                 fmt::format("Claim {} could not be deleted, and is kept: {}",
                                             claim.ref.name, tried->refusal->why)});
    return true;
}

// Where the policy says so, and only when the pod is gone; claims that are not there are done with.
bool Reconciliation::delete_claims() {
    for (const Leaver& leaver : next_.leaving) {
        // Who was never made may have been given the claims of a pod that is still there.
        const std::string_view identity =
            leaver.claims_of.empty() ? identity_in(leaver.name) : leaver.claims_of;
        if (view_.pod(leaver.name) || view_.is_mounted(identity)) continue;
        const auto wanted = claims_of(object_, spec_, leaver.name, leaver.claims_of);
        const auto left = claims_left(wanted, seen_);
        if (!left) {
            decision_.rests_on = wanted;
            return true;
        }
        const bool stays = !left->empty() && stays_for_good(left->front());
        if (left->empty() || stays) {
            std::erase(next_.leaving, Leaver{leaver});
            write_status(true);
            return true;
        }
        decision_.actions.push_back(engine::deletion_of(left->front()));
        return true;
    }
    return false;
}

// The template of that revision; nothing: it must be read first, or there is none.
std::optional<std::string> Reconciliation::template_of(const std::string& revision) {
    if (revision == revision_) return spec_.pod_template;
    const model::Ref ref{&revisions, object_.meta.key.ns, revision};
    const engine::Fetched* found = seen_.fetched_as(ref);
    if (!found) {
        decision_.rests_on.push_back(ref);
        return std::nullopt;
    }
    std::string text = found->object ? template_in(found->object->spec) : std::string{};
    if (text.empty()) return std::nullopt;
    return text;
}

// A pod whose revision is not the one that is written down gets the images of that one. If it
// cannot, what is written down follows the pod, and the member is replaced.
bool Reconciliation::update_in_place() {
    for (Member& member : next_.members) {
        if (!view_.is_behind(member)) continue;
        if (member.name == refused_update_) {  // it is told; the rest goes on meanwhile
            const Instant again = now_ + refused_pace;
            decision_.wake_at = std::min(decision_.wake_at.value_or(again), again);
            continue;
        }
        const model::Pod* pod = view_.pod(member.name);
        const auto from = template_of(pod->revision);
        const auto to = template_of(member.revision);
        const model::Ref whole{&whole_pods, object_.meta.key.ns, member.name};
        const engine::Fetched* found = seen_.fetched_as(whole);
        if (!found) decision_.rests_on.push_back(whole);
        if (!decision_.rests_on.empty()) return true;
        const auto changes = from && to ? image_changes(*from, *to) : std::nullopt;
        auto action = changes && found->object
                          ? in_place_update(*pod, *found->object, *changes, member.revision)
                          : std::nullopt;
        if (action) {
            decision_.actions.push_back(std::move(*action));
            return true;
        }
        member.revision = pod->revision;
        write_status(true);
        return true;
    }
    return false;
}

std::vector<Action> Reconciliation::makings_of(const Member& member,
                                               const std::string& pod_template) const {
    const std::string& ns = object_.meta.key.ns;
    const std::string identity =
        member.claims_of.empty() ? std::string{identity_in(member.name)} : member.claims_of;
    std::vector<Action> actions;
    // Those that are there already are left as they are.
    for (const ClaimTemplate& claim : spec_.claim_templates) {
        const model::Ref ref{&claims, ns, claim_name(view_.cluster(), claim.name, identity)};
        actions.push_back(engine::creation_of(ref, claim_body(object_, claim, identity)));
    }
    actions.push_back(engine::creation_of({&model::pods, ns, member.name},
                                          pod_body(object_, spec_, member, pod_template)));
    return actions;
}

// Claims first, then the word that it is tried, then the pod: whoever finds that word and no pod
// does not try it again.
bool Reconciliation::make_members() {
    Status tried = next_;
    std::vector<Action> before, behind;
    for (Member* member : due(view_, tried)) {
        auto pod_template = template_of(member->revision);
        if (!decision_.rests_on.empty()) return true;
        if (!pod_template) {  // that revision is lost; this one is known
            member->revision = revision_;
            pod_template = spec_.pod_template;
        }
        std::vector<Action> makings = makings_of(*member, *pod_template);
        behind.push_back(std::move(makings.back()));
        makings.pop_back();
        std::ranges::move(makings, std::back_inserter(before));
        member->state = Member::State::Creating;
        member->since = in_whole_seconds(now_);
        member->after.clear();
    }
    if (behind.empty()) return false;
    tried.written = in_whole_seconds(now_);
    auto write = api::status_write(subject(), object_, old_, tried);
    if (!write) return false;
    decision_.actions = std::move(before);
    decision_.actions.push_back(std::move(*write));
    std::ranges::move(behind, std::back_inserter(decision_.actions));
    for (std::size_t i = 1; i < decision_.actions.size(); ++i)
        decision_.actions[i].follows = true;
    decision_.needs_live = true;
    return true;
}

// A pod that was refused was not made: the same name is tried again, as long as we know it.
bool Reconciliation::retry_refused() {
    const auto member = std::ranges::find(next_.members, view_.refused, &Member::name);
    if (view_.refused.empty() || member == next_.members.end()) return false;
    const auto pod_template = template_of(member->revision);
    if (!pod_template) return !decision_.rests_on.empty();
    write_status(false);
    // What it is made from may be what is lacking: somebody has deleted it.
    const model::Ref revision{&revisions, object_.meta.key.ns, member->revision};
    const std::string body =
        revision_body(object_, member->revision, object_.meta.generation, *pod_template);
    std::vector<Action> makings{engine::creation_of(revision, body)};
    makings.push_back(makings_of(*member, *pod_template).back());
    for (Action& one : makings) {
        one.follows = !decision_.actions.empty();
        decision_.actions.push_back(std::move(one));
    }
    decision_.needs_live = true;
    return true;
}

// Those that nobody runs and that are more than are kept.
bool Reconciliation::trim_revisions() {
    std::vector<std::string> used{revision_, next_.current_revision};
    for (const Member& member : next_.members)
        used.push_back(member.revision);
    if (!api::trim_revisions(decision_, seen_, next_.revisions, used, spec_.revisions_max))
        return false;
    if (!decision_.rests_on.empty()) return true;
    write_status(true);
    if (decision_.actions.size() > 1) decision_.actions.back().follows = true;
    return true;
}

}  // namespace sluice::api::stateful_cluster
