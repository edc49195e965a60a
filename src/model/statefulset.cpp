#include "model/statefulset.hpp"

#include <set>

#include "model/annotations.hpp"

namespace sluice::model {

bool is_kept_label(std::string_view key) {
    return key == pilot_label;
}

bool is_kept_annotation(std::string_view key) {
    static const std::set<std::string_view> known = {steered_by_annotation,
                                                     key::claim,
                                                     key::rollout,
                                                     key::fence,
                                                     key::phase,
                                                     key::reason,
                                                     key::message,
                                                     key::unblock,
                                                     key::since,
                                                     key::guarantee,
                                                     key::refused,
                                                     key::partition_before,
                                                     key::unstick,
                                                     key::paused,
                                                     key::retry,
                                                     key::allow_scale_to_zero,
                                                     key::allow_unready,
                                                     key::serve,
                                                     key::step,
                                                     key::elasticsearch_scheme,
                                                     key::elasticsearch_port,
                                                     key::elasticsearch_secret};
    return known.contains(key);
}

Partition effective_partition(const StatefulSet& set) {
    return set.partition.value_or(Partition{0});
}

const std::string& annotation(const StatefulSet& set, std::string_view key) {
    static const std::string nothing;
    const auto found = set.annotations.find(std::string{key});
    return found == set.annotations.end() ? nothing : found->second;
}

bool has_current_status(const StatefulSet& set) {
    return set.observed_generation >= set.meta.generation && !set.update_revision.empty();
}

}  // namespace sluice::model
