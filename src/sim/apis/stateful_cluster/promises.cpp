// What StatefulClusters promise, read from the API's own history: identities that are never used
// again, claims that are neither lost nor shared, and nobody who is replaced without need.
#include <algorithm>
#include <map>
#include <set>

#include "sim/api/state.hpp"
#include "sim/apis/egress.hpp"
#include "sim/apis/gates/gates.hpp"
#include "sim/apis/stateful_cluster/api.hpp"
#include "sim/apis/stateful_cluster/objects.hpp"

namespace sluice::sim::stateful_cluster {
namespace {

constexpr const char* owner_at = "/metadata/ownerReferences/0";

bool is_member(const json::object& object) {
    return text_at(object, std::string{owner_at} + "/kind") == "StatefulCluster";
}

std::string owner_uid(const Change& change) {
    return text_at(change.object->object(), std::string{owner_at} + "/uid");
}

// The cluster that owns an object, as it is now; null: there is none with that UID.
ObjectPtr cluster_of(const Promise& promise, const Change& change) {
    const json::object& owner = object_at(change.object->object(), owner_at);
    ObjectPtr cluster =
        promise.in.cluster.api().find(clusters, change.place.ns, text_at(owner, "/name"));
    const bool is_it = cluster && uid_in(cluster->object()) == owner_uid(change);
    return is_it ? cluster : nullptr;
}

const json::object* entry_of(const json::object& cluster, const char* list,
                             const std::string& name) {
    for (const json::value& entry : array_at(cluster, list))
        if (text_at(entry.get_object(), "/name") == name) return &entry.get_object();
    return nullptr;
}

// S13: an identity is written down before anything is made under it, and used once.
class IdentityOnce final : public Promise {
  public:
    using Promise::Promise;

    void on_change(const Change& change) override {
        const json::object& object = change.object->object();
        if (change.place.resource == clusters && change.before && change.user != operator_user)
            for (const std::string& name : member_names(change.before->object()))
                if (!entry_of(object, "/status/members", name))
                    struck_out_.insert({change.place.ns, name});
        if (change.type != Change::Type::Added || change.place.resource != "pods" ||
            !is_member(object))
            return;
        tested();
        const std::pair identity{change.place.ns, change.place.name};
        if (!made_.insert(identity).second) broken("pod {} was made again", change.place.name);
        const ObjectPtr cluster = cluster_of(*this, change);
        if (change.user == operator_user && cluster && !struck_out_.contains(identity) &&
            !entry_of(cluster->object(), "/status/members", change.place.name))
            broken("pod {} was made, and its identity is not written down", change.place.name);
    }

