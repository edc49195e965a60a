// What a sync writes: pods, events and the status.
#include <fmt/format.h>

#include "sim/actors/statefulset/set_sync.hpp"

namespace sluice::sim {
namespace {

constexpr std::size_t label_most = 63;

std::string why(const Response& refusal) {
    if (!refusal.body.is_object()) return std::to_string(refusal.status);
    return std::string{text(refusal.body.get_object(), "message")};
}

}  // namespace

// The name of the revision becomes a label of the pod, and a label has no room for more than 63
// characters: a set with a long name never gets a pod.
Response SetSync::send(const SetPod& pod) {
    if (pod.revision.size() > label_most)
        return {.status = 422,
                .body = {{"message",
                          fmt::format("Pod \"{}\" is invalid: metadata.labels: Invalid value: "
                                      "\"{}\": must be no more than 63 bytes",
                                      set_.pod_name(pod.ordinal), pod.revision)}}};
    const bool is_current = pod.revision == revisions_.current_name;
    const json::object& model =
        is_current ? revisions_.current_template() : revisions_.update_template();
    return at_.api.create(new_pod(set_, model, pod), statefulset_controller, at_.now());
}

bool SetSync::create(const SetPod& pod) {
    if (!claims_.create_missing(pod)) return false;
    const Response made = send(pod);
    const std::string what =
        fmt::format("create Pod {} in StatefulSet {} ", set_.pod_name(pod.ordinal), set_.name);
    if (made.status == 409) return false;  // somebody else has the name; no event about that
    if (!went(made)) {
        recorder_.post(set_.object(),
                       {"Warning", "FailedCreate", what + "failed error: " + why(made)});
        return false;
    }
    recorder_.post(set_.object(), {"Normal", "SuccessfulCreate", what + "successful"});
    return claims_.apply_policy(pod);
}

// By name, whoever bears it by now: no UID goes with the request, and no budget is asked.
bool SetSync::remove(const SetPod& pod) {
    const std::string name = set_.pod_name(pod.ordinal);
    const Response gone = at_.api.remove("pods", set_.ns, name, statefulset_controller, at_.now());
    const std::string what = fmt::format("delete Pod {} in StatefulSet {} ", name, set_.name);
    if (!went(gone) && gone.status != 404) {
        recorder_.post(set_.object(),
                       {"Warning", "FailedDelete", what + "failed error: " + why(gone)});
        return false;
    }
    recorder_.post(set_.object(), {"Normal", "SuccessfulDelete", what + "successful"});
    return true;
}

void SetSync::count(std::span<const SetPod> pods) {
    for (const SetPod& pod : pods) {
        if (!pod.is_created()) continue;
        ++counts_.replicas;
        counts_.ready += pod.is_running_and_ready();
        counts_.available +=
            pod.is_running_and_ready() && pod.is_available(set_.min_ready, at_.now());
        if (pod.is_terminating) continue;
        counts_.current += pod.revision == revisions_.current_name;
        counts_.updated += pod.revision == revisions_.update_name;
    }
}

void SetSync::recount() {
    counts_ = {};
    count(replicas_);
    count(condemned_);
}

// An update is over when every replica that is wanted is there, ready and updated. Nothing asks
// whether there are any: a set that was scaled to zero completes whatever update was held.
void SetSync::complete() {
    const bool is_complete = set_.is_rolling && counts_.updated == set_.replicas &&
                             counts_.ready == set_.replicas && counts_.replicas == set_.replicas;
    if (!is_complete) return;
    counts_.current = counts_.updated;
    current_revision_ = revisions_.update_name;
}

bool SetSync::write_status() {
    const json::object& before = set_.status();
    const std::int64_t generation = number_at(metadata(set_.object()), "/generation");
    const bool is_same = generation <= number_at(before, "/observedGeneration") &&
                         counts_.replicas == number_at(before, "/replicas", -1) &&
                         counts_.current == number_at(before, "/currentReplicas") &&
                         counts_.ready == number_at(before, "/readyReplicas") &&
                         counts_.updated == number_at(before, "/updatedReplicas") &&
                         counts_.available == number_at(before, "/availableReplicas") &&
                         current_revision_ == text(before, "currentRevision") &&
                         revisions_.update_name == text(before, "updateRevision");
    if (is_same) return true;
    json::object status{{"observedGeneration", generation}, {"replicas", counts_.replicas}};
    if (counts_.ready != 0) status["readyReplicas"] = counts_.ready;
    if (counts_.current != 0) status["currentReplicas"] = counts_.current;
    if (counts_.updated != 0) status["updatedReplicas"] = counts_.updated;
    status["currentRevision"] = current_revision_;
    status["updateRevision"] = revisions_.update_name;
    status["collisionCount"] = revisions_.collisions;
    status["availableReplicas"] = counts_.available;
    return went(at_.api.update(with_status(set_.object(), std::move(status)),
                               statefulset_controller, at_.now(), "status"));
}

}  // namespace sluice::sim
