#include "sim/api/storage.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace sluice::sim {

const std::string& Stored::text() const {
    if (text_.empty()) text_ = json::serialize(object_);
    return text_;
}

std::uint64_t Stored::version() const {
    return std::stoull("0" + text_at(object_, "/metadata/resourceVersion"));
}

ObjectPtr Storage::find(const Place& place) const {
    const auto found = objects_.find(place);
    return found == objects_.end() ? nullptr : found->second;
}

std::vector<ObjectPtr> Storage::list(const std::string& resource, const std::string& ns) const {
    std::vector<ObjectPtr> found;
    for (auto at = objects_.lower_bound({resource, ns, {}}); at != objects_.end(); ++at) {
        const Place& place = at->first;
        if (place.resource != resource || (!ns.empty() && place.ns != ns)) break;
        found.push_back(at->second);
    }
    return found;
}

void Storage::record(Change change) {
    // Nobody writes from inside a listener, so that the log stays in order.
    for (const auto& listener : listeners)
        listener(change);
    log_.push_back(std::move(change));
}

ObjectPtr Storage::put(const Place& place, json::object object, const std::string& user) {
    set(object, "/metadata/resourceVersion", json::string{std::to_string(++version_)});
    const ObjectPtr before = find(place);
    auto stored = std::make_shared<const Stored>(std::move(object));
    objects_[place] = stored;
    record({before ? Change::Type::Modified : Change::Type::Added, version_, place, stored, before,
            user});
    return stored;
}

void Storage::remove(const Place& place, const std::string& user) {
    const ObjectPtr before = find(place);
    SLUICE_ASSERT(before != nullptr);
    json::object last = before->object();
    set(last, "/metadata/resourceVersion", json::string{std::to_string(++version_)});
    objects_.erase(place);
    record({Change::Type::Deleted, version_, place, std::make_shared<const Stored>(std::move(last)),
            before, user});
}

void Storage::for_changes_after(std::uint64_t version,
                                const std::function<void(const Change&)>& each) const {
    auto at = std::ranges::upper_bound(log_, version, {}, &Change::version);
    for (; at != log_.end(); ++at)
        each(*at);
}

void Storage::compact(std::uint64_t version) {
    compacted_ = std::max(compacted_, std::min(version, version_));
    std::erase_if(log_, [&](const Change& change) { return change.version <= compacted_; });
}

void Storage::renumber() {
    log_.clear();
    compacted_ = 0;
    version_ = 1;
    for (auto& [place, stored] : objects_) {
        json::object object = stored->object();
        set(object, "/metadata/resourceVersion", json::string{std::to_string(++version_)});
        stored = std::make_shared<const Stored>(std::move(object));
    }
}

std::vector<ObjectPtr> Storage::list_at(std::uint64_t version, const std::string& resource,
                                        const std::string& ns) const {
    std::map<Place, ObjectPtr> then;
    for (auto at = objects_.lower_bound({resource, ns, {}}); at != objects_.end(); ++at) {
        if (at->first.resource != resource || (!ns.empty() && at->first.ns != ns)) break;
        then.insert(*at);
    }
    for (auto change = log_.rbegin(); change != log_.rend() && change->version > version;
         ++change) {
        const Place& place = change->place;
        if (place.resource != resource || (!ns.empty() && place.ns != ns)) continue;
        if (change->before)
            then[place] = change->before;
        else
            then.erase(place);
    }
    std::vector<ObjectPtr> found;
    found.reserve(then.size());
    for (const auto& [place, object] : then)
        found.push_back(object);
    return found;
}

}  // namespace sluice::sim