  private:
    using Identities = std::set<std::pair<std::string, std::string>>;
    Identities made_;
    Identities struck_out_;  // by somebody else, while the request to make it was on its way
};

// A pod without what an update in place changes.
json::object without_images(json::object pod) {
    for (const char* key : {"/metadata/resourceVersion", "/metadata/generation",
                            "/metadata/managedFields", "/metadata/labels/controller-revision-hash",
                            "/metadata/annotations/sluice.dev~1restarts"})
        erase(pod, key);
    for (json::value& container : array_in(pod, "/spec/containers"))
        container.get_object().erase("image");
    return pod;
}

// The images alone, to the revision that is written down.
void updates_in_place(const Promise& promise, const Change& change) {
    const json::object& pod = change.object->object();
    const std::string& name = change.place.name;
    if (without_images(pod) != without_images(change.before->object()))
        promise.broken("an operator changed more than the images of pod {}", name);
    const ObjectPtr cluster = cluster_of(promise, change);
    const json::object* member =
        cluster ? entry_of(cluster->object(), "/status/members", name) : nullptr;
    if (!member || text_at(*member, "/revision") != text_at(pod, revision_at))
        promise.broken("pod {} was updated to a revision that is not written down", name);
}

// Claims and revisions that are known by another label.
bool is_of_another_api(const json::object& owned) {
    const json::object& labels = object_at(owned, "/metadata/labels");
    return std::ranges::any_of(apis(),
                               [&](const Api& api) { return labels.contains(api.claim_label); });
}

// S10: pods and revisions that a cluster owns, and claims with its label; pods of others are only
// deleted.
void makes_its_own(const Promise& promise, const Change& change) {
    const std::string& resource = change.place.resource;
    const json::object& object = change.object->object();
    if ((resource == claims || resource == revisions) && is_of_another_api(object)) return;
    const bool is_new = change.type == Change::Type::Added;
    if (resource == "pods" && !is_member(object)) {
        if (!is_pod_deletion(change)) promise.broken("an operator wrote pod {}", change.place.name);
        return;
    }
    const bool is_owned = resource == "pods" || resource == revisions;
    if (is_owned && is_new && !cluster_of(promise, change) &&
        !promise.in.history.has_just_gone(owner_uid(change)))
        promise.broken("an operator made {} {} for no cluster", resource, change.place.name);
    const bool goes = change.type == Change::Type::Deleted || is_terminating(object);
    if (resource == "pods" && !is_new && !goes) return updates_in_place(promise, change);
    if ((is_owned || resource == claims) && !is_new && !goes)
        promise.broken("an operator changed {} {}", resource, change.place.name);
    if (resource == claims && is_new && text_at(object, cluster_label_at).empty())
        promise.broken("an operator made claim {} for no cluster", change.place.name);
}

bool goes_now(const Change& change) {
    const bool was_going = change.before && is_terminating(change.before->object());
    return change.type == Change::Type::Deleted
               ? !was_going
               : !was_going && is_terminating(change.object->object());
}

// A member of the cluster has the claims of this identity, its own or another's.
bool is_wanted(const json::object& cluster, const json::object& claim) {
    const std::string identity = text_at(claim, "/metadata/labels/sluice.dev~1member");
    return std::ranges::any_of(array_at(cluster, "/status/members"), [&](const json::value& one) {
        const std::string taken_over = text_at(one.get_object(), "/claimsOf");
        const std::string name = text_at(one.get_object(), "/name");
        return taken_over.empty() ? name.ends_with("-" + identity) : taken_over == identity;
    });
}

// S34: a claim is deleted only where a policy says so, and never while a pod mounts it.
void keeps_claims(const Promise& promise, const Change& change) {
    if (change.place.resource != claims || !goes_now(change) ||
        is_of_another_api(change.object->object()))
        return;
    promise.tested();
    const json::object& claim = change.object->object();
    const std::string& name = change.place.name;
    if (!promise.in.history.is_named(uid_in(claim)))
        promise.broken("claim {} was deleted without naming its UID", name);
    const ObjectPtr cluster =
        promise.in.cluster.api().find(clusters, change.place.ns, text_at(claim, cluster_label_at));
    bool may = false;
    if (cluster)
        for (const auto& [when, policy] :
             object_at(cluster->object(), "/spec/persistentVolumeClaimRetentionPolicy"))
            may = may || policy == json::value("Delete");
    if (!may) promise.broken("claim {} was deleted, and no policy says so", name);
    if (cluster && !is_terminating(cluster->object()) && is_wanted(cluster->object(), claim))
        promise.broken("claim {} was deleted, and a member is to have it", name);
    for (const ObjectPtr& pod : promise.in.cluster.api().list("pods", change.place.ns)) {
        const auto used = claims_in(pod->object());
        if (std::ranges::find(used, name) != used.end())
            promise.broken("claim {} was deleted, and pod {} mounts it", name,
                           name_in(pod->object()));
    }
}

// S34: and no two pods have the same one.
void shares_no_claim(const Promise& promise, const Change& change) {
    const json::object& pod = change.object->object();
    if (change.place.resource != "pods" || change.type != Change::Type::Added || !is_member(pod))
        return;
    promise.tested();
    for (const ObjectPtr& other : promise.in.cluster.api().list("pods", change.place.ns)) {
        if (uid_in(other->object()) == uid_in(pod)) continue;
        for (const std::string& claim : claims_in(other->object())) {
            const auto used = claims_in(pod);
            if (std::ranges::find(used, claim) != used.end())
                promise.broken("pods {} and {} have the same claim", change.place.name,
                               name_in(other->object()));
        }
    }
}

// S35: a pod of a member goes by its UID, and only if it is written down that it leaves; who failed
// is not ready, and most others are.
void deletes_leavers(const Promise& promise, const Change& change) {
    const json::object& pod = change.object->object();
    if (change.place.resource != "pods" || !is_member(pod) || !goes_now(change)) return;
    promise.tested();
    const std::string& name = change.place.name;
    if (!promise.in.history.is_named(uid_in(pod)))
        promise.broken("pod {} was deleted without naming its UID", name);
    const ObjectPtr cluster = cluster_of(promise, change);
    if (!cluster || is_terminating(cluster->object())) return;
    const json::object* leaver = entry_of(cluster->object(), "/status/leaving", name);
    if (!leaver) return promise.broken("pod {} was deleted, and is no leaver", name);
    if (text_at(*leaver, "/why") != "Failed") return;
    if (has_condition(pod, "Ready") && !has(pod, "/metadata/deletionTimestamp"))
        promise.broken("pod {} failed and is ready", name);
}

// S36: nobody is given up while so many are away that it is an outage. Of those that were ready
// once, or have come for one that was: who was added and has not started yet is no loss.
class ReplacesFew final : public Promise {
  public:
    using Promise::Promise;

