// What is promised of versions: which there are, and which one goes when.
#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "sim/api/state.hpp"
#include "sim/apis/extended_stateful_set/api.hpp"
#include "sim/apis/extended_stateful_set/objects.hpp"
#include "sim/apis/gates/gates.hpp"
#include "sim/promises/promise.hpp"

namespace sluice::sim::extended_stateful_set {
namespace {

bool is_version(const json::object& set) {
    return text_at(set, "/metadata/ownerReferences/0/kind") == "ExtendedStatefulSet";
}

// The object that a version is of; null: there is none with that UID.
ObjectPtr object_of(const Promise& promise, const json::object& set) {
    ObjectPtr found =
        promise.in.cluster.api().find(extended_sets, text_at(set, "/metadata/namespace"),
                                      text_at(set, "/metadata/ownerReferences/0/name"));
    return found && uid_in(found->object()) == text_at(set, owner_uid_at) ? found : nullptr;
}

// S10, S11: an operator makes and deletes StatefulSets that an ExtendedStatefulSet owns, by their
// UID, and no others.
void makes_versions(const Promise& promise, const Change& change) {
    if (change.place.resource != sets) return;
    const json::object& set = change.object->object();
    const bool is_new = change.type == Change::Type::Added;
    const bool goes = change.type == Change::Type::Deleted || is_terminating(set);
    if (!is_new && !goes) return;  // what is changed is judged as with any set
    promise.tested();
    const std::string& name = change.place.name;
    if (!is_version(set))
        return promise.broken("an operator {} StatefulSet {}", is_new ? "made" : "deleted", name);
    const bool is_owned =
        object_of(promise, set) || promise.in.history.has_just_gone(text_at(set, owner_uid_at));
    if (is_new && !is_owned) promise.broken("an operator made {} for nobody", name);
    if (goes && !promise.in.history.is_named(uid_in(set)))
        promise.broken("an operator deleted {} without naming its UID", name);
}

// S38: the number of a version is written down before anything is made of it, and means one
// template for ever.
class NumbersOnce final : public Promise {
  public:
    using Promise::Promise;

    void on_change(const Change& change) override {
        const json::object& object = change.object->object();
        if (change.place.resource == extended_sets) {
            // Who takes the status away takes the memory of the numbers, too.
            if (!has(object, "/status/updateVersion")) given_.erase(uid_in(object));
            if (change.user == operator_user)
                give(uid_in(object), number_at(object, "/status/updateVersion"),
                     text_at(object, "/status/template"));
        }
        if (change.place.resource == sets && change.type == Change::Type::Added &&
            is_version(object) && change.user == operator_user)
            is_given(object);
    }

  private:
    void give(const std::string& owner, std::int64_t version, const std::string& digest) {
        if (version == 0) return;
        tested();
        const auto [known, is_new] = given_[owner].try_emplace(version, digest);
        if (known->second != digest) broken("version {} was given twice", version);
        if (is_new && given_[owner].rbegin()->first != version)
            broken("version {} was given after a higher one", version);
    }

    void is_given(const json::object& set) {
        const std::int64_t version = version_of(set);
        const std::string owner = text_at(set, owner_uid_at);
        give(owner, version, text_at(set, "/metadata/annotations/sluice.dev~1template-digest"));
        const ObjectPtr object = object_of(*this, set);
        const std::int64_t last =
            object ? number_at(object->object(), "/status/lastVersion", version) : version;
        if (last < version) broken("version {} was made, and is not written down", version);
    }

