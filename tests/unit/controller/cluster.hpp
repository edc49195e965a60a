// A cluster of plain values: StatefulSets, pods and one ConfigMap, with the StatefulSet controller
// and the kubelets that belong to them. Everything that changes is written to a log, from which
// watches are served.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controller/input.hpp"
#include "tests/unit/model/written.hpp"

namespace sluice::controller::testing {

using model::ObjectKey;
using model::StatefulSet;

inline const ObjectKey web{"shop", "web"};

struct LogEntry {
    const model::Resource* resource;
    std::uint64_t version;
    model::WatchEvent event;
};

class Cluster {
  public:
    void add_set(const ObjectKey& key, int replicas, const std::string& hook = "noop");
    // What a person does to a set: any change of its spec counts the generation up.
    void change(const ObjectKey& key, const std::function<void(StatefulSet&)>& how);
    void change_template(const ObjectKey& key, std::uint64_t hash);
    void remove_set(const ObjectKey& key);
    void set_ready(const ObjectKey& pod, bool ready, Instant now);
    void remove_pod(const ObjectKey& pod);
    void put_hooks(const std::map<std::string, std::string>& data);
    void remove_hooks();

    // The API server: nothing if the patch was refused.
    std::optional<StatefulSet> patch(const ObjectKey& key, const std::string& json_patch);
    LiveWorkload read(const ObjectKey& key) const;
    std::vector<model::WatchEvent> initial(const model::Resource& resource) const;
    std::vector<model::WatchEvent> since(const model::Resource& resource,
                                         std::uint64_t version) const;
    std::uint64_t version() const { return version_; }

    // One look of the StatefulSet controller and the kubelets at everything; true if they did
    // anything. Pods that `is_broken` names never become ready.
    bool live(Instant now);
    std::function<bool(const model::Pod&)> is_broken = [](const model::Pod&) { return false; };

    const StatefulSet& set(const ObjectKey& key) const { return sets_.at(key); }
    // "A A B": the revision of each pod, "-" where there is none, "!" behind one that is not ready.
    std::string pods(const ObjectKey& key) const;

  private:
    std::string next_uid() { return fmt::format("00000000-0000-4000-8000-{:012}", ++uids_); }
    void store(StatefulSet set);
    void store(model::Pod pod);
    bool act(StatefulSet set);
    bool report(StatefulSet set);
    bool create(const StatefulSet& set, const ObjectKey& key, int index);
    ObjectKey pod_key(const StatefulSet& set, int index) const {
        return {set.meta.key.ns, fmt::format("{}-{}", set.meta.key.name, index)};
    }
    void log(const model::Resource& resource, model::WatchEvent event) {
        log_.push_back({&resource, version_, std::move(event)});
    }

