#include "sim/promises/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/api/admission.hpp"
#include "sim/api/state.hpp"

namespace sluice::sim {
namespace {

// A pod as it was before somebody deleted it, grace and all.
json::object undeleted(json::object pod) {
    for (const char* key : {"resourceVersion", "generation", "managedFields", "deletionTimestamp",
                            "deletionGracePeriodSeconds"})
        erase(pod, std::string{"/metadata/"} + key);
    return pod;
}

}  // namespace

const json::object* named(const std::vector<ObjectPtr>& objects, std::string_view name) {
    const auto found = std::ranges::find_if(
        objects, [&](const ObjectPtr& one) { return name_in(one->object()) == name; });
    return found == objects.end() ? nullptr : &(*found)->object();
}

std::int64_t index_of(const std::string& pod, const json::object& set) {
    return std::stoll("0" + pod.substr(pod.rfind('-') + 1)) -
           number_at(set, "/spec/ordinals/start");
}

std::string pod_at(const json::object& set, std::int64_t index) {
    return fmt::format("{}-{}", name_in(set), index + number_at(set, "/spec/ordinals/start"));
}

bool keeps_data(const Change& change) {
    const json::object& object = change.object->object();
    return change.type == Change::Type::Modified &&
           object_at(object, "/data") == object_at(change.before->object(), "/data");
}

bool is_pod_deletion(const Change& change) {
    const json::object& pod = change.object->object();
    return change.type == Change::Type::Deleted ||
           (change.before && is_terminating(pod) &&
            undeleted(change.before->object()) == undeleted(pod));
}

const std::vector<ObjectPtr>& LiveRead::of(const std::string& resource) const {
    static const std::vector<ObjectPtr> none;
    const auto found = objects.find(resource);
    return found == objects.end() ? none : found->second;
}

std::int64_t SetWrite::exposed_by(const json::object& set) const {
    return std::max<std::int64_t>(0, replicas() - partition_of(set));
}

LiveRead History::read(const std::string& ns, const std::string& name) const {
    const ApiServer& api = cluster_.api();
    LiveRead read{cluster_.now(), changes_, api.find("statefulsets.apps", ns, name)};
    for (const Resource* resource : api.resources())
        if (resource->is_custom()) read.objects[resource->id()] = api.list(resource->id(), ns);
    if (!read.set) return read;
    for (const ObjectPtr& pod : api.list("pods", ns))
        if (text_at(pod->object(), "/metadata/ownerReferences/0/uid") == uid_in(read.set->object()))
            read.pods.push_back(pod);
    return read;
}

void History::on_start(const std::string& who) {
    std::erase_if(reads_, [&](const auto& one) { return one.first.first == who; });
}

void History::on_read(const std::string& who, const model::ObjectKey& key) {
    reads_[{who, to_text(key)}] = read(key.ns, key.name);
}

void History::on_patch(const std::string& who, const std::string& patch,
                       const model::ObjectKey& key) {
    writer_ = who;
    patch_ = patch;
    key_ = to_text(key);
}

void History::on_delete(const std::string& who, const std::string& uid) {
    deleter_ = who;
    deleting_.insert(uid);
}

const LiveRead* History::last_read(const std::string& who, const std::string& key) const {
    const auto found = reads_.find({who, key});
    return found == reads_.end() || !found->second.set ? nullptr : &found->second;
}

std::vector<const LiveRead*> History::reads_of(const std::string& who) const {
    std::vector<const LiveRead*> found;
    for (const auto& [key, read] : reads_)
        if (key.first == who) found.push_back(&read);
    return found;
}

const Workload* History::workload(const std::string& uid) const {
    const auto found = workloads_.find(uid);
    return found == workloads_.end() ? nullptr : &found->second;
}

SetWrite History::begin(const Change& change) {
    Workload& workload = workloads_[uid_in(change.object->object())];
    SetWrite write{.change = change,
                   .workload = workload,
                   .writer = writer_,
                   .patch = patch_,
                   .read = last_read(writer_, key_),
                   .note_before = rollout_note(change.before->object()),
                   .note = rollout_note(change.object->object())};
    if (write.note && write.note->id != workload.rollout) {
        write.begins = true;
        workload.rollout = write.note->id;
        workload.rollout_since = cluster_.now();
        workload.first_place = write.note->place;
        workload.approved.clear();
    }
    if (!has(write.now(), claim_at)) workload = {};  // let go; the next one starts from nothing
    const bool corrects =
        write.note && write.note_before && write.note->corrected != write.note_before->corrected;
    if (corrects && partition_of(write.now()) > partition_of(write.before()))
        corrections_.push_back(cluster_.now());
    return write;
}

// The gate goes back over pods that were let go before, and that run the revision.
bool History::lets_pods_go(const SetWrite& write) const {
    if (write.exposed() == write.exposed_before()) return false;
    if (!write.read) return true;
    const json::object& set = write.read->set->object();
    const std::string revision = text_at(set, "/status/updateRevision");
    const std::int64_t end =
        std::min(partition_of(write.before()), number_at(set, "/spec/replicas"));
    for (std::int64_t index = partition_of(write.now()); index < end; ++index) {
        const json::object* pod = named(write.read->pods, pod_at(set, index));
        // A pod that a scale-up has brought was let go by whoever scaled.
        const bool was_let_go = index >= write.workload.replicas_then ||
                                write.workload.approved.contains({revision, index});
        if (!pod || text_at(*pod, revision_at) != revision || !was_let_go) return true;
    }
    return false;
}

void History::end(const SetWrite& write) {
    Workload& workload = workloads_[uid_in(write.now())];
    if (write.is_lowered() && has(write.now(), claim_at)) {
        workload.replicas_then = write.replicas();
        const std::string revision =
            write.read ? text_at(write.read->set->object(), "/status/updateRevision") : "";
        // All that the gate leaves exposed: also what a scale-up had put behind it before, and what
        // ran the revision before anybody steered the set.
        for (std::int64_t index = partition_of(write.now()); write.read && index < write.replicas();
             ++index)
            workload.approved[{revision, index}] = true;
    }
    reads_.erase({writer_, key_});
}

std::optional<PodRemoval> History::removal(const Change& change) const {
    const json::object& pod = change.object->object();
    const bool is_first = change.before && !is_terminating(change.before->object());
    if (!is_first || !is_pod_deletion(change) || !is_named(uid_in(pod))) return std::nullopt;
    const std::string owner = text_at(pod, "/metadata/ownerReferences/0/name");
    const ObjectPtr set = cluster_.api().find("statefulsets.apps", change.place.ns, owner);
    const std::string key = to_text(model::ObjectKey{change.place.ns, owner});
    return PodRemoval{change, set, last_read(deleter_, key), reads_.contains({deleter_, key})};
}

void History::end(const PodRemoval& removal) {
    const std::string owner = text_at(removal.pod(), "/metadata/ownerReferences/0/name");
    reads_.erase({deleter_, to_text(model::ObjectKey{removal.change.place.ns, owner})});
}

void History::end(const Change& change) {
    ++changes_;
    const std::string& resource = change.place.resource;
    if (change.user == operator_user && resource != "leases.coordination.k8s.io") ++writes_;
    if (resource == "pods" && has_condition(change.object->object(), "Ready"))
        ready_.insert(uid_in(change.object->object()));
    if (change.type == Change::Type::Deleted)
        gone_[uid_in(change.object->object())] = cluster_.now();
    if (resource == "statefulsets.apps" && change.type == Change::Type::Modified) note_step(change);
}

// An API server ends every request within a minute.
bool History::has_just_gone(const std::string& uid) const {
    const auto found = gone_.find(uid);
    return found != gone_.end() && cluster_.now() - found->second <= 1min;
}

void History::note_step(const Change& change) {
    Workload& workload = workloads_[uid_in(change.object->object())];
    const json::object& before = change.before->object();
    const json::object& now = change.object->object();
    // The gate is where we left it: that somebody moved it or garbled our memory, and we put it
    // back, is no new step.
    std::pair step = workload.step;
    if (const auto note = rollout_note(now)) step = {note->id, note->partition};
    const bool same =
        std::exchange(workload.step, step) == step &&
        text_at(before, retry_at) == text_at(now, retry_at) &&
        text_at(before, "/status/updateRevision") == text_at(now, "/status/updateRevision");
    if (!same) workload.step_since = cluster_.now();
}

}  // namespace sluice::sim