    void on_change(const Change& change) override {
        const json::object& now = change.object->object();
        const std::string& ns = change.place.ns;
        if (change.place.resource == "pods" && is_member(now) && has_condition(now, "Ready"))
            counting_.insert({ns, change.place.name});
        if (change.place.resource != clusters || change.type != Change::Type::Modified) return;
        if (change.user == operator_user) judge(ns, now, change.before->object());
        for (const json::value& member : array_at(now, "/status/members"))
            if (counting_.contains({ns, text_at(member.get_object(), "/after")}))
                counting_.insert({ns, text_at(member.get_object(), "/name")});
    }

  private:
    void judge(const std::string& ns, const json::object& now, const json::object& before) const {
        for (const json::value& entry : array_at(now, "/status/leaving")) {
            const json::object& leaver = entry.get_object();
            const std::string name = text_at(leaver, "/name");
            if (text_at(leaver, "/why") != "Failed" || entry_of(before, "/status/leaving", name))
                continue;
            tested();
            std::int64_t wanted = 0, away = 0;
            for (const std::string& member : member_names(before)) {
                if (!counting_.contains({ns, member})) continue;
                ++wanted;
                const ObjectPtr pod = in.cluster.api().find("pods", ns, member);
                if (!pod || is_terminating(pod->object()) || !has_condition(pod->object(), "Ready"))
                    ++away;
            }
            if (away > std::max<std::int64_t>(1, (wanted - 1) / 2))
                broken("{} was given up while {} of {} members are not ready", name, away, wanted);
        }
    }

    std::set<std::pair<std::string, std::string>> counting_;
};

constexpr Rule<> rules[] = {
    {.name = "S10", .on_own_change = makes_its_own},
    {.name = "S34", .on_change = shares_no_claim, .on_own_change = keeps_claims},
    {.name = "S35", .on_own_change = deletes_leavers},
};

}  // namespace

void promises(Observers& all, const Inspection& inspection) {
    add<IdentityOnce>(all, "S13", inspection);
    add<ReplacesFew>(all, "S36", inspection);
    gates::add_promise(all, inspection, {clusters, member_names});
    add(all, rules, inspection);
}

}  // namespace sluice::sim::stateful_cluster
