#include "api/extended_stateful_set/versions.hpp"

#include <algorithm>

namespace sluice::api::extended_stateful_set {
namespace {

PodCount count(const std::vector<const model::Pod*>& pods, auto is_counted) {
    return {static_cast<std::int32_t>(
        std::ranges::count_if(pods, [&](const model::Pod* pod) { return is_counted(*pod); }))};
}

const model::StatefulSet* owner_of(const model::Pod& pod, const engine::Snapshot& seen) {
    const auto found = std::ranges::find_if(
        seen.sets, [&](const model::StatefulSet& set) { return set.meta.uid == pod.owner_uid; });
    return found == seen.sets.end() ? nullptr : &*found;
}

}  // namespace

int version_of(const model::StatefulSet& set) {
    const int version = version_in(set.meta.key.name);
    return set.meta.key.name == set_name(set.owner, version) ? version : 0;
}

const std::string& Version::digest() const {
    return annotation(*set, template_key);
}

const std::string& Version::stale() const {
    return annotation(*set, stale_key);
}

PodCount Version::ready() const {
    return count(pods, [](const model::Pod& pod) { return pod.ready && !pod.meta.deleting; });
}

PodCount Version::available(Duration min_ready, Instant now) const {
    return count(pods, [&](const model::Pod& pod) { return is_available(pod, min_ready, now); });
}

bool Version::runs() const {
    return std::ranges::any_of(pods, &model::Pod::running);
}

bool Version::was_ever_ready() const {
    return std::ranges::any_of(
        pods, [](const model::Pod* pod) { return pod->ready || !pod->never_ready; });
}

std::vector<Version> versions_in(const engine::Snapshot& seen) {
    std::vector<Version> all;
    for (const model::StatefulSet& set : seen.sets) {
        const int number = version_of(set);
        if (number == 0 || set.meta.deleting) continue;
        Version version{.number = number, .set = &set};
        for (const model::Pod& pod : seen.pods)
            if (pod.owner_uid == set.meta.uid) version.pods.push_back(&pod);
        all.push_back(std::move(version));
    }
    std::ranges::sort(all, {}, &Version::number);
    return all;
}

const Version* find_version(const std::vector<Version>& all, int number) {
    const auto found = std::ranges::find(all, number, &Version::number);
    return found == all.end() ? nullptr : &*found;
}

void take_pods(engine::Snapshot& seen) {
    std::erase_if(seen.pods, [&](const model::Pod& pod) { return !owner_of(pod, seen); });
    for (model::Pod& pod : seen.pods)
        pod.revision = revision_of(version_of(*owner_of(pod, seen)));
}

}  // namespace sluice::api::extended_stateful_set
