// What an operator may change on a StatefulSet, in whose name, and what it may say of it.
#include "api/registry.hpp"
#include "sim/api/state.hpp"
#include "sim/apis/registry.hpp"
#include "sim/promises/promise.hpp"

namespace sluice::sim {
namespace {

// What an operator may not touch: the object without the partition and our annotations, and where
// an API has made it the number and the ordinals of its pods.
json::object untouchable(json::object set) {
    erase(set, partition_pointer);
    if (const Api* maker = api_of_owner(text_at(set, "/metadata/ownerReferences/0/kind"))) {
        for (const char* field : {"/spec/replicas", "/spec/ordinals"})
            erase(set, field);
        erase_pod_annotation(set, *maker);
    }
    if (object_at(set, "/spec/updateStrategy/rollingUpdate").empty())
        erase(set, "/spec/updateStrategy/rollingUpdate");
    for (const char* key : {"resourceVersion", "generation", "managedFields"})
        erase(set, std::string{"/metadata/"} + key);
    json::object kept;
    for (const auto& [key, value] : object_at(set, "/metadata/annotations"))
        if (!api::kept().annotations.contains(key)) kept[key] = value;
    if (kept.empty())
        erase(set, "/metadata/annotations");
    else
        set.at("metadata").get_object()["annotations"] = std::move(kept);
    return set;
}

// S3: no write carries an older fence than one before it, or none where leaders are elected.
class FencesRise final : public Promise {
  public:
    using Promise::Promise;

    void on_set_write(const SetWrite& write) override {
        const std::string uid = uid_in(write.now());
        const auto fence = fence_note(write.now());
        const bool is_kept = has(write.now(), claim_at);
        if (!fence && is_kept && !in.cluster.api().list("leases.coordination.k8s.io").empty())
            broken("a write to {} carries no fence", write.change.place.name);
        if (fence) {
            tested();
            const FenceNote& last = last_.try_emplace(uid, *fence).first->second;
            if (last.lease == fence->lease && fence->transitions < last.transitions)
                broken("a write of fence {} after one of {}", fence->transitions, last.transitions);
            last_[uid] = *fence;
        }
        if (!is_kept) last_.erase(uid);
    }

  private:
    std::map<std::string, FenceNote> last_;  // by UID
};

// S8: every write names the UID of the object that it was decided upon.
void names_uid(const Promise& promise, const SetWrite& write) {
    promise.tested();
    if (!write.patch.contains("\"/metadata/uid\"") || !write.patch.contains(uid_in(write.now())))
        promise.broken("a write does not name the UID of what it is about");
}

void reads_no_namesake(const Promise& promise, const SetWrite& write) {
    if (write.read && uid_in(write.read->set->object()) != uid_in(write.now()))
        promise.broken("the gate was lowered on a look at a namesake");
}

// S10 of StatefulSets: partitions and its own annotations.
void changes_partitions(const Promise& promise, const SetWrite& write) {
    promise.tested();
    if (untouchable(write.before()) != untouchable(write.now()))
        promise.broken("an operator changed more than the partition and its annotations on {}",
                       write.change.place.name);
}

// S17
void owns_no_set(const Promise& promise, const SetWrite& write) {
    promise.tested();
    for (const char* field : {"ownerReferences", "finalizers"}) {
        const std::string pointer = std::string{"/metadata/"} + field;
        if (array_at(write.before(), pointer) != array_at(write.now(), pointer))
            promise.broken("an operator changed {} of {}", field, write.change.place.name);
    }
}

bool completes(const SetWrite& write) {
    const Api* api = api_of_claim(text_at(write.now(), claim_at));
    if (api && !api->reports_on_set)
        return write.note && write.note_before && write.note_before->is_open &&
               !write.note->is_open && !write.note->has_failed;
    const auto is_called_so = [](const json::object& set) {
        return text_at(set, "/metadata/annotations/sluice.dev~1reason") == "RolloutCompleted";
    };
    return is_called_so(write.now()) && !is_called_so(write.before());
}

// S21: a rollout that is called complete is.
void completes_what_is_complete(const Promise& promise, const SetWrite& write) {
    if (!completes(write)) return;
    promise.tested();
    const std::string wanted = text_at(write.now(), "/status/updateRevision");
    const Place& place = write.change.place;
    for (const ObjectPtr& pod : promise.in.history.read(place.ns, place.name).pods)
        if (!is_terminating(pod->object()) && text_at(pod->object(), revision_at) != wanted)
            promise.broken(
                "the rollout of {} is called complete, and {} is not on the new revision",
                place.name, name_in(pod->object()));
}

constexpr Rule<> rules_of_sets[] = {
    {.name = "S8", .on_set_write = names_uid, .on_lowered = reads_no_namesake},
    {.name = "S10", .on_set_write = changes_partitions},
    {.name = "S17", .on_set_write = owns_no_set},
    {.name = "S21", .on_set_write = completes_what_is_complete},
};

}  // namespace

void add_set_promises(Observers& all, const Inspection& inspection) {
    add<FencesRise>(all, "S3", inspection);
    add(all, rules_of_sets, inspection);
}

}  // namespace sluice::sim