    std::map<std::string, std::map<std::int64_t, std::string>> given_;  // by the UID of the owner
};

// Pods of this version go because of the write.
bool takes_pods(const Change& change) {
    const json::object& set = change.object->object();
    const bool was_going = change.before && is_terminating(change.before->object());
    if (was_going) return false;
    if (change.type == Change::Type::Deleted || is_terminating(set)) return true;
    return change.before &&
           number_at(set, "/spec/replicas") < number_at(change.before->object(), "/spec/replicas");
}

// A person has said that nobody need wait for pods that are not ready.
bool is_excused(const json::object& owner) {
    return text_at(owner, "/metadata/annotations/sluice.dev~1allow-unready") == "true";
}

std::int64_t ordinal_in(std::string_view pod) {
    return whole_number<std::int64_t>(pod.substr(pod.rfind('-') + 1)).value_or(-1);
}

// S39: never are there no ready versions because of us, and none is deleted that serves or is on
// its way.
void keeps_serving(const Promise& promise, const Change& change) {
    const json::object& set = change.object->object();
    if (change.place.resource != sets || !is_version(set) || !takes_pods(change)) return;
    const ObjectPtr object = object_of(promise, set);
    if (!object || is_terminating(object->object())) return;
    promise.tested();
    const ApiServer& api = promise.in.cluster.api();
    const bool goes = change.type == Change::Type::Deleted || is_terminating(set);
    for (const char* field : {"/status/currentVersion", "/status/updateVersion"})
        if (goes && number_at(object->object(), field) == version_of(set))
            promise.broken("{} was deleted, and is still wanted", change.place.name);
    const std::int64_t wanted = number_at(object->object(), "/spec/template/spec/replicas", 1);
    const bool hands_over = has(set, hand_over_at);
    if (hands_over && is_excused(object->object())) return;
    // A single pod cannot hand over its claim and keep it.
    if (wanted <= (hands_over ? 1 : 0)) return;
    std::int64_t stay = 0, go = 0;
    const std::int64_t first = number_at(set, "/spec/ordinals/start");
    for (const ObjectPtr& pod : pods_of(api, change.before->object())) {
        if (!is_ready(pod->object())) continue;
        const std::int64_t ordinal = ordinal_in(name_in(pod->object()));
        if (!goes && ordinal >= first && ordinal < first + number_at(set, "/spec/replicas"))
            ++stay;
        else if (goes || ordinal < wanted)  // of fewer pods somebody else is the cause
            ++go;
    }
    if (stay > 0 || go == 0) return;
    for (const ObjectPtr& other : versions_of(api, object->object()))
        if (uid_in(other->object()) != uid_in(set) && ready_pods(api, other->object()) > 0) return;
    promise.broken("the last pods that are ready, of {}, were taken away", change.place.name);
}

// S39: nor is the last pod restarted that is ready.
void restarts_not_the_last(const Promise& promise, const SetWrite& write) {
    const ObjectPtr object = is_version(write.now()) ? object_of(promise, write.now()) : nullptr;
    if (!object || is_excused(object->object()) || !write.read) return;
    promise.tested();
    std::int64_t pods = 0, stay = 0, go = 0;
    const ApiServer& api = promise.in.cluster.api();
    for (const ObjectPtr& set : versions_of(api, object->object())) {
        pods += number_at(set->object(), "/spec/replicas");
        if (uid_in(set->object()) != uid_in(write.now())) stay += ready_pods(api, set->object());
    }
    for (const ObjectPtr& pod : write.read->pods) {
        if (!is_ready(pod->object())) continue;
        const bool is_let_go =
            index_of(name_in(pod->object()), write.now()) >= partition_of(write.now()) &&
            text_at(pod->object(), "/metadata/labels/controller-revision-hash") !=
                text_at(write.now(), "/status/updateRevision");
        ++(is_let_go ? go : stay);
    }
    if (pods > 1 && go > 0 && stay == 0)
        promise.broken("the last pod that is ready, of {}, is restarted", write.change.place.name);
}

// S40: behind the canaries only once they are ready.
void awaits_canaries(const Promise& promise, const Change& change) {
    if (change.place.resource != extended_sets || !change.before) return;
    const json::object& now = change.object->object();
    const json::object& before = change.before->object();
    const std::int64_t exposed = number_at(before, "/status/exposed");
    const bool grows = number_at(now, "/status/exposed") > exposed && exposed > 0;
    const auto is_same = [&](const char* field) {
        return number_at(now, field) == number_at(before, field);
    };
    // More pods in the zones that are reached are no step.
    if (!grows || !is_same("/status/updateVersion") || !is_same("/status/podsPerZone")) return;
    promise.tested();
    const ApiServer& api = promise.in.cluster.api();
    std::int64_t ready = 0;
    for (const ObjectPtr& set : versions_of(api, now))
        if (version_of(set->object()) == number_at(now, "/status/updateVersion"))
            ready += ready_pods(api, set->object());
    if (ready < exposed)
        promise.broken("an upgrade went on, and {} pods of it are not ready", exposed - ready);
}

// A set of the same version has been deleted, and its pods are not gone yet.
bool is_leaving_elsewhere(const ApiServer& api, const json::object& set) {
    return std::ranges::any_of(
        api.list(sets, text_at(set, "/metadata/namespace")), [&](const ObjectPtr& other) {
            const json::object& one = other->object();
            return text_at(one, owner_uid_at) == text_at(set, owner_uid_at) &&
                   version_of(one) == version_of(set) && uid_in(one) != uid_in(set) &&
                   is_terminating(one) && !pods_of(api, one).empty();
        });
}

// S41: one zone after the other. None has more pods of the new version than its turn allows, and
// none loses those of the old one while another does.
void takes_turns(const Promise& promise, const Change& change) {
    const json::object& set = change.object->object();
    if (change.place.resource != sets || !is_version(set) || zone_of(set) < 0) return;
    const ObjectPtr found = object_of(promise, set);
    if (!found || is_terminating(found->object())) return;
    promise.tested();
    if (is_terminating(set)) {
        if (is_leaving_elsewhere(promise.in.cluster.api(), set))
            promise.broken("{} was deleted while another zone loses its pods", change.place.name);
        return;
    }
    const json::object& object = found->object();
    const std::int64_t update = number_at(object, "/status/updateVersion");
    if (version_of(set) != update || update == number_at(object, "/status/currentVersion")) return;
    const std::int64_t before =
        change.before ? number_at(change.before->object(), "/spec/replicas") : 0;
    const std::int64_t pods = number_at(set, "/spec/replicas");
    const std::int64_t in_zone = number_at(object, "/status/podsPerZone", 1);
    const std::int64_t turn = number_at(object, "/status/exposed") - zone_of(set) * in_zone;
    if (pods > before && pods > std::clamp<std::int64_t>(turn, 0, in_zone))
        promise.broken("{} has {} pods before its turn", change.place.name, pods);
}

// A Service of this namespace that follows the object selects the version of the set.
bool is_selected(const ApiServer& api, const json::object& set) {
    return std::ranges::any_of(
        api.list(services, text_at(set, "/metadata/namespace")), [&](const ObjectPtr& service) {
            const json::object& one = service->object();
            return text_at(one, serves_at) == text_at(set, "/metadata/ownerReferences/0/name") &&
                   text_at(one, selected_at) == text_at(set, version_at);
        });
}

// S42: no Service is sent to a version of which no pod is ready, and no pods go that one selects.
void serves_services(const Promise& promise, const Change& change) {
    const ApiServer& api = promise.in.cluster.api();
    const json::object& now = change.object->object();
    if (change.place.resource == services) {
        promise.tested();
        const ObjectPtr object =
            api.find(extended_sets, text_at(now, "/metadata/namespace"), text_at(now, serves_at));
        if (!object) return promise.broken("Service {} follows nobody", change.place.name);
        if (number_at(object->object(), "/spec/template/spec/replicas", 1) == 0) return;
        for (const ObjectPtr& set : versions_of(api, object->object()))
            if (text_at(set->object(), version_at) == text_at(now, selected_at) &&
                ready_pods(api, set->object()) > 0)
                return;
        return promise.broken("Service {} selects no pod that is ready", change.place.name);
    }
    if (change.place.resource != sets || !is_version(now) || !takes_pods(change)) return;
    const ObjectPtr object = object_of(promise, now);
    if (!object || is_terminating(object->object())) return;
    promise.tested();
    const bool goes = change.type == Change::Type::Deleted || is_terminating(now);
    const bool wants_some = number_at(object->object(), "/spec/template/spec/replicas", 1) > 0;
    if ((goes || number_at(now, "/spec/replicas") == 0) && wants_some && is_selected(api, now))
        promise.broken("the pods of {} go, and a Service selects them", change.place.name);
}

// S10: of Secrets in its own namespace an operator makes the key of its digests, and changes none.
void makes_its_key(const Promise& promise, const Change& change) {
    const Place& place = change.place;
    if (place.resource != "secrets" || place.ns != "sluice-system") return;
    promise.tested();
    const bool is_key = place.name == "sluice-config-key";
    if (change.type != Change::Type::Added || !is_key)
        promise.broken("an operator wrote Secret {}/{}", place.ns, place.name);
}

// S45: a restart changes one annotation of the pods of the version that serves, closes the gate in
// the same write, and begins neither in the middle of an upgrade nor twice for the same digest.
class RestartsOnce final : public Promise {
  public:
    using Promise::Promise;

