// What truly happened in a world, as far as more than one promise judges by it: what operators
// asked of the API, what they had read before, and how the gates of StatefulSets came to stand
// where they do. All of it is read from the API's own storage.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/ref.hpp"
#include "sim/actors/cluster.hpp"
#include "sim/api/state.hpp"
#include "sim/promises/notes.hpp"

namespace sluice::sim {

// Of objects in the API, as text.
inline std::string name_in(const json::object& object) {
    return text_at(object, "/metadata/name");
}
inline std::string uid_in(const json::object& object) {
    return text_at(object, "/metadata/uid");
}
const json::object* named(const std::vector<ObjectPtr>& objects, std::string_view name);
// Somebody put the template back.
inline bool is_undone(const json::object& set) {
    return text_at(set, "/status/updateRevision") == text_at(set, "/status/currentRevision");
}
// "web-12", counted from the first ordinal of its set.
std::int64_t index_of(const std::string& pod, const json::object& set);
std::string pod_at(const json::object& set, std::int64_t index);

// A workload as a quorum read showed it.
struct LiveRead {
    Instant at;
    std::uint64_t changes = 0;  // in the world, up to then
    ObjectPtr set = {};         // null: there was none
    std::vector<ObjectPtr> pods = {};
    std::map<std::string, std::vector<ObjectPtr>> objects =
        {};  // custom ones beside it, by resource
    const std::vector<ObjectPtr>& of(const std::string& resource) const;
};

// What is known of one StatefulSet.
struct Workload {
    std::map<std::pair<std::string, std::int64_t>, bool> approved = {};  // revision, index
    std::int64_t rollout = -1;
    Instant rollout_since = {};      // when that one was first written down
    std::int64_t first_place = 0;    // of the rollout, in the list of its steps
    std::int64_t replicas_then = 0;  // when the gate was last lowered
    std::pair<std::int64_t, std::int64_t> step =
        {};                   // rollout and gate, as operators remember them
    Instant step_since = {};  // when step, revision or retry last changed
};

// An operator changed a StatefulSet.
struct SetWrite {
    const Change& change;
    const Workload& workload;
    const std::string& writer;
    const std::string& patch;  // that was sent
    const LiveRead* read;      // of the set, by the writer, for this write; null: none showed a set
    std::optional<RolloutNote> note_before;
    std::optional<RolloutNote> note;
    bool begins = false;  // another rollout than was known
    const json::object& before() const { return change.before->object(); }
    const json::object& now() const { return change.object->object(); }
    bool is_lowered() const { return partition_of(now()) < partition_of(before()); }
    std::int64_t replicas() const { return number_at(now(), "/spec/replicas"); }
    // Pods that the gate lets go, of as many as there are now.
    std::int64_t exposed_before() const { return exposed_by(before()); }
    std::int64_t exposed() const { return exposed_by(now()); }
    std::int64_t exposed_by(const json::object& set) const;
};

// An operator deleted a pod, by its UID.
struct PodRemoval {
    const Change& change;
    ObjectPtr set;         // that it is of; null: there is none
    const LiveRead* read;  // of the set, as in a SetWrite
    bool is_read = false;  // whoever owns it was read, by the deleter and for this
    bool is_of_set() const {
        return text_at(pod(), "/metadata/ownerReferences/0/kind") == "StatefulSet";
    }
    const json::object& pod() const { return change.object->object(); }
};

class History {
  public:
    explicit History(Cluster& cluster) : cluster_(cluster) {}

    // What operators are about to do.
    void on_start(const std::string& who);
    void on_read(const std::string& who, const model::ObjectKey& key);
    void on_patch(const std::string& who, const std::string& patch, const model::ObjectKey& key);
    void on_object_patch(const std::string& who) { object_writer_ = who; }
    void on_create(const std::string& who) { creator_ = who; }
    void on_delete(const std::string& who, const std::string& uid);

    // An operator's change of a set: before promises see it, and when they have seen it. A read
    // counts for one write.
    SetWrite begin(const Change& change);
    void end(const SetWrite& write);
    // The same of a pod; nothing if it is no removal, or not the first word of it.
    std::optional<PodRemoval> removal(const Change& change) const;
    void end(const PodRemoval& removal);
    // Any change, when promises have seen it.
    void end(const Change& change);

    // Pods go that had not been let go before, or do not run the revision.
    bool lets_pods_go(const SetWrite& write) const;
    LiveRead read(const std::string& ns, const std::string& name) const;
    std::vector<const LiveRead*> reads_of(const std::string& who) const;
    const Workload* workload(const std::string& uid) const;
    const std::string& object_writer() const { return object_writer_; }  // of a custom object
    const std::string& creator() const { return creator_; }              // the same
    bool is_named(const std::string& uid) const { return deleting_.contains(uid); }
    bool was_ready(const std::string& uid) const { return ready_.contains(uid); }  // ever: a pod
    // It is gone, and a request that was on its way then may still arrive.
    bool has_just_gone(const std::string& uid) const;
    std::uint64_t changes() const { return changes_; }
    int writes() const { return writes_; }
    const std::vector<Instant>& corrections() const { return corrections_; }

  private:
    const LiveRead* last_read(const std::string& who, const std::string& key) const;
    void note_step(const Change& change);

    Cluster& cluster_;
    std::map<std::string, Workload> workloads_;                      // by UID
    std::map<std::pair<std::string, std::string>, LiveRead> reads_;  // identity, "ns/name"
    std::string writer_;                                             // who is about to write a set
    std::string patch_;
    std::string key_;
    std::string object_writer_;
    std::string creator_;
    std::string deleter_;             // of a pod
    std::set<std::string> deleting_;  // UIDs of what operators said they would delete
    std::set<std::string> ready_;
    std::map<std::string, Instant> gone_;  // UIDs
    std::vector<Instant> corrections_;
    std::uint64_t changes_ = 0;
    int writes_ = 0;
};

// A Secret or a ConfigMap was there, and holds what it held.
bool keeps_data(const Change& change);

// Is it a pod that goes, and nothing else about it changed?
bool is_pod_deletion(const Change& change);

}  // namespace sluice::sim
