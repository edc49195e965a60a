#include "engine/world.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::engine {

PodRow::PodRow(const Snapshot& seen)
    : seen_(seen), row_(static_cast<std::size_t>(std::max(0, seen.workload.replicas.value))) {
    for (const model::Pod& pod : seen.pods) {
        const auto ordinal = model::ordinal_of(pod);
        if (!ordinal) continue;
        const std::int64_t index =
            std::int64_t{ordinal->value} - std::int64_t{seen.workload.start.value};
        if (index < 0 || index >= std::int64_t{count().value}) continue;
        // Of two pods of one name the later one counts; a pod of another name is somebody else's.
        const model::Pod*& place = row_[static_cast<std::size_t>(index)];
        const bool later = !place || place->meta.resource_version < pod.meta.resource_version;
        if (later && pod.meta.key.name == name_of({static_cast<std::int32_t>(index)})) place = &pod;
    }
}

const model::Pod* PodRow::at(PodIndex index) const {
    SLUICE_ASSERT(index.value >= 0 && index.value < count().value);
    return row_[static_cast<std::size_t>(index.value)];
}

std::string PodRow::name_of(PodIndex index) const {
    return fmt::format("{}-{}", seen_.workload.meta.key.name,
                       std::int64_t{index.value} + seen_.workload.start.value);
}

std::optional<PodRef> reference(const PodRow& row, std::optional<PodIndex> index) {
    if (!index) return std::nullopt;
    const model::Pod* pod = row.at(*index);
    SLUICE_ASSERT(pod != nullptr);
    return PodRef{pod->meta.key.name, pod->meta.uid};
}

bool exposes_pods(const model::StatefulSet& set) {
    return exposed_count(effective_partition(set), set.replicas).value > 0;
}

bool is_pending(const Snapshot& seen) {
    const model::StatefulSet& set = seen.workload;
    if (set.current_revision != set.update_revision) return true;
    const PodRow row{seen};
    for (PodIndex index{0}; index.value < row.count().value; ++index.value) {
        const model::Pod* pod = row.at(index);
        if (pod && pod->revision != set.update_revision) return true;
    }
    return false;
}

}  // namespace sluice::engine
