#include "runtime/object_table.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sluice::runtime {
namespace {

void touch(Touched& touched, const std::string& ns, const std::string& target) {
    model::ObjectKey workload{ns, target};
    if (!target.empty() && std::ranges::find(touched, workload) == touched.end())
        touched.push_back(std::move(workload));
}

}  // namespace

model::CustomObject ObjectTable::whole(const Entries::value_type& entry) {
    model::CustomObject object = entry.second.object;
    object.meta.key = entry.first;
    return object;
}

void ObjectTable::set_target(const model::ObjectKey& key, Entry& entry, std::string target) {
    if (entry.target == target) return;
    if (const auto old = naming_.find({key.ns, entry.target}); old != naming_.end()) {
        std::erase(old->second, key.name);
        if (old->second.empty()) naming_.erase(old);
    }
    if (!target.empty()) naming_[{key.ns, target}].push_back(key.name);
    entry.target = std::move(target);
}

Touched ObjectTable::put(const model::CustomObject& object, std::uint8_t epoch) {
    if (object.meta.resource_version == 0) return {};  // no server sends that
    const model::ObjectKey& key = object.meta.key;
    Entry& entry = entries_[key];
    const bool is_known = entry.object.meta.resource_version >= object.meta.resource_version;
    // Versions of namesakes can be compared too: the one that was made later has the higher one.
    if (!is_known || entry.object.meta.uid == object.meta.uid) entry.epoch = epoch;
    if (is_known) return {};
    Touched touched;
    touch(touched, key.ns, entry.target);
    set_target(key, entry, target_of_(object));
    touch(touched, key.ns, entry.target);
    entry.object = object;
    entry.object.meta.key = {};
    return touched;
}

ObjectTable::Entries::iterator ObjectTable::erase(Entries::iterator entry, Touched& touched) {
    touch(touched, entry->first.ns, entry->second.target);
    set_target(entry->first, entry->second, {});
    return entries_.erase(entry);
}

Touched ObjectTable::remove(const model::CustomObject& object) {
    const auto found = entries_.find(object.meta.key);
    if (found == entries_.end() || found->second.object.meta.uid != object.meta.uid) return {};
    Touched touched;
    erase(found, touched);
    return touched;
}

Touched ObjectTable::drop_unlisted(const std::string& ns, std::uint8_t epoch,
                                   std::uint64_t version) {
    Touched touched;
    auto entry = entries_.lower_bound({ns, {}});
    while (entry != entries_.end() && (ns.empty() || entry->first.ns == ns)) {
        const bool stays =
            entry->second.epoch == epoch || entry->second.object.meta.resource_version > version;
        entry = stays ? std::next(entry) : erase(entry, touched);
    }
    return touched;
}

std::optional<model::CustomObject> ObjectTable::find(const model::ObjectKey& key) const {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return std::nullopt;
    return whole(*found);
}

std::vector<model::CustomObject> ObjectTable::naming(const model::ObjectKey& workload) const {
    std::vector<model::CustomObject> objects;
    const auto names = naming_.find(workload);
    if (names == naming_.end()) return objects;
    for (const std::string& name : names->second)
        objects.push_back(whole(*entries_.find({workload.ns, name})));
    std::ranges::sort(objects, {}, [](const model::CustomObject& one) {
        return std::tie(one.created, one.meta.uid);
    });
    return objects;
}

Touched ObjectTable::workloads() const {
    Touched keys;
    for (const auto& [workload, names] : naming_)
        keys.push_back(workload);
    return keys;
}

}  // namespace sluice::runtime
