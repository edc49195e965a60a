#include "sim/actors/recorder.hpp"

#include <fmt/format.h>

#include "base/hash.hpp"

namespace sluice::sim {
namespace {

constexpr Duration lifetime = 1h;
constexpr std::size_t known_most = 10'000;

}  // namespace

void Recorder::post(const json::object& about, const News& news) {
    const json::object& meta = metadata(about);
    const std::string ns{text(meta, "namespace")};
    const std::tuple key{std::string{uid_of(about)}, news.reason, news.message};
    if (const auto known = known_.find(key); known != known_.end()) {
        if (const ObjectPtr event = at_.api.find("events", ns, known->second)) return count(event);
    }
    if (known_.size() >= known_most) known_.clear();
    const std::string now = to_rfc3339(at_.now());
    const std::string name =
        fmt::format("{}.{:016x}", name_of(about),
                    fnv1a(news.reason + news.message + std::to_string(at_.now().ms)));
    json::object involved{{"apiVersion", text(about, "apiVersion")},
                          {"kind", text(about, "kind")},
                          {"namespace", ns},
                          {"name", name_of(about)},
                          {"uid", uid_of(about)},
                          {"resourceVersion", text(meta, "resourceVersion")}};
    json::object event{{"apiVersion", "v1"},
                       {"kind", "Event"},
                       {"metadata", {{"name", name}, {"namespace", ns}}},
                       {"involvedObject", std::move(involved)},
                       {"type", news.type},
                       {"reason", news.reason},
                       {"message", news.message},
                       {"count", 1},
                       {"firstTimestamp", now},
                       {"lastTimestamp", now},
                       {"source", {{"component", component_}}},
                       {"reportingComponent", component_},
                       {"reportingInstance", ""}};
    if (went(at_.api.create(std::move(event), user_, at_.now()))) known_[key] = name;
}

void Recorder::count(const ObjectPtr& event) {
    json::object counted = event->object();
    counted["count"] = number_at(counted, "/count") + 1;
    counted["lastTimestamp"] = to_rfc3339(at_.now());
    at_.api.update(std::move(counted), user_, at_.now());
}

void EventExpiry::on_change(const Change& change) {
    if (change.type != Change::Type::Added || !change.place.resource.starts_with("events")) return;
    at_.timeline.after(lifetime, [this, place = change.place] { expire(place); });
}

void EventExpiry::expire(const Place& place) {
    const ObjectPtr event = at_.api.storage().find(place);
    if (!event) return;
    const auto counted = parse_rfc3339(text(event->object(), "lastTimestamp"));
    if (counted && *counted + lifetime > at_.now()) {
        at_.timeline.at(*counted + lifetime, [this, place] { expire(place); });
        return;
    }
    at_.api.remove(place.resource, place.ns, place.name, "system:apiserver", at_.now());
}

}  // namespace sluice::sim
