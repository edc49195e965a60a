#include "model/statefulset.hpp"

namespace sluice::model {

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
