#include "sim/actors/statefulset/set_sync.hpp"

#include <algorithm>

namespace sluice::sim {

SetSync::SetSync(const Surroundings& at, Recorder& recorder, const Set& set,
                 const Revisions& revisions, const std::vector<SetPod>& pods)
    : at_(at),
      recorder_(recorder),
      set_(set),
      revisions_(revisions),
      claims_(at, recorder, set),
      current_revision_(revisions.current_name) {
    count(pods);
    sort_out(pods);
}

// Which revision a pod gets that is created now. A partition counts from the first ordinal; sets
// without a rollingUpdate go by how many pods the status counts on the current revision.
SetPod SetSync::versioned_pod(int ordinal) const {
    const std::int64_t index = ordinal - set_.start;
    const bool is_below_current =
        set_.is_rolling && !set_.partition && index < number_at(set_.status(), "/currentReplicas");
    const bool is_below_partition = set_.partition && index < *set_.partition;
    return {ordinal, is_below_current || is_below_partition ? revisions_.current_name
                                                            : revisions_.update_name};
}

void SetSync::sort_out(const std::vector<SetPod>& pods) {
    for (int ordinal = set_.start; ordinal < set_.start + set_.replicas; ++ordinal)
        replicas_.push_back(versioned_pod(ordinal));
    for (const SetPod& pod : pods) {
        if (set_.has_ordinal(pod.ordinal))
            replicas_[static_cast<std::size_t>(pod.ordinal - set_.start)] = pod;
        else if (pod.ordinal >= 0)
            condemned_.push_back(pod);
    }
    std::ranges::sort(condemned_, std::greater{}, &SetPod::ordinal);
    const auto is_unhealthy = [](const SetPod& pod) { return !pod.is_healthy(); };
    const auto replica = std::ranges::find_if(replicas_, is_unhealthy);
    const auto last = std::find_if(condemned_.rbegin(), condemned_.rend(), is_unhealthy);
    if (replica != replicas_.end())
        first_unhealthy_ = replica->ordinal;
    else if (last != condemned_.rend())
        first_unhealthy_ = last->ordinal;
}

bool SetSync::run() {
    const Step end = is_terminating(set_.object()) ? Step::Stop : work();
    complete();
    return write_status() && end != Step::Failed;
}

SetSync::Step SetSync::work() {
    for (const auto part :
         {&SetSync::for_replicas, &SetSync::fix_condemned_claims, &SetSync::for_condemned}) {
        const Step step = (this->*part)();
        recount();
        if (step != Step::GoOn) return step;
    }
    if (set_.is_on_delete) return Step::GoOn;
    return at_.options.max_unavailable ? update_up_to(set_.partition ? set_.max_unavailable : 1)
                                       : update_pods();
}

// In order until one has to be waited for. In parallel: 1, 2, 4, ... at once, until one is refused.
SetSync::Step SetSync::for_replicas() {
    std::size_t batch_end = 1;
    bool has_failed = false;
    for (std::size_t i = 0; i < replicas_.size(); ++i) {
        const Step step = process_replica(replicas_[i]);
        if (!set_.is_parallel && step != Step::GoOn) return step;
        has_failed |= step == Step::Failed;
        if (i + 1 < batch_end) continue;
        if (has_failed) return Step::Failed;
        batch_end += batch_end + 1;
    }
    return has_failed ? Step::Failed : Step::GoOn;
}

SetSync::Step SetSync::for_condemned() {
    bool has_failed = false;
    for (const SetPod& pod : condemned_) {
        const Step step = process_condemned(pod);
        if (!set_.is_parallel && step != Step::GoOn) return step;
        has_failed |= step == Step::Failed;
    }
    return has_failed ? Step::Failed : Step::GoOn;
}

SetSync::Step SetSync::process_replica(SetPod& pod) {
    const bool is_ordered = !set_.is_parallel;
    if (pod.has_ended()) {
        if (!pod.is_terminating && !remove(pod)) return Step::Failed;
        return Step::Stop;  // its successor is created when it is gone
    }
    if (!pod.is_created()) {
        if (claims_.is_stale(pod)) return Step::Stop;
        if (!create(pod)) return Step::Failed;
        return is_ordered ? Step::Stop : Step::GoOn;
    }
    if (pod.phase == "Pending" && !(claims_.create_missing(pod) && claims_.apply_policy(pod)))
        return Step::Failed;
    if (is_ordered && pod.is_terminating) return Step::Stop;
    if (is_ordered && !pod.is_running_and_ready()) return Step::Stop;
    if (is_ordered && !pod.is_available(set_.min_ready, at_.now())) return Step::Stop;
    return restore_identity(pod);
}

SetSync::Step SetSync::restore_identity(const SetPod& pod) {
    if (!claims_.match_policy(pod) && !claims_.apply_policy(pod)) return Step::Failed;
    const std::string name = set_.pod_name(pod.ordinal);
    const json::object& labels = child(metadata(pod.object()), "labels");
    if (text(labels, "statefulset.kubernetes.io/pod-name") == name) return Step::GoOn;
    json::object restored = pod.object();
    json::object& restored_labels = object_in(restored, "/metadata/labels");
    restored_labels["statefulset.kubernetes.io/pod-name"] = name;
    restored_labels["apps.kubernetes.io/pod-index"] = std::to_string(pod.ordinal);
    const Response done = at_.api.update(std::move(restored), statefulset_controller, at_.now());
    return went(done) ? Step::GoOn : Step::Failed;
}

SetSync::Step SetSync::fix_condemned_claims() {
    for (const SetPod& pod : condemned_)
        if (!claims_.match_policy(pod) && !claims_.apply_policy(pod)) return Step::Failed;
    return Step::GoOn;
}

SetSync::Step SetSync::process_condemned(const SetPod& pod) {
    const bool is_ordered = !set_.is_parallel;
    if (pod.is_terminating) return is_ordered ? Step::Stop : Step::GoOn;
    const bool is_fit = pod.is_running_and_ready() && pod.is_available(set_.min_ready, at_.now());
    if (is_ordered && !is_fit && first_unhealthy_ != pod.ordinal) return Step::Stop;
    return remove(pod) ? Step::Stop : Step::Failed;
}

// From the last pod down to the partition: deletes the first that is not on the new revision, and
// waits at the first that is not available.
SetSync::Step SetSync::update_pods() {
    const std::int64_t least = set_.partition.value_or(0);
    for (auto index = static_cast<std::int64_t>(replicas_.size()) - 1; index >= least; --index) {
        const SetPod& pod = replicas_[static_cast<std::size_t>(index)];
        if (pod.revision != revisions_.update_name && !pod.is_terminating) {
            if (!remove(pod)) return Step::Failed;
            --counts_.current;
            return Step::Stop;
        }
        if (!pod.is_created() || pod.is_unavailable(set_.min_ready, at_.now())) return Step::Stop;
    }
    return Step::GoOn;
}

// The same with the feature gate MaxUnavailableStatefulSet: as many as may be missing at once.
SetSync::Step SetSync::update_up_to(std::int64_t max_unavailable) {
    const auto is_missing = [&](const SetPod& pod) {
        return !pod.is_created() || pod.is_unavailable(set_.min_ready, at_.now());
    };
    std::int64_t allowed = max_unavailable - std::ranges::count_if(replicas_, is_missing);
    const std::int64_t least = set_.partition.value_or(0);
    for (auto index = static_cast<std::int64_t>(replicas_.size()) - 1;
         index >= least && allowed > 0; --index) {
        const SetPod& pod = replicas_[static_cast<std::size_t>(index)];
        if (pod.revision == revisions_.update_name || pod.is_terminating) continue;
        if (!remove(pod)) return Step::Failed;
        --allowed;
        --counts_.current;
    }
    return Step::GoOn;
}

}  // namespace sluice::sim