    void on_set_write(const SetWrite& write) override {
        const std::string at = std::string{"/spec/template"} + config_at;
        const std::string digest = text_at(write.now(), at);
        if (!is_version(write.now()) || digest == text_at(write.before(), at)) return;
        tested();
        const std::string& name = write.change.place.name;
        if (write.exposed() > 0) broken("{} is to be restarted, and its gate is open", name);
        const ObjectPtr object = object_of(*this, write.now());
        if (!object) return;
        const json::object& owner = object->object();
        if (version_of(write.now()) != number_at(owner, "/status/currentVersion"))
            broken("{} is restarted, and does not serve", name);
        if (text_at(owner, "/status/rollout").contains(R"("open":true)"))
            broken("{} is restarted in the middle of an upgrade", name);
        if (text_at(owner, "/status/configDigest") != digest)
            broken("{} is restarted for what is not written down", name);
        const std::string restarted = fmt::format("{} {}", uid_in(write.now()), digest);
        if (last_[uid_in(write.now())] == digest) broken("{} is restarted twice", restarted);
        last_[uid_in(write.now())] = digest;
    }

    // Its object says that nobody need wait for pods that are not ready, or none ever was.
    bool excuses_pods(const SetWrite& write) const override {
        const ObjectPtr object = is_version(write.now()) ? object_of(*this, write.now()) : nullptr;
        if (!object || !write.read) return false;
        const bool was_ready = std::ranges::any_of(write.read->pods, [&](const ObjectPtr& pod) {
            return in.history.was_ready(uid_in(pod->object()));
        });
        return !was_ready || flag_at(object->object(), "/spec/updateStrategy/updateNotReady") ||
               is_excused(object->object());
    }

