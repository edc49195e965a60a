// The one kind of write that steers a StatefulSet: its partition and our annotations, and where the
// set is ours the number of its pods, never without
// the preconditions under which it was decided. Becomes a JSON Patch whose `test` operations fail
// when the world has moved on; then the plan is made anew, the same bytes are never sent again.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/assert.hpp"
#include "base/numbers.hpp"
#include "model/statefulset.hpp"

namespace sluice::model {

class WorkloadPatch {
  public:
    explicit WorkloadPatch(const StatefulSet& observed);

    WorkloadPatch& move_partition(Partition to);
    WorkloadPatch& remove_partition();       // with the block that it alone stands in
    WorkloadPatch& scale(PodCount to);       // of a set that we have made
    WorkloadPatch& start_at(Ordinal first);  // the same
    // In the template of such a set: its pods are to be replaced.
    WorkloadPatch& annotate_pods(const std::string& key, const std::string& value);
    WorkloadPatch& annotate(const std::string& key, const std::string& value);  // unless equal
    // Where nobody has: who did so meanwhile is not overwritten.
    WorkloadPatch& annotate_first(const std::string& key, const std::string& value);
    WorkloadPatch& unannotate(const std::string& key);  // if present

    const ObjectKey& key() const { return observed_key_; }
    const std::string& uid() const { return uid_; }
    bool empty() const {
        return !partition_to_ && !replicas_to_ && !start_to_ && pod_annotations_.empty() &&
               annotations_.empty();
    }
    // Irreversible: a pod that was shielded may be replaced once this is through.
    bool lowers_partition() const;
    bool moves_partition() const { return partition_to_.has_value(); }
    Partition partition_to() const {
        SLUICE_ASSERT(partition_to_.has_value());
        return *partition_to_;
    }

    std::string to_json_patch() const;

    friend bool operator==(const WorkloadPatch&, const WorkloadPatch&) = default;

  private:
    ObjectKey observed_key_;
    std::string uid_;
    std::int64_t generation_;
    std::optional<Partition> partition_from_;
    std::optional<Partition> partition_to_;
    PodCount replicas_from_;
    std::optional<PodCount> replicas_to_;
    Ordinal start_from_;
    std::optional<Ordinal> start_to_;
    bool removes_block_ = false;
    bool limits_unavailable_;
    Texts observed_labels_;
    Texts observed_annotations_;
    bool has_annotations_;
    bool annotates_pods_;
    Texts pod_annotations_;
    std::map<std::string, std::optional<std::string>> annotations_;  // nothing: removed
    std::set<std::string> absent_;                                   // of those
};

}  // namespace sluice::model
