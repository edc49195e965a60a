// When the gate of a StatefulSet may be lowered, and which pods may come up behind it.
#include <algorithm>

#include "sim/api/admission.hpp"
#include "sim/api/state.hpp"
#include "sim/apis/registry.hpp"
#include "sim/promises/promise.hpp"

namespace sluice::sim {
namespace {

// Kubernetes has seen the spec, and there is nothing left for it to do.
bool is_settled(const json::object& set, const std::vector<ObjectPtr>& pods) {
    const std::string revision = text_at(set, "/status/updateRevision");
    return text_at(set, "/status/currentRevision") == revision &&
           number_at(set, "/status/observedGeneration") == number_at(set, "/metadata/generation") &&
           std::ranges::all_of(pods, [&](const ObjectPtr& pod) {
               return text_at(pod->object(), revision_at) == revision;
           });
}

// S1, beside what each API has to say: a step is taken for an API that we have, and a set is let
// out of our hands with an open gate only if somebody asked for it, or while there is nothing
// behind it.
void is_of_an_api(const Promise& promise, const SetWrite& write) {
    if (!api_of_claim(text_at(write.now(), claim_at)))
        promise.broken("the gate of {} was lowered, and no API says how", write.change.place.name);
}

void is_asked_for(const Promise& promise, const SetWrite& write) {
    if (!write.read) return;
    promise.tested();
    const bool is_asked = std::ranges::any_of(
        promise.in.observers, [&](const auto& one) { return one->asks_for_release(write); });
    if (!is_asked && !is_settled(write.read->set->object(), write.read->pods))
        promise.broken("{} was released, and nobody had asked for it", write.change.place.name);
}

// S2: everything that was let go before is there, on the new revision and ready; and whatever
// stands behind the gate is ready too, unless somebody said that it need not be.
void pods_are_ready(const Promise& promise, const SetWrite& write) {
    const bool is_excused = std::ranges::any_of(
        promise.in.observers, [&](const auto& one) { return one->excuses_pods(write); });
    if (!write.read || is_excused) return;
    promise.tested();
    const json::object& set = write.read->set->object();
    const std::int64_t before = partition_of(write.before());
    const bool excused = text_at(set, excuse_at) == "true";
    const std::string revision = text_at(set, "/status/updateRevision");
    for (std::int64_t index = 0; index < number_at(set, "/spec/replicas"); ++index) {
        const bool goes_now = index >= partition_of(write.now()) && index < before;
        if (goes_now || (excused && index < before)) continue;
        const std::string name = pod_at(set, index);
        const json::object* pod = named(write.read->pods, name);
        const bool ready = pod && has_condition(*pod, "Ready");
        const bool updated = pod && text_at(*pod, revision_at) == revision;
        if (!ready || (index >= before && !updated))
            promise.broken("the gate was lowered while {} is not {}", name,
                           ready ? "updated" : "ready");
    }
}

// S4: each step of a rollout is taken once. Whoever else moves the gate, changes the template or
// takes our memory makes Sluice go a way twice; and other steps in mid-rollout are gone through
// from the top.
class StepsOnce final : public Promise {
  public:
    using Promise::Promise;

    void on_change(const Change& change) override {
        if (change.place.resource != "statefulsets.apps" || !change.before) return;
        const json::object& before = change.before->object();
        const json::object& set = change.object->object();
        if (change.user != operator_user &&
            (object_at(set, "/spec") != object_at(before, "/spec") ||
             object_at(set, "/metadata/annotations") != object_at(before, "/metadata/annotations")))
            taken_[uid_in(set)].clear();
    }

    void on_set_write(const SetWrite& write) override {
        const std::string uid = uid_in(write.now());
        const bool is_released = !has(write.now(), claim_at);
        const bool has_other_steps =
            write.note && std::exchange(lists_[uid], write.note->list) != write.note->list;
        if (write.begins || has_other_steps || is_released) taken_[uid].clear();
        if (is_released) lists_.erase(uid);
    }

    void on_step(const SetWrite& write) override {
        tested();
        const std::int64_t gate = partition_of(write.now());
        if (!taken_[uid_in(write.now())].insert(gate).second)
            broken("the gate was lowered to {} twice in one rollout", gate);
    }

  private:
    std::map<std::string, std::set<std::int64_t>> taken_;  // by UID
    std::map<std::string, std::string> lists_;             // of steps
};

// S5: one pod is let go at a time, and no pod comes up on a new revision that was not let go.
class OnePodAtATime final : public Promise {
  public:
    using Promise::Promise;

    void on_change(const Change& change) override {
        if (change.place.resource == "statefulsets.apps" && change.type != Change::Type::Deleted)
            on_set(change);
        if (change.place.resource == "pods" && change.type == Change::Type::Added)
            on_new_pod(change);
    }

    void on_set_write(const SetWrite& write) override {
        Leak& leak = leaks_[uid_in(write.now())];
        if (write.begins) leak.was_at_zero = write.replicas() == 0;
        if (!has(write.now(), claim_at)) leak = {};
        if (partition_of(write.now()) >= write.replicas()) leak.is_bypassed = false;
    }

