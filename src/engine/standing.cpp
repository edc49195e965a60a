#include "engine/standing.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::engine {

PodRow::PodRow(const Snapshot& seen)
    : seen_(seen),
      row_(static_cast<std::size_t>(
          std::clamp(seen.workload.replicas.value, 0, replicas_max.value))) {
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

PodRow::PodRow(const Snapshot& seen, std::vector<std::string> names)
    : seen_(seen), row_(names.size()), names_(std::move(names)) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
        const auto found = std::ranges::find_if(
            seen.pods, [&](const model::Pod& pod) { return pod.meta.key.name == names_[i]; });
        if (found != seen.pods.end()) row_[i] = &*found;
    }
}

const model::Pod* PodRow::at(PodIndex index) const {
    SLUICE_ASSERT(index.value >= 0 && index.value < count().value);
    return row_[static_cast<std::size_t>(index.value)];
}

std::string PodRow::name_of(PodIndex index) const {
    if (!names_.empty()) return names_.at(static_cast<std::size_t>(index.value));
    return fmt::format("{}-{}", seen_.workload.meta.key.name,
                       std::int64_t{index.value} + seen_.workload.start.value);
}

std::optional<PodRef> reference(const PodRow& row, std::optional<PodIndex> index) {
    if (!index) return std::nullopt;
    const model::Pod* pod = row.at(*index);
    SLUICE_ASSERT(pod != nullptr);
    return PodRef{pod->meta.key.name, pod->meta.uid};
}

namespace {

bool some_pod_is_elsewhere(const PodRow& pods, std::string_view revision) {
    for (PodIndex index{0}; index.value < pods.count().value; ++index.value)
        if (const model::Pod* pod = pods.at(index); pod && pod->revision != revision) return true;
    return false;
}

}  // namespace

Standing::Standing(const Snapshot& look)
    : seen(look),
      pods(look),
      units(look.workload.replicas),
      exposed(exposed_count(effective_partition(look.workload), look.workload.replicas)),
      current(look.workload.current_revision),
      updated(look.workload.update_revision),
      is_pending(current != updated || some_pod_is_elsewhere(pods, updated)) {}

Standing::Standing(const Snapshot& look, Members members)
    : seen(look),
      pods(look, std::move(members.names)),
      units(pods.count()),
      exposed(std::min(members.exposed, units)),
      current(members.current),
      updated(members.updated),
      is_pending(current != updated || some_pod_is_elsewhere(pods, updated)) {}

Instant Standing::available_since(bool exposed_only) const {
    Instant since{};
    for (PodIndex index{0}; index.value < pods.count().value; ++index.value)
        if (const model::Pod* pod = pods.at(index); pod && (is_exposed(index) || !exposed_only))
            since = std::max(since, pod->ready_since + seen.workload.min_ready);
    return since;
}

}  // namespace sluice::engine
