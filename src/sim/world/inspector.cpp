#include "sim/world/inspector.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/phased_rollout/spec.hpp"
#include "sim/api/admission.hpp"
#include "sim/api/state.hpp"
#include "sim/world/notes.hpp"

namespace sluice::sim {
namespace {

constexpr const char* claim_at = "/metadata/annotations/sluice.dev~1claim";
constexpr std::size_t violations_max = 50;

bool shows_canary(std::string_view text) {
    static const std::vector<std::string> spellings = spellings_of(canary);
    return std::ranges::any_of(spellings,
                               [&](const std::string& one) { return text.contains(one); });
}

std::string note(const json::object& set, const char* key) {
    return text_at(set, fmt::format("/metadata/annotations/sluice.dev~1{}", key));
}

std::string uid_of(const json::object& object) {
    return text_at(object, "/metadata/uid");
}

std::string name_of(const json::object& object) {
    return text_at(object, "/metadata/name");
}

// What an operator may not touch: the object without the partition and our annotations.
json::object untouchable(json::object set) {
    erase(set, partition_pointer);
    if (object_at(set, "/spec/updateStrategy/rollingUpdate").empty())
        erase(set, "/spec/updateStrategy/rollingUpdate");
    for (const char* key : {"resourceVersion", "generation", "managedFields"})
        erase(set, std::string{"/metadata/"} + key);
    json::object kept;
    for (const auto& [key, value] : object_at(set, "/metadata/annotations"))
        if (!model::is_kept_annotation(key)) kept[key] = value;
    if (kept.empty())
        erase(set, "/metadata/annotations");
    else
        set.at("metadata").get_object()["annotations"] = std::move(kept);
    return set;
}

// The same of a custom object: without its status and our finalizer.
json::object untouchable_object(json::object object) {
    object.erase("status");
    for (const char* key : {"resourceVersion", "managedFields"})
        erase(object, std::string{"/metadata/"} + key);
    // A word for once, which is taken away when it was acted on.
    if (has(object, "/spec/restartAt")) erase(object, "/spec/restartAt");
    if (has(object, "/spec/paused")) erase(object, "/spec/paused");  // ended by a full promotion
    erase(object, "/metadata/generation");
    json::array others;
    for (const json::value& finalizer : array_at(object, "/metadata/finalizers"))
        if (finalizer != json::value(api::phased_rollout::finalizer)) others.push_back(finalizer);
    erase(object, "/metadata/finalizers");
    if (!others.empty()) object.at("metadata").get_object()["finalizers"] = std::move(others);
    return object;
}

// A pod as it was before somebody deleted it, grace and all.
json::object undeleted(json::object pod) {
    for (const char* key : {"resourceVersion", "generation", "managedFields", "deletionTimestamp",
                            "deletionGracePeriodSeconds"})
        erase(pod, std::string{"/metadata/"} + key);
    return pod;
}

}  // namespace

Inspector::Inspector(Cluster& cluster, const Egress& egress, Duration skew)
    : cluster_(cluster), egress_(egress), skew_(skew) {
    cluster_.api().on_change([this](const Change& change) { on_change(change); });
}

void Inspector::broken(const std::string& promise, const std::string& what) {
    tested_.insert(promise);
    if (violations_.size() < violations_max)
        violations_.push_back(
            fmt::format("{} at {}: {}", promise, to_rfc3339(cluster_.now()), what));
}

Inspector::Seen Inspector::look(const std::string& ns, const std::string& name) const {
    Seen seen{cluster_.now(), cluster_.api().find("statefulsets.apps", ns, name), {}, {}, {}, {},
              redefined_};
    seen.plugins = cluster_.api().list("rolloutplugins.argoproj.io", ns);
    seen.runs = cluster_.api().list("analysisruns.argoproj.io", ns);
    if (!seen.set) return seen;
    seen.rollouts = cluster_.api().list("phasedrollouts.sts.plus", ns);
    for (const ObjectPtr& pod : cluster_.api().list("pods", ns))
        if (text_at(pod->object(), "/metadata/ownerReferences/0/uid") == uid_of(seen.set->object()))
            seen.pods.push_back(pod);
    return seen;
}

HostWitness Inspector::witness() {
    HostWitness ears;
    ears.patches = [this](const std::string& who, const std::string& patch,
                          const model::ObjectKey& key) {
        writer_ = who;
        writer_patch_ = patch;
        writer_key_ = to_text(key);
    };
    ears.patches_object = [this](const std::string& who, const controller::PatchObject&) {
        object_writer_ = who;
    };
    ears.creates = [this](const std::string& who) { creator_ = who; };
    ears.deletes = [this](const std::string& who, const model::ObjectKey&, const std::string& uid) {
        deleter_ = who;
        deleting_.insert(uid);
    };
    ears.reads = [this](const std::string& who, const model::ObjectKey& key) {
        reads_[{who, to_text(key)}] = look(key.ns, key.name);
    };
    ears.logs = [this](const std::string&, const controller::Log& line) {
        if (shows_canary(line.text)) broken("S14", "a secret is in a log line");
    };
    ears.starts = [this](const std::string& who) {
        settle(who, Fate::Lost);
        std::erase_if(reads_, [&](const auto& one) { return one.first.first == who; });
    };
    return ears;
}

const Inspector::Seen* Inspector::last_read() const {
    const auto found = reads_.find({writer_, writer_key_});
    return found == reads_.end() ? nullptr : &found->second;
}

void Inspector::on_change(const Change& change) {
    if (change.user == operator_user) on_own_write(change);
    if (change.place.resource == "statefulsets.apps") on_set(change);
    if (change.place.resource == "phasedrollouts.sts.plus") on_rollout(change);
    if (change.place.resource == "rolloutplugins.argoproj.io") on_plugin(change);
    if (change.place.resource == "analysisruns.argoproj.io") on_run(change);
    if (change.place.resource != "pods") return;
    if (has_condition(change.object->object(), "Ready"))
        was_ready_.insert(uid_of(change.object->object()));
    if (change.type == Change::Type::Added) on_new_pod(change);
}

// An operator writes StatefulSets, events, its lease and the status of custom objects, deletes pods
// that it names by their UID, and makes and deletes AnalysisRuns and their Jobs.
void Inspector::on_own_write(const Change& change) {
    const std::string& resource = change.place.resource;
    const Resource* known = cluster_.api().resource(resource);
    const bool may = resource == "statefulsets.apps" || resource == "events" ||
                     resource == "leases.coordination.k8s.io";
    held("S11");
    held("S10");
    if (resource == "analysisruns.argoproj.io")
        check_own_run(change);
    else if (known && known->is_custom())
        check_own_object(change);
    else if (resource == "pods")
        check_own_deletion(change);
    else if (resource == "jobs.batch")
        check_own_job(change);
    else if (change.type == Change::Type::Deleted)
        broken("S11", fmt::format("an operator deleted {} {}", resource, change.place.name));
    else if (!may)
        broken("S10", fmt::format("an operator wrote {} {}", resource, change.place.name));
    if (resource != "leases.coordination.k8s.io") ++writes_;
    held("S14");
    if (shows_canary(change.object->text()))
        broken("S14", fmt::format("a secret is in {} {}", resource, change.place.name));
    if (resource == "events") {
        held("S16");
        if (text_at(change.object->object(), "/involvedObject/namespace") != change.place.ns)
            broken("S16", "an event stands in another namespace than what it is about");
    }
}

// One that somebody else has deleted goes when our finalizer does.
void Inspector::check_own_object(const Change& change) {
    const std::string& name = change.place.name;
    check_finalizer(change);
    if (change.type == Change::Type::Deleted) {
        const json::object& gone = change.object->object();
        if (!has(gone, "/metadata/deletionTimestamp"))
            broken("S11", fmt::format("an operator deleted {} {}", change.place.resource, name));
        return;
    }
    if (!change.before)
        broken("S10", fmt::format("an operator made {} {}", change.place.resource, name));
    else if (untouchable_object(change.before->object()) !=
             untouchable_object(change.object->object()))
        broken(
            "S10",
            fmt::format("an operator changed more than the status and its finalizer on {}", name));
}

void Inspector::check_own_deletion(const Change& change) {
    const json::object& pod = change.object->object();
    const bool goes = change.type == Change::Type::Deleted ||
                      (change.before && has(pod, "/metadata/deletionTimestamp") &&
                       undeleted(change.before->object()) == undeleted(pod));
    if (!goes)
        broken("S10", fmt::format("an operator wrote pods {}", change.place.name));
    else if (!deleting_.contains(uid_of(pod)))
        broken("S11",
               fmt::format("an operator deleted pod {} without naming its UID", change.place.name));
    else if (change.before && !has(change.before->object(), "/metadata/deletionTimestamp"))
        check_removal(change);
}

void Inspector::on_set(const Change& change) {
    if (change.type == Change::Type::Deleted) return;
    const json::object& now = change.object->object();
    Record& record = records_[uid_of(now)];
    if (number_at(now, "/spec/replicas") == 0) record.was_at_zero = true;
    if (!change.before) return;
    if (change.user == operator_user)
        on_own_set_write(change, record);
    else
        on_stranger(change, record);
    note_step(change, record);
}

// Somebody else lowered the gate of a set that an operator steers: what comes up is their doing.
void Inspector::on_stranger(const Change& change, Record& record) {
    const json::object& before = change.before->object();
    const json::object& now = change.object->object();
    const bool steered = has(before, claim_at);
    const std::int64_t replicas = number_at(now, "/spec/replicas");
    if (partition_of(now) < partition_of(before) && partition_of(now) < replicas)
        record.is_bypassed = true;
    // Whoever moves the gate, changes the template or takes our memory makes Sluice go a way twice.
    if (object_at(now, "/spec") != object_at(before, "/spec") ||
        object_at(now, "/metadata/annotations") != object_at(before, "/metadata/annotations"))
        record.lowered_to.clear();
    if (!steered) record.is_bypassed = true;  // nobody promised anything yet
    // A new template over an open gate, where no policy closes it in the same write.
    const bool leaks = object_at(now, "/spec/template") != object_at(before, "/spec/template") &&
                       partition_of(now) < replicas;
    if (leaks) record.is_bypassed = true;
}

void Inspector::check_fence(const Change& change, Record& record) {
    const auto fence = fence_note(change.object->object());
    if (!fence) return;
    held("S3");
    if (record.lease == fence->lease && fence->transitions < record.fence)
        broken("S3", fmt::format("a write of fence {} after one of {}", fence->transitions,
                                 record.fence));
    record.lease = fence->lease;
    record.fence = fence->transitions;
}

void Inspector::check_fields(const Change& change) {
    held("S10");
    held("S17");
    const json::object before = untouchable(change.before->object());
    const json::object after = untouchable(change.object->object());
    if (before == after) return;
    for (const char* field : {"ownerReferences", "finalizers"}) {
        const std::string pointer = std::string{"/metadata/"} + field;
        if (array_at(before, pointer) != array_at(after, pointer))
            broken("S17", fmt::format("an operator changed {} of {}", field, change.place.name));
    }
    broken("S10", fmt::format("an operator changed more than the partition and its annotations on "
                              "{}",
                              change.place.name));
}

void Inspector::on_own_set_write(const Change& change, Record& record) {
    const json::object& before = change.before->object();
    const json::object& now = change.object->object();
    check_fence(change, record);
    check_fields(change);
    held("S8");
    const bool names_uid = writer_patch_.find("\"/metadata/uid\"") != std::string::npos &&
                           writer_patch_.find(uid_of(now)) != std::string::npos;
    if (!names_uid) broken("S8", "a write does not name the UID of what it is about");
    const auto memory = rollout_note(now);
    if (memory && memory->id != record.rollout) {
        record.rollout = memory->id;
        record.rollout_since = cluster_.now();
        record.approved.clear();
        record.lowered_to.clear();
        record.was_at_zero = number_at(now, "/spec/replicas") == 0;
        record.first_place = memory->place;
    }
    // Other steps in mid-rollout are gone through from the top.
    if (memory && std::exchange(record.list, memory->list) != memory->list)
        record.lowered_to.clear();
    if (!has(now, claim_at)) record = Record{};  // let go; the next one starts from nothing
    const bool shuts = partition_of(now) >= number_at(now, "/spec/replicas");
    if (shuts) record.is_bypassed = false;
    const auto memory_before = rollout_note(before);
    const bool corrects = memory && memory_before && memory->corrected != memory_before->corrected;
    if (corrects && partition_of(now) > partition_of(before))
        corrections_.push_back(cluster_.now());
    if (partition_of(now) < partition_of(before)) on_lowered(change, record);
    const bool elsewhere = steersman_of_claim(text_at(now, claim_at)).reports_elsewhere;
    const bool completes = elsewhere ? memory && memory_before && memory_before->is_open &&
                                           !memory->is_open && !memory->has_failed
                                     : note(now, "reason") == "RolloutCompleted" &&
                                           note(before, "reason") != "RolloutCompleted";
    if (completes) check_completed(change);
    // A read counts for one write.
    reads_.erase({writer_, writer_key_});
}

void Inspector::check_read(const Change& change, const Seen* seen) {
    held("S9");
    if (!seen || !seen->set) {
        broken("S9", fmt::format("the gate of {} was lowered without a look at the API before",
                                 change.place.name));
        return;
    }
    held("S23");
    const json::object& set = seen->set->object();
    if (number_at(set, "/status/observedGeneration") < number_at(set, "/metadata/generation"))
        broken("S23", "the gate was lowered on a status that speaks of an older spec");
    if (number_at(set, "/metadata/generation") !=
        number_at(change.before->object(), "/metadata/generation"))
        broken("S23", "the gate was lowered on a look at an older spec");
    if (uid_of(set) != uid_of(change.object->object()))
        broken("S8", "the gate was lowered on a look at a namesake");
}

// Everything that was let go before is there, on the new revision and ready; and whatever stands
// behind the gate is ready too, unless somebody said that it need not be.
void Inspector::check_pods(const Change& change, const Seen& seen) {
    const json::object& set = seen.set->object();
    const std::int64_t before = partition_of(change.before->object());
    const std::int64_t start = number_at(set, "/spec/ordinals/start");
    const std::int64_t replicas = number_at(set, "/spec/replicas");
    const std::int64_t next = partition_of(change.object->object());
    const bool excused = note(set, "allow-unready") == "true";
    const std::string revision = text_at(set, "/status/updateRevision");
    held("S2");
    for (std::int64_t index = 0; index < replicas; ++index) {
        const bool goes_now = index >= next && index < before;
        if (goes_now || (excused && index < before)) continue;
        const std::string name = fmt::format("{}-{}", name_of(set), index + start);
        const auto pod = std::ranges::find_if(
            seen.pods, [&](const ObjectPtr& one) { return name_of(one->object()) == name; });
        const bool ready = pod != seen.pods.end() && has_condition((*pod)->object(), "Ready");
        const bool updated =
            pod != seen.pods.end() &&
            text_at((*pod)->object(), "/metadata/labels/controller-revision-hash") == revision;
        if (!ready || (index >= before && !updated))
            broken("S2", fmt::format("the gate was lowered while {} is not {}", name,
                                     ready ? "updated" : "ready"));
    }
}

// The hook said yes, to this very transition, and lately.
void Inspector::check_evidence(const Change& change, const Seen& seen, const Record&) {
    constexpr Duration age_max = 80s;  // 60 s, and the time of the requests
    check_pods(change, seen);
    const std::int64_t index = partition_of(change.object->object());
    const json::object& set = seen.set->object();
    const std::int64_t start = number_at(set, "/spec/ordinals/start");
    const auto uid_at = [&](std::int64_t which) -> std::string {
        const std::string name = fmt::format("{}-{}", name_of(set), which + start);
        for (const ObjectPtr& pod : seen.pods)
            if (name_of(pod->object()) == name) return uid_of(pod->object());
        return "nil";
    };
    const bool first = index + 1 >= number_at(set, "/spec/replicas");
    const std::string key =
        fmt::format("{}/{}/{}/{}", uid_of(set), text_at(set, "/status/updateRevision"),
                    first ? "nil" : uid_at(index + 1), uid_at(index));
    const HookCall* last = nullptr;
    for (const HookCall& call : egress_.calls())
        if (call.key == key && call.answered) last = &call;
    held("S1");
    held("S6");
    if (!last)
        broken("S6",
               fmt::format("no hook was asked about this transition of {}", change.place.name));
    else if (!last->allowed)
        broken("S1", fmt::format("the gate of {} was lowered though the hook had refused last",
                                 change.place.name));
    else if (cluster_.now() - last->at > age_max)
        broken("S6", "the gate was lowered on an approval that is too old");
}

void Inspector::check_completed(const Change& change) {
    const json::object& now = change.object->object();
    held("S21");
    for (const ObjectPtr& pod : look(change.place.ns, change.place.name).pods) {
        const bool leaving = has(pod->object(), "/metadata/deletionTimestamp");
        const std::string revision =
            text_at(pod->object(), "/metadata/labels/controller-revision-hash");
        if (!leaving && revision != text_at(now, "/status/updateRevision"))
            broken("S21", fmt::format("the rollout of {} is called complete, and {} is not on the "
                                      "new revision",
                                      change.place.name, name_of(pod->object())));
    }
}

// A pod that comes up on a revision that is not current: somebody must have let it go.
void Inspector::on_new_pod(const Change& change) {
    const json::object& pod = change.object->object();
    const json::object& owner = object_at(pod, "/metadata/ownerReferences/0");
    if (text_at(owner, "/kind") != "StatefulSet") return;
    const ObjectPtr set =
        cluster_.api().find("statefulsets.apps", change.place.ns, text_at(owner, "/name"));
    if (!set || !has(set->object(), claim_at)) return;
    const Record& record = records_[uid_of(set->object())];
    const std::string revision = text_at(pod, "/metadata/labels/controller-revision-hash");
    const std::string current = text_at(set->object(), "/status/currentRevision");
    const std::string& name = change.place.name;
    const std::int64_t index = std::stoll("0" + name.substr(name.rfind('-') + 1)) -
                               number_at(set->object(), "/spec/ordinals/start");
    held("S5");
    const bool excused = record.is_bypassed || record.was_at_zero || index >= record.replicas_then;
    if (revision == current || excused || record.approved.contains({revision, index})) return;
    broken("S5",
           fmt::format("{} came up on revision {}, and nobody had let it go", name, revision));
}

}  // namespace sluice::sim
