#include "api/stateful_cluster/part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/claims.hpp"
#include "engine/report.hpp"
#include "model/json_text.hpp"

namespace sluice::api::stateful_cluster {
namespace {

using engine::Decision;
using engine::Reason;
using engine::Snapshot;
using model::CustomObject;

constexpr std::string_view orphaning = "orphan";

std::string phase_in(const std::string& status) {
    const boost::json::value value = model::parse_json(status);
    const boost::json::value* phase = model::value_at(value, "/phase");
    return phase && phase->is_string() ? std::string{phase->get_string()} : std::string{};
}

bool is_of(const model::Pod& pod, const CustomObject& object) {
    return pod.owner_uid == object.meta.uid;
}

// Of those that it owns, by name, so that every look at them begins with the same one: first those
// that nobody has deleted. Null: there is none.
const model::Pod* first_pod(const Snapshot& seen) {
    const model::Pod* first = nullptr;
    const auto rank = [](const model::Pod& pod) {
        return std::pair{pod.meta.deleting, pod.meta.key.name};
    };
    for (const model::Pod& pod : seen.pods)
        if (is_of(pod, seen.objects.front()) && (!first || rank(pod) < rank(*first))) first = &pod;
    return first;
}

// Somebody took the cluster from under its pods, and they live on with their claims.
bool has_orphans(const Snapshot& seen, const Status& status) {
    const CustomObject& object = seen.objects.front();
    return std::ranges::any_of(seen.pods, [&](const model::Pod& pod) {
        const auto member = std::ranges::find(status.members, pod.meta.key.name, &Member::name);
        return !is_of(pod, object) && member != status.members.end();
    });
}

Decision waiting(const Snapshot& seen, Reason reason, std::string message) {
    Decision decision;
    decision.subject = subject_of(resource, seen.objects.front());
    decision.report = {engine::Phase::Rolling, reason, std::move(message), {}};
    return decision;
}

// The last one that is written down: its claims are looked at, deleted, and then it is forgotten.
Decision forget_last(const Snapshot& seen, const Spec& spec, Status status) {
    const CustomObject& object = seen.objects.front();
    Decision decision = waiting(seen, Reason::MemberRemoved, "Its claims are being deleted.");
    const Status old = status;
    const bool is_member = !status.members.empty();
    const std::string name = is_member ? status.members.back().name : status.leaving.back().name;
    const std::string taken_over =
        is_member ? status.members.back().claims_of : status.leaving.back().claims_of;
    const bool keeps = !is_member && status.leaving.back().hands_over;
    const auto wanted = claims_of(object, spec, name, taken_over);
    const auto left = keeps ? std::vector<engine::Subject>{} : claims_left(wanted, seen);
    if (!left) {
        decision.rests_on = wanted;
        return decision;
    }
    if (!left->empty()) {
        decision.actions.push_back(engine::deletion_of(left->front()));
        return decision;
    }
    if (is_member)
        status.members.pop_back();
    else
        status.leaving.pop_back();
    if (auto write = api::status_write(subject_of(resource, object), object, old, status))
        decision.actions.push_back(std::move(*write));
    return decision;
}

Decision let_go(const Snapshot& seen) {
    Decision decision = waiting(seen, Reason::Released, "The cluster is let go.");
    decision.actions.push_back(drop_finalizer(resource, seen.objects.front(), finalizer));
    decision.needs_live = true;
    return decision;
}

}  // namespace

std::vector<model::Ref> claims_of(const CustomObject& object, const Spec& spec,
                                  const std::string& name, const std::string& taken_over) {
    const std::string identity = taken_over.empty() ? std::string{identity_in(name)} : taken_over;
    std::vector<model::Ref> refs;
    refs.reserve(spec.claim_templates.size());
    for (const ClaimTemplate& one : spec.claim_templates)
        refs.push_back(
            {&claims, object.meta.key.ns, claim_name(object.meta.key.name, one.name, identity)});
    return refs;
}

std::optional<std::vector<engine::Subject>> claims_left(const std::vector<model::Ref>& wanted,
                                                        const Snapshot& seen) {
    std::vector<engine::Subject> left;
    for (const model::Ref& ref : wanted) {
        const engine::Fetched* found = seen.fetched_as(ref);
        if (!found || found->refusal) return std::nullopt;
        if (found->object && !found->object->meta.deleting)
            left.push_back({ref, found->object->meta.uid});
    }
    return left;
}

std::optional<bool> lost_volume(const std::vector<model::Ref>& wanted, const Snapshot& seen) {
    bool is_lost = false;
    for (const model::Ref& ref : wanted) {
        const engine::Fetched* found = seen.fetched_as(ref);
        if (!found) return std::nullopt;
        if (found->refusal) return false;  // nobody knows, so nobody is given up for it
        is_lost = is_lost || !found->object || phase_in(found->object->status) == "Lost";
    }
    return is_lost;
}

std::optional<engine::Action> finalizer_write(const CustomObject& object, const Spec& spec) {
    const bool is_wanted =
        spec.retention.when_deleted == Retention::Delete && !spec.claim_templates.empty();
    const bool is_there = has_finalizer(object, finalizer);
    if (is_wanted == is_there) return std::nullopt;
    return is_wanted ? add_finalizer(resource, object, finalizer)
                     : drop_finalizer(resource, object, finalizer);
}

Decision part(const Snapshot& seen, const Spec* spec, Instant) {
    const CustomObject& object = seen.objects.front();
    if (!has_finalizer(object, finalizer)) return {};
    if (has_finalizer(object, orphaning))
        return waiting(seen, Reason::MemberLeaving, "Waiting for its pods to be let go.");
    const Status status = read_status(object);
    const bool keeps = !spec || spec->retention.when_deleted == Retention::Retain;
    if (keeps || has_orphans(seen, status)) return let_go(seen);
    if (const model::Pod* pod = first_pod(seen)) {
        Decision decision = waiting(seen, Reason::MemberLeaving,
                                    fmt::format("Waiting for {} to be gone.", pod->meta.key.name));
        if (!pod->meta.deleting)
            decision.actions.push_back(
                engine::deletion_of({ref_to(model::pods, pod->meta.key), pod->meta.uid}));
        return decision;
    }
    if (status.members.empty() && status.leaving.empty()) return let_go(seen);
    return forget_last(seen, *spec, status);
}

}  // namespace sluice::api::stateful_cluster
