#include "model/workload_patch.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/assert.hpp"
#include "base/json_pointer.hpp"
#include "model/annotations.hpp"
#include "model/kept.hpp"

namespace sluice::model {
namespace {

namespace json = boost::json;

constexpr const char* block_path = "/spec/updateStrategy/rollingUpdate";
constexpr const char* partition_path = "/spec/updateStrategy/rollingUpdate/partition";

constexpr const char* replicas_path = "/spec/replicas";

constexpr const char* pod_annotations_path = "/spec/template/metadata/annotations";

std::string annotation_path(const std::string& name) {
    return "/metadata/annotations/" + pointer_token(name);
}

// Annotations that two writers might race for: each write tests that they are as we saw them. A
// test for null passes when there is no such annotation.
const std::string* const contended[] = {&key::claim, &key::fence, &key::rollout, &key::paused};

json::object operation(const char* op, const std::string& path, json::value value) {
    return {{"op", op}, {"path", path}, {"value", std::move(value)}};
}

// Of a text that was cut, nobody here knows the whole. No character is cut in two, so what is left
// may be up to three bytes shorter than the bound.
bool may_be_cut(const std::string& text) {
    return text.size() >= kept_bytes_max - 3;
}

}  // namespace

WorkloadPatch::WorkloadPatch(const StatefulSet& observed)
    : observed_key_(observed.meta.key),
      uid_(observed.meta.uid),
      generation_(observed.meta.generation),
      partition_from_(observed.partition),
      replicas_from_(observed.replicas),
      start_from_(observed.start),
      limits_unavailable_(observed.limits_unavailable),
      observed_labels_(observed.labels),
      observed_annotations_(observed.annotations),
      has_annotations_(observed.has_annotations),
      annotates_pods_(observed.annotates_pods) {}

WorkloadPatch& WorkloadPatch::move_partition(Partition to) {
    SLUICE_ASSERT(to.value >= 0);
    if (partition_from_ != to) partition_to_ = to;
    return *this;
}

// What else stands in the block is somebody else's.
WorkloadPatch& WorkloadPatch::remove_partition() {
    if (limits_unavailable_) return move_partition(Partition{0});
    if (!partition_from_) return *this;
    partition_to_ = Partition{0};
    removes_block_ = true;
    return *this;
}

WorkloadPatch& WorkloadPatch::scale(PodCount to) {
    if (to != replicas_from_) replicas_to_ = to;
    return *this;
}

WorkloadPatch& WorkloadPatch::annotate_pods(const std::string& key, const std::string& value) {
    pod_annotations_[key] = value;
    return *this;
}

WorkloadPatch& WorkloadPatch::start_at(Ordinal first) {
    if (first != start_from_) start_to_ = first;
    return *this;
}

WorkloadPatch& WorkloadPatch::annotate(const std::string& key, const std::string& value) {
    const auto found = observed_annotations_.find(key);
    if (found == observed_annotations_.end() || found->second != value) annotations_[key] = value;
    return *this;
}

WorkloadPatch& WorkloadPatch::annotate_first(const std::string& key, const std::string& value) {
    absent_.insert(key);
    return annotate(key, value);
}

WorkloadPatch& WorkloadPatch::unannotate(const std::string& key) {
    if (observed_annotations_.contains(key)) annotations_[key] = std::nullopt;
    return *this;
}

bool WorkloadPatch::lowers_partition() const {
    return partition_to_ && *partition_to_ < partition_from_.value_or(Partition{0});
}

std::string WorkloadPatch::to_json_patch() const {
    json::array ops;
    ops.push_back(operation("test", "/metadata/uid", json::string(uid_)));
    ops.push_back(operation("test", "/metadata/generation", generation_));
    if (partition_to_ && partition_from_) {
        ops.push_back(operation("test", partition_path, partition_from_->value));
        if (removes_block_)
            ops.push_back({{"op", "remove"}, {"path", block_path}});
        else
            ops.push_back(operation("replace", partition_path, partition_to_->value));
    } else if (partition_to_) {
        ops.push_back(
            operation("add", block_path, json::object{{"partition", partition_to_->value}}));
    }
    if (replicas_to_) {
        ops.push_back(operation("test", replicas_path, replicas_from_.value));
        ops.push_back(operation("replace", replicas_path, replicas_to_->value));
    }
    if (start_to_)
        ops.push_back(
            operation("add", "/spec/ordinals", json::object{{"start", start_to_->value}}));
    if (!annotates_pods_ && !pod_annotations_.empty())
        ops.push_back(operation("add", pod_annotations_path, json::object{}));
    for (const auto& [key, value] : pod_annotations_)
        ops.push_back(operation("add",
                                fmt::format("{}/{}", pod_annotations_path, pointer_token(key)),
                                json::string(value)));
    if (!has_annotations_ && !annotations_.empty()) {
        ops.push_back(operation("test", "/metadata/annotations", nullptr));
        ops.push_back(operation("add", "/metadata/annotations", json::object{}));
    }
    // Who takes the label away takes it from under every move that is still on its way.
    for (const auto& [name, value] : observed_labels_) {
        if (partition_to_)
            ops.push_back(
                operation("test", "/metadata/labels/" + pointer_token(name), json::string(value)));
    }
    for (const std::string* name : contended) {
        if (!has_annotations_) continue;
        const auto old = observed_annotations_.find(*name);
        if (old != observed_annotations_.end() && may_be_cut(old->second)) continue;
        json::value seen = nullptr;
        if (old != observed_annotations_.end()) seen = json::string(old->second);
        ops.push_back(operation("test", annotation_path(*name), std::move(seen)));
    }
    for (const std::string& key : absent_)
        if (has_annotations_) ops.push_back(operation("test", annotation_path(key), nullptr));
    for (const auto& [key, value] : annotations_) {
        if (value)
            ops.push_back(operation("add", annotation_path(key), json::string(*value)));
        else
            ops.push_back({{"op", "remove"}, {"path", annotation_path(key)}});
    }
    return json::serialize(ops);
}

}  // namespace sluice::model