    void on_step(const SetWrite& write) override {
        tested();
        const Api* api = api_of_claim(text_at(write.now(), claim_at));
        if (write.exposed() > write.exposed_before() + 1 && !(api && api->lets_many_go))
            broken("{} pods were let go at once", write.exposed() - write.exposed_before());
    }

  private:
    struct Leak {  // by which pods may come up that no operator let go
        bool is_bypassed = false;
        bool was_at_zero = false;
    };

    // Somebody else lowered the gate of a set that an operator steers: what comes up is their
    // doing.
    void on_set(const Change& change) {
        const json::object& set = change.object->object();
        Leak& leak = leaks_[uid_in(set)];
        const std::int64_t replicas = number_at(set, "/spec/replicas");
        if (replicas == 0) leak.was_at_zero = true;
        if (!change.before || change.user == operator_user) return;
        const json::object& before = change.before->object();
        const bool is_steered = has(before, claim_at);  // else nobody promised anything yet
        // A new template over an open gate, where no policy closes it in the same write.
        const bool moves = partition_of(set) < partition_of(before) ||
                           object_at(set, "/spec/template") != object_at(before, "/spec/template");
        if (!is_steered || (moves && partition_of(set) < replicas)) leak.is_bypassed = true;
    }

    // A pod that comes up on a revision that is not current: somebody must have let it go.
    void on_new_pod(const Change& change) {
        const json::object& pod = change.object->object();
        const json::object& owner = object_at(pod, "/metadata/ownerReferences/0");
        if (text_at(owner, "/kind") != "StatefulSet") return;
        const ObjectPtr set =
            in.cluster.api().find("statefulsets.apps", change.place.ns, text_at(owner, "/name"));
        if (!set || !has(set->object(), claim_at)) return;
        tested();
        const std::string uid = uid_in(set->object());
        const Workload* known = in.history.workload(uid);
        const Workload& workload = known ? *known : Workload{};
        const std::string revision = text_at(pod, revision_at);
        const std::int64_t index = index_of(change.place.name, set->object());
        const bool is_excused =
            leaks_[uid].is_bypassed || leaks_[uid].was_at_zero || index >= workload.replicas_then;
        if (is_excused || revision == text_at(set->object(), "/status/currentRevision") ||
            workload.approved.contains({revision, index}))
            return;
        broken("{} came up on revision {}, and nobody had let it go", change.place.name, revision);
    }

    std::map<std::string, Leak> leaks_;  // by UID
};

// S9: nothing that cannot be taken back without a read of the API itself.
void reads_before_lowering(const Promise& promise, const SetWrite& write) {
    promise.tested();
    if (!write.read)
        promise.broken("the gate of {} was lowered without a look at the API before",
                       write.change.place.name);
}

void reads_before_release(const Promise& promise, const SetWrite& write) {
    promise.tested();
    if (!write.read)
        promise.broken("{} was released without a look at the API before", write.change.place.name);
}

void reads_before_removal(const Promise& promise, const PodRemoval& removal) {
    const bool is_read = removal.is_of_set() ? removal.set && removal.read : removal.is_read;
    if (!is_read)
        promise.broken("{} was deleted without a look at the API before",
                       removal.change.place.name);
}

// S23: no decision on a status that speaks of an older spec, and none is carried out on a spec that
// changed since the read.
void knows_the_spec(const Promise& promise, const SetWrite& write) {
    if (!write.read) return;
    promise.tested();
    const json::object& set = write.read->set->object();
    const std::int64_t generation = number_at(set, "/metadata/generation");
    if (number_at(set, "/status/observedGeneration") < generation)
        promise.broken("the gate was lowered on a status that speaks of an older spec");
    if (generation != number_at(write.before(), "/metadata/generation"))
        promise.broken("the gate was lowered on a look at an older spec");
}

// S24: while a set is paused the gate is not lowered.
void rests_while_paused(const Promise& promise, const SetWrite& write) {
    promise.tested();
    if (text_at(write.before(), paused_at) == "true" && write.exposed() > write.exposed_before())
        promise.broken("the gate was lowered while the set is paused");
}

constexpr Rule<> rules_of_steps[] = {
    {.name = "S1", .on_step = is_of_an_api, .on_release = is_asked_for},
    {.name = "S2", .on_step = pods_are_ready},
    {.name = "S9",
     .on_lowered = reads_before_lowering,
     .on_release = reads_before_release,
     .on_removal = reads_before_removal},
    {.name = "S23", .on_lowered = knows_the_spec},
    {.name = "S24", .on_lowered = rests_while_paused},
};

}  // namespace

void add_step_promises(Observers& all, const Inspection& inspection) {
    add(all, rules_of_steps, inspection);
    add<StepsOnce>(all, "S4", inspection);
    add<OnePodAtATime>(all, "S5", inspection);
}

}  // namespace sluice::sim