  private:
    std::map<std::string, std::string> last_;  // by UID
};

bool is_shared(const ApiServer& api, const std::string& ns, const std::string& name) {
    const ObjectPtr claim = api.find(claims, ns, name);
    return claim && std::ranges::any_of(array_at(claim->object(), "/spec/accessModes"),
                                        [](const json::value& mode) {
                                            return mode == json::value("ReadWriteMany") ||
                                                   mode == json::value("ReadOnlyMany");
                                        });
}

// S43: a pod has the claims of its own ordinal, and no other pod has them unless they are made to
// be shared.
void has_its_own_claims(const Promise& promise, const Change& change) {
    const json::object& pod = change.object->object();
    if (change.place.resource != "pods" || change.type != Change::Type::Added ||
        !has(pod, owner_at))
        return;
    const ApiServer& api = promise.in.cluster.api();
    const std::string& name = change.place.name;
    const std::string ordinal = name.substr(name.rfind('-'));
    const std::string zone = zone_of(pod) < 0 ? "" : fmt::format("-z{}", zone_of(pod));
    for (const std::string& claim : claims_in(pod)) {
        promise.tested();
        if (claim.ends_with("-ORDINAL")) continue;  // nobody has told it which, so it has none
        const std::string end = fmt::format("-{}{}{}", text_at(pod, owner_at), zone, ordinal);
        if (!claim.ends_with(end)) promise.broken("pod {} has claim {}", name, claim);
        if (is_shared(api, change.place.ns, claim)) continue;
        for (const ObjectPtr& other : api.list("pods", change.place.ns)) {
            const auto used = claims_in(other->object());
            if (uid_in(other->object()) != uid_in(pod) &&
                std::ranges::find(used, claim) != used.end())
                promise.broken("pods {} and {} have claim {}", name, name_in(other->object()),
                               claim);
        }
    }
}

// S44: a claim goes only by its UID, where the object says so, when its ordinal is not wanted and
// no pod has it.
void keeps_claims(const Promise& promise, const Change& change) {
    const json::object& claim = change.object->object();
    if (change.place.resource != claims || !has(claim, owner_at)) return;
    promise.tested();
    const std::string& name = change.place.name;
    const bool was_going = change.before && is_terminating(change.before->object());
    const bool goes = change.type == Change::Type::Deleted || is_terminating(claim);
    if (was_going || !goes) return;
    const ApiServer& api = promise.in.cluster.api();
    if (!promise.in.history.is_named(uid_in(claim)))
        promise.broken("claim {} was deleted without naming its UID", name);
    const ObjectPtr object = api.find(extended_sets, change.place.ns, text_at(claim, owner_at));
    if (!object ||
        text_at(object->object(),
                "/spec/template/spec/persistentVolumeClaimRetentionPolicy/whenScaled") != "Delete")
        promise.broken("claim {} was deleted, and nobody says so", name);
    for (const ObjectPtr& pod : api.list("pods", change.place.ns)) {
        const auto used = claims_in(pod->object());
        if (std::ranges::find(used, name) != used.end())
            promise.broken("claim {} was deleted, and pod {} has it", name, name_in(pod->object()));
    }
    if (object &&
        number(text_at(claim, ordinal_at)) < number_at(object->object(), "/status/claimsMade"))
        promise.broken("claim {} was deleted, and its ordinal is wanted", name);
}

// S44: and none goes along with the object, unless that says so.
void owns_what_goes_along(const Promise& promise, const Change& change) {
    const json::object& claim = change.object->object();
    if (change.place.resource != claims || !has(claim, owner_at) || !has(claim, owner_uid_at))
        return;
    if (change.before && has(change.before->object(), owner_uid_at)) return;
    promise.tested();
    const ObjectPtr object = object_of(promise, claim);
    if (!object ||
        text_at(object->object(),
                "/spec/template/spec/persistentVolumeClaimRetentionPolicy/whenDeleted") != "Delete")
        promise.broken("claim {} is owned, and is to be kept", change.place.name);
}

constexpr Rule<> rules[] = {
    {.name = "S43", .on_change = has_its_own_claims},
    {.name = "S44", .on_own_change = keeps_claims},
    {.name = "S44", .on_own_change = owns_what_goes_along},
    {.name = "S10", .on_own_change = makes_its_key},
    {.name = "S10", .on_own_change = makes_versions},
    {.name = "S39", .on_own_change = keeps_serving, .on_lowered = restarts_not_the_last},
    {.name = "S40", .on_own_change = awaits_canaries},
    {.name = "S41", .on_own_change = takes_turns},
    {.name = "S42", .on_own_change = serves_services},
};

}  // namespace

void promises(Observers& all, const Inspection& inspection) {
    add<NumbersOnce>(all, "S38", inspection);
    add<RestartsOnce>(all, "S45", inspection);
    job_promises(all, inspection);
    revision_promises(all, inspection);
    analysis_promises(all, inspection);
    reference_promises(all, inspection);
    gates::add_promise(all, inspection, {extended_sets});
    add(all, rules, inspection);
}

}  // namespace sluice::sim::extended_stateful_set
