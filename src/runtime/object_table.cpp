#include "runtime/object_table.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/hash.hpp"

namespace sluice::runtime {
namespace {

template <class Key>
void touch(std::vector<Key>& touched, Key key) {
    if (!key.name.empty() && std::ranges::find(touched, key) == touched.end())
        touched.push_back(std::move(key));
}

// Under what `name` is listed, now and from now on; without a name: nowhere.
template <class Key>
void move_entry(std::map<Key, std::vector<std::string>>& index, const std::string& name,
                const Key& from, const Key& to) {
    if (from == to) return;
    if (const auto old = index.find(from); old != index.end()) {
        std::erase(old->second, name);
        if (old->second.empty()) index.erase(old);
    }
    if (!to.name.empty()) index[to].push_back(name);
}

// The owner, in the namespace of its object.
model::ObjectKey owner_of(const model::ObjectKey& key, const model::CustomObject& object) {
    return {key.ns, object.owner};
}

std::uint64_t place_of(const model::Ref& ref) {
    std::string text{ref.resource->plural};
    for (const std::string* part : {&ref.ns, &ref.name})
        text.append("/").append(*part);
    return fnv1a(text);
}

std::size_t bytes_of(const model::CustomObject& object) {
    std::size_t bytes = object.spec.size() + object.status.size();
    for (const model::Texts* texts : {&object.labels, &object.annotations})
        for (const auto& [key, value] : *texts)
            bytes += key.size() + value.size();
    for (const std::string& finalizer : object.finalizers)
        bytes += finalizer.size();
    return bytes;
}

}  // namespace

model::CustomObject ObjectTable::whole(const Entries::value_type& entry) {
    model::CustomObject object = entry.second.object;
    object.meta.key = entry.first;
    PackedTexts::Texts texts = entry.second.texts.unpacked();
    object.spec = std::move(texts.spec);
    object.status = std::move(texts.status);
    return object;
}

std::string ObjectTable::take(const model::ObjectKey& key, Entry& entry,
                              const model::CustomObject& object) {
    model::CustomObject& kept = entry.object = object;
    kept.meta.key = {};
    if (trim_) trim_(kept);
    entry.bytes = bytes_of(kept);
    entry.is_left_out = !budget_->take(key.ns, entry.bytes);
    std::string spec = std::exchange(kept.spec, {});
    const std::string status = std::exchange(kept.status, {});
    entry.texts = {};
    if (!entry.is_left_out) {
        entry.texts = {spec, status};
        return spec;
    }
    kept.labels.clear();
    kept.annotations.clear();
    kept.finalizers.clear();
    return {};
}

void ObjectTable::give_back(const model::ObjectKey& key, const Entry& entry) {
    if (!entry.is_left_out) budget_->give_back(key.ns, entry.bytes);
}

ObjectTable::Names ObjectTable::names_about(const model::Ref& subject) const {
    if (!target_of_)
        return subject.resource == resource_ && entries_.contains(subject.key())
                   ? Names{subject.name}
                   : Names{};
    const auto found = about_.find(subject);
    return found == about_.end() ? Names{} : found->second;
}

std::vector<ObjectTable::LeftOut> ObjectTable::left_out(const model::Ref& subject) const {
    std::vector<LeftOut> objects;
    for (const std::string& name : names_about(subject)) {
        const auto entry = entries_.find({subject.ns, name});
        if (entry->second.is_left_out) objects.push_back({whole(*entry).meta, entry->second.bytes});
    }
    return objects;
}

Affected ObjectTable::put(const model::Object& some) {
    const auto& object = std::get<model::CustomObject>(some);
    if (object.meta.resource_version == 0) return {};  // no server sends that
    const model::ObjectKey& key = object.meta.key;
    Entry& entry = entries_[key];
    const std::uint64_t version = entry.object.meta.resource_version;
    const bool was_left_out = entry.is_left_out && version == object.meta.resource_version;
    const bool is_known = version >= object.meta.resource_version && !was_left_out;
    // Versions of namesakes can be compared too: the one that was made later has the higher one.
    if (!is_known || entry.object.meta.uid == object.meta.uid) entry.listed = true;
    if (is_known) return {};
    Affected affected{.objects = {key}};
    touch(affected.named, entry.named);
    touch(affected.owners, owner_of(key, entry.object));
    model::Ref named = target_of_ ? target_of_(object) : model::Ref{};
    move_entry(about_, key.name, entry.named, named);
    move_entry(owned_, key.name, owner_of(key, entry.object), owner_of(key, object));
    entry.named = std::move(named);
    give_back(key, entry);
    const std::string spec = named_by_ ? entry.texts.unpacked().spec : std::string{};
    if (const std::string now = take(key, entry, object); named_by_ && now != spec) {
        use(key, spec, false);
        use(key, now, true);
    }
    if (was_left_out && entry.is_left_out) return {};  // no news
    touch(affected.named, entry.named);
    touch(affected.owners, owner_of(key, entry.object));
    return affected;
}

void ObjectTable::use(const model::ObjectKey& key, const std::string& spec, bool is_used) {
    model::CustomObject object;
    object.meta.key = key;
    object.spec = spec;
    const model::ObjectKey* by = &entries_.find(key)->first;
    for (const model::Ref& one : named_by_(object)) {
        const Use use{place_of(one), by};
        const auto all = std::ranges::equal_range(users_, use.named, {}, &Use::named);
        if (is_used)
            users_.insert(all.end(), use);
        else if (const auto at = std::ranges::find(all, use); at != all.end())
            users_.erase(at);
    }
}

std::vector<model::ObjectKey> ObjectTable::users_of(const model::Ref& named) const {
    std::vector<model::ObjectKey> users;
    for (const Use& one : std::ranges::equal_range(users_, place_of(named), {}, &Use::named))
        if (one.by->ns == named.ns) users.push_back(*one.by);
    return users;
}

ObjectTable::Entries::iterator ObjectTable::erase(Entries::iterator entry, Affected& affected) {
    const auto& [key, known] = *entry;
    affected.objects.push_back(key);
    touch(affected.named, known.named);
    touch(affected.owners, owner_of(key, known.object));
    move_entry(owned_, key.name, owner_of(key, known.object), {});
    move_entry(about_, key.name, known.named, {});
    give_back(key, known);
    if (named_by_) use(key, known.texts.unpacked().spec, false);
    return entries_.erase(entry);
}

Affected ObjectTable::remove(const model::Object& object) {
    const model::ObjectMeta& meta = model::meta_of(object);
    const auto found = entries_.find(meta.key);
    if (found == entries_.end() || found->second.object.meta.uid != meta.uid) return {};
    Affected affected;
    erase(found, affected);
    return affected;
}

void ObjectTable::begin_list(const std::string& ns) {
    for (auto& [key, entry] : entries_)
        if (ns.empty() || key.ns == ns) entry.listed = false;
}

void ObjectTable::keep(const model::ObjectKey& key) {
    if (const auto found = entries_.find(key); found != entries_.end()) found->second.listed = true;
}

Affected ObjectTable::drop_unlisted(const std::string& ns, std::uint64_t version) {
    Affected affected;
    auto entry = entries_.lower_bound({ns, {}});
    while (entry != entries_.end() && (ns.empty() || entry->first.ns == ns)) {
        const bool stays =
            entry->second.listed || entry->second.object.meta.resource_version > version;
        entry = stays ? std::next(entry) : erase(entry, affected);
    }
    return affected;
}

std::uint64_t ObjectTable::version_of(const model::Object& object) const {
    const model::ObjectMeta& meta = model::meta_of(object);
    const auto found = entries_.find(meta.key);
    const bool is_known = found != entries_.end() && found->second.object.meta.uid == meta.uid;
    return is_known ? found->second.object.meta.resource_version : 0;
}

std::optional<model::Object> ObjectTable::find(const model::ObjectKey& key) const {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return std::nullopt;
    return whole(*found);
}

std::vector<model::CustomObject> ObjectTable::sorted(const std::string& ns,
                                                     const Names& names) const {
    std::vector<model::CustomObject> objects;
    for (const std::string& name : names)
        objects.push_back(whole(*entries_.find({ns, name})));
    std::ranges::sort(objects, {}, [](const model::CustomObject& one) {
        return std::tie(one.created, one.meta.uid);
    });
    return objects;
}

std::vector<model::CustomObject> ObjectTable::about(const model::Ref& subject) const {
    return sorted(subject.ns, names_about(subject));
}

std::vector<model::CustomObject> ObjectTable::in(const std::string& ns) const {
    std::vector<model::CustomObject> objects;
    for (auto one = entries_.lower_bound({ns, {}}); one != entries_.end() && one->first.ns == ns;
         ++one)
        if (!one->second.is_left_out) objects.push_back(whole(*one));
    return objects;
}

std::vector<std::string> ObjectTable::names_in(const std::string& ns,
                                               bool (*are_so)(const model::CustomObject&)) const {
    Names names;
    for (auto one = entries_.lower_bound({ns, {}}); one != entries_.end() && one->first.ns == ns;
         ++one)
        if (are_so(whole(*one))) names.push_back(one->first.name);
    return names;
}

std::vector<model::Object> ObjectTable::owned_by(const model::ObjectMeta& owner) const {
    std::vector<model::Object> objects;
    const auto names = owned_.find(owner.key);
    if (names == owned_.end()) return objects;
    for (model::CustomObject& one : sorted(owner.key.ns, names->second))
        if (one.owner_uid == owner.uid) objects.emplace_back(std::move(one));
    return objects;
}

Affected ObjectTable::all() const {
    Affected affected;
    for (const auto& [key, entry] : entries_)
        affected.objects.push_back(key);
    for (const auto& [named, names] : about_)
        affected.named.push_back(named);
    return affected;
}

}  // namespace sluice::runtime
