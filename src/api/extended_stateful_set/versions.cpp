#include "api/extended_stateful_set/versions.hpp"

#include <algorithm>

namespace sluice::api::extended_stateful_set {
namespace {

const model::StatefulSet* owner_of(const model::Pod& pod, const engine::Snapshot& seen) {
    const auto found = std::ranges::find_if(
        seen.sets, [&](const model::StatefulSet& set) { return set.meta.uid == pod.owner_uid; });
    return found == seen.sets.end() ? nullptr : &*found;
}

PodCount count(const std::vector<Part>& parts, auto is_counted) {
    std::ptrdiff_t sum = 0;
    for (const Part& part : parts)
        sum += std::ranges::count_if(part.pods,
                                     [&](const model::Pod* pod) { return is_counted(*pod); });
    return {static_cast<std::int32_t>(sum)};
}

}  // namespace

std::optional<SetId> id_of(const model::StatefulSet& set) {
    return set_id(set.owner, set.meta.key.name);
}

int version_of(const model::StatefulSet& set) {
    return id_of(set).value_or(SetId{}).version;
}

const std::string& Version::digest() const {
    return annotation(*parts.front().set, template_key);
}

bool Version::is_stale() const {
    return std::ranges::any_of(
        parts, [](const Part& part) { return !annotation(*part.set, stale_key).empty(); });
}

PodCount Version::pods() const {
    return count(parts, [](const model::Pod&) { return true; });
}

PodCount Version::ready() const {
    return count(parts, [](const model::Pod& pod) { return pod.ready && !pod.meta.deleting; });
}

PodCount Version::available(Duration min_ready, Instant now) const {
    return count(parts, [&](const model::Pod& pod) { return is_available(pod, min_ready, now); });
}

bool Version::runs() const {
    return count(parts, [](const model::Pod& pod) { return pod.running; }).value > 0;
}

bool Version::was_ever_ready() const {
    return count(parts, [](const model::Pod& pod) { return pod.ready || !pod.never_ready; }).value >
           0;
}

const Part* Version::in_zone(int zone) const {
    const auto found = std::ranges::find(parts, zone, &Part::zone);
    return found == parts.end() ? nullptr : &*found;
}

std::vector<Version> versions_in(const engine::Snapshot& seen) {
    std::vector<Version> all;
    for (const model::StatefulSet& set : seen.sets) {
        const auto id = id_of(set);
        if (!id || set.meta.deleting) continue;
        Part part{.id = *id, .set = &set};
        for (const model::Pod& pod : seen.pods)
            if (pod.owner_uid == set.meta.uid) part.pods.push_back(&pod);
        auto version = std::ranges::find(all, id->version, &Version::number);
        if (version == all.end()) version = all.insert(all.end(), {.number = id->version});
        version->parts.push_back(std::move(part));
    }
    std::ranges::sort(all, {}, &Version::number);
    for (Version& version : all)
        std::ranges::sort(version.parts, {}, &Part::zone);
    return all;
}

const Version* find_version(const std::vector<Version>& all, int number) {
    const auto found = std::ranges::find(all, number, &Version::number);
    return found == all.end() ? nullptr : &*found;
}

void take_pods(engine::Snapshot& seen) {
    for (const model::Pod& pod : seen.pods)
        if (!owner_of(pod, seen)) seen.strays.push_back(pod);
    std::erase_if(seen.pods, [&](const model::Pod& pod) { return !owner_of(pod, seen); });
    for (model::Pod& pod : seen.pods)
        pod.revision = revision_of(version_of(*owner_of(pod, seen)));
}

}  // namespace sluice::api::extended_stateful_set
