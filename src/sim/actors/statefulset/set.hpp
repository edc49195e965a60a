// A StatefulSet and its pods as their controller sees them at one moment.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/actors/object.hpp"

namespace sluice::sim {

inline const std::string statefulset_controller =
    "system:serviceaccount:kube-system:statefulset-controller";
inline const std::string_view revision_label = "controller-revision-hash";

struct Set {
    explicit Set(ObjectPtr stored);

    const json::object& object() const { return stored->object(); }
    const json::object& spec() const { return child(object(), "spec"); }
    const json::object& status() const { return child(object(), "status"); }
    std::string pod_name(int ordinal) const { return name + "-" + std::to_string(ordinal); }
    bool has_ordinal(int ordinal) const { return ordinal >= start && ordinal < start + replicas; }

    ObjectPtr stored;
    std::string ns;
    std::string name;
    std::string uid;
    int replicas;
    int start;
    bool is_rolling;                        // updateStrategy.type is RollingUpdate
    bool is_on_delete;                      // or OnDelete
    std::optional<std::int64_t> partition;  // nothing: there is no rollingUpdate
    std::int64_t max_unavailable;
    bool is_parallel;
    Duration min_ready;
    std::int64_t history_limit;
};

struct SetPod {
    // A pod that is in the API.
    explicit SetPod(ObjectPtr stored);
    // One that has to be created.
    SetPod(int at_ordinal, std::string of_revision)
        : ordinal(at_ordinal), revision(std::move(of_revision)) {}

    const json::object& object() const { return stored->object(); }
    bool is_created() const { return stored != nullptr; }
    bool is_running_and_ready() const { return phase == "Running" && is_ready; }
    bool is_healthy() const { return is_running_and_ready() && !is_terminating; }
    bool has_ended() const { return phase == "Failed" || phase == "Succeeded"; }
    // When it becomes available, if it stays ready; nothing if it is not ready.
    std::optional<Instant> available_from(Duration min_ready) const;
    bool is_available(Duration min_ready, Instant now) const;
    bool is_unavailable(Duration min_ready, Instant now) const {
        return is_terminating || !is_available(min_ready, now);
    }

    ObjectPtr stored;
    int ordinal = -1;
    std::string revision;
    std::string_view phase;
    bool is_ready = false;
    bool is_terminating = false;
};

// "web" and 3 of "web-3"; empty and -1 for a name that is not of this form.
struct ParentAndOrdinal {
    std::string_view parent;
    int ordinal = -1;
};
ParentAndOrdinal parent_and_ordinal(std::string_view pod_name);

// The pod that a set makes from the template of a revision.
json::object new_pod(const Set& set, const json::object& pod_template, const SetPod& pod);

}  // namespace sluice::sim