    std::map<ObjectKey, StatefulSet> sets_;
    std::map<ObjectKey, model::Pod> pods_;
    std::optional<model::ConfigMap> hooks_;
    std::vector<LogEntry> log_;
    std::uint64_t version_ = 100;
    int uids_ = 0;
};

inline std::string revision_of(std::uint64_t template_hash) {
    return std::string{"web-"} + static_cast<char>('A' + template_hash);
}

inline void Cluster::store(StatefulSet set) {
    set.meta.resource_version = ++version_;
    log(model::statefulsets, model::Changed{set});
    sets_[set.meta.key] = std::move(set);
}

inline void Cluster::store(model::Pod pod) {
    pod.meta.resource_version = ++version_;
    log(model::pods, model::Changed{pod});
    pods_[pod.meta.key] = std::move(pod);
}

inline void Cluster::add_set(const ObjectKey& key, int replicas, const std::string& hook) {
    StatefulSet set;
    set.meta = {key, next_uid(), 0, 1, false};
    set.labels = {{"dd-statefulset-pilot", hook}};
    set.replicas = PodCount{replicas};
    set.partition = Partition{0};
    set.current_revision = set.update_revision = revision_of(0);
    store(set);
}

inline void Cluster::change(const ObjectKey& key, const std::function<void(StatefulSet&)>& how) {
    StatefulSet set = sets_.at(key);
    how(set);
    const StatefulSet& old = sets_.at(key);
    const bool changes_spec = set.partition != old.partition || set.replicas != old.replicas ||
                              set.template_hash != old.template_hash;
    if (changes_spec) ++set.meta.generation;
    set.has_annotations = set.has_annotations || !set.annotations.empty();
    store(std::move(set));
}

inline void Cluster::change_template(const ObjectKey& key, std::uint64_t hash) {
    change(key, [&](StatefulSet& set) { set.template_hash = hash; });
}

inline void Cluster::remove_set(const ObjectKey& key) {
    const StatefulSet gone = sets_.extract(key).mapped();
    ++version_;
    log(model::statefulsets, model::Deleted{gone});
}

inline void Cluster::set_ready(const ObjectKey& key, bool ready, Instant now) {
    model::Pod pod = pods_.at(key);
    pod.ready = ready;
    pod.ready_since = now;
    store(std::move(pod));
}

inline void Cluster::remove_pod(const ObjectKey& key) {
    const model::Pod gone = pods_.extract(key).mapped();
    ++version_;
    log(model::pods, model::Deleted{gone});
}

inline void Cluster::put_hooks(const std::map<std::string, std::string>& data) {
    const std::string uid = hooks_ ? hooks_->meta.uid : next_uid();
    hooks_ = model::ConfigMap{{{"sluice-system", "sluice-hooks"}, uid, ++version_, 0, false}, data};
    log(model::config_maps, model::Changed{*hooks_});
}

inline void Cluster::remove_hooks() {
    ++version_;
    log(model::config_maps, model::Deleted{*hooks_});
    hooks_.reset();
}

inline std::optional<StatefulSet> Cluster::patch(const ObjectKey& key,
                                                 const std::string& json_patch) {
    const auto found = sets_.find(key);
    if (found == sets_.end()) return std::nullopt;
    const auto after = model::testing::written(found->second, json_patch);
    if (!after) return std::nullopt;
    store(*after);
    return sets_.at(key);
}

inline LiveWorkload Cluster::read(const ObjectKey& key) const {
    const auto found = sets_.find(key);
    if (found == sets_.end()) return {};
    LiveWorkload live{found->second, {}, {}};
    for (const auto& [name, pod] : pods_) {
        if (pod.owner_uid == live.set.meta.uid) live.pods.push_back(pod);
    }
    return live;
}

inline std::vector<model::WatchEvent> Cluster::initial(const model::Resource& resource) const {
    std::vector<model::WatchEvent> events;
    if (&resource == &model::statefulsets)
        for (const auto& [key, one] : sets_)
            events.emplace_back(model::Changed{one});
    if (&resource == &model::pods)
        for (const auto& [key, pod] : pods_)
            events.emplace_back(model::Changed{pod});
    if (&resource == &model::config_maps && hooks_) events.emplace_back(model::Changed{*hooks_});
    events.emplace_back(model::Bookmark{std::to_string(version_), true});
    return events;
}

inline std::vector<model::WatchEvent> Cluster::since(const model::Resource& resource,
                                                     std::uint64_t version) const {
    std::vector<model::WatchEvent> events;
    for (const LogEntry& entry : log_) {
        if (entry.resource == &resource && entry.version > version) events.push_back(entry.event);
    }
    return events;
}

inline bool Cluster::create(const StatefulSet& set, const ObjectKey& key, int index) {
    const bool exposed = is_exposed(PodIndex{index}, effective_partition(set));
    model::Pod pod;
    pod.meta = {key, next_uid(), 0, 0, false};
    pod.owner_uid = set.meta.uid;
    pod.owner_kind = "StatefulSet";
    pod.revision = exposed ? revision_of(set.template_hash) : set.current_revision;
    store(std::move(pod));
    return true;
}

// OrderedReady: the first pod that is missing or not ready is waited for; then one from the top.
inline bool Cluster::act(StatefulSet set) {
    for (int index = 0; index < set.replicas.value; ++index) {
        const ObjectKey key = pod_key(set, index);
        if (!pods_.contains(key)) return create(set, key, index);
        if (!pods_.at(key).ready) return false;
    }
    if (pods_.contains(pod_key(set, set.replicas.value)))
        return remove_pod(pod_key(set, set.replicas.value)), true;
    for (int index = set.replicas.value - 1; index >= 0; --index) {
        if (!is_exposed(PodIndex{index}, effective_partition(set))) return false;
        if (pods_.at(pod_key(set, index)).revision == revision_of(set.template_hash)) continue;
        return remove_pod(pod_key(set, index)), true;
    }
    return false;
}

inline bool Cluster::report(StatefulSet set) {
    const StatefulSet old = set;
    set.observed_generation = set.meta.generation;
    set.update_revision = revision_of(set.template_hash);
    bool done = true;
    for (int index = 0; index < set.replicas.value; ++index) {
        const auto found = pods_.find(pod_key(set, index));
        done = done && found != pods_.end() && found->second.ready &&
               found->second.revision == set.update_revision;
    }
    if (done) set.current_revision = set.update_revision;
    if (set == old) return false;
    store(std::move(set));
    return true;
}

inline bool Cluster::live(Instant now) {
    bool changed = false;
    std::vector<ObjectKey> keys;
    for (const auto& [key, one] : sets_)
        keys.push_back(key);
    for (const ObjectKey& key : keys) {
        changed = act(sets_.at(key)) || changed;
        changed = report(sets_.at(key)) || changed;
    }
    const auto pods = pods_;
    for (const auto& [key, pod] : pods) {
        if (pod.ready || is_broken(pod)) continue;
        set_ready(key, true, now);
        changed = true;
    }
    return changed;
}

inline std::string Cluster::pods(const ObjectKey& key) const {
    std::string text;
    for (int index = 0; index < sets_.at(key).replicas.value; ++index) {
        const auto found = pods_.find(pod_key(sets_.at(key), index));
        if (!text.empty()) text += " ";
        text += found == pods_.end() ? "-" : found->second.revision.substr(4);
        if (found != pods_.end() && !found->second.ready) text += "!";
    }
    return text;
}

}  // namespace sluice::controller::testing
