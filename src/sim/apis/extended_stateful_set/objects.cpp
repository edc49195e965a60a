#include "sim/apis/extended_stateful_set/objects.hpp"

#include "sim/api/split.hpp"
#include "sim/api/state.hpp"
#include "sim/apis/gates/gates.hpp"
#include "sim/promises/history.hpp"

namespace sluice::sim::extended_stateful_set {
namespace {

// A list is written as a whole.
json::value containers_of(const std::string& image) {
    return json::array{json::object{{"name", "main"}, {"image", image}}};
}

// "zone-a,zone-b".
json::value zones_of(const std::string& text) {
    json::array zones;
    for (const std::string_view zone : parts_of(text, ','))
        zones.emplace_back(zone);
    return zones;
}

constexpr WordField own_fields[] = {
    {"replicas", "/spec/template/spec/replicas", as_number},
    {"image", "/spec/template/spec/template/spec/containers", containers_of},
    {"behaves", "/spec/template/spec/template/metadata/annotations/sim.sluice.dev~1behaviour",
     as_text},
    {"min-ready", "/spec/template/spec/minReadySeconds", as_seconds},
    {"min", "/spec/scaling/min", as_number},
    {"max", "/spec/scaling/max", as_number},
    {"odd-only", "/spec/scaling/oddOnly", as_flag},
    {"zones", "/spec/zones", zones_of},
    {"blue-green", "/spec/updateStrategy/blueGreen", as_flag},
    {"stays", "/spec/updateStrategy/scaleDownDelaySeconds", as_seconds},
    {"when-stale", "/spec/updateStrategy/whenStale", as_text},
    {"canaries", "/spec/updateStrategy/canaries", as_number},
    {"retries", "/spec/updateStrategy/retryCount", as_number},
    {"not-ready", "/spec/updateStrategy/updateNotReady", as_flag},
    {"canary-time", "/spec/updateStrategy/canarySeconds", as_seconds},
    {"deadline", "/spec/updateStrategy/canaryDeadlineSeconds", as_seconds},
};

json::object manifest(const std::string& name) {
    json::object labels{{"app", name}};
    json::object pod{
        {"metadata", json::object{{"labels", labels}, {"annotations", json::object{}}}},
        {"spec", json::object{{"containers", containers_of("app:a")}}}};
    json::object set{{"metadata", json::object{{"labels", json::object{{"tier", "data"}}}}},
                     {"spec", json::object{{"replicas", 3},
                                           {"selector", json::object{{"matchLabels", labels}}},
                                           {"serviceName", name},
                                           {"podManagementPolicy", "Parallel"},
                                           {"template", std::move(pod)}}}};
    return {{"apiVersion", "fissile.cloudfoundry.org/v1alpha1"},
            {"kind", "ExtendedStatefulSet"},
            {"metadata", json::object{{"name", name}, {"namespace", shop}}},
            {"spec", json::object{{"template", std::move(set)}}}};
}

}  // namespace

std::span<const WordField> fields() {
    static const std::vector<WordField> all = with_fields(own_fields, gates::fields);
    return all;
}

Response create(World& world, const std::string& name, const FieldTexts& wanted) {
    json::object object = manifest(name);
    put_fields(object, fields(), wanted);
    if (wanted.contains("expr") && !wanted.contains("url"))
        put_fields(object, fields(), {{"url", "prom:9000/xx"}});
    return world.create(std::move(object));
}

Response roll_out(World& world, const std::string& name, const std::string& image,
                  const std::string& behaviour) {
    json::object changes = field_patch(fields(), "image", image);
    json::object annotations;
    annotations[behaviour_annotation] = behaviour.empty() ? json::value{} : json::value(behaviour);
    sim::set(changes, "/spec/template/spec/template/metadata/annotations", std::move(annotations));
    return world.merge(extended_sets, shop, name, changes);
}

Response create_service(World& world, const std::string& name, const std::string& owner) {
    json::object service{
        {"apiVersion", "v1"},
        {"kind", "Service"},
        {"metadata", json::object{{"name", name}, {"namespace", shop}}},
        {"spec", json::object{{"selector", json::object{{"app", owner}}},
                              {"ports", json::array{json::object{{"port", 80}}}}}}};
    sim::set(service, serves_at, json::string(owner));
    return world.create(std::move(service));
}

std::int64_t version_of(const json::object& set) {
    return number(text_at(set, version_at));
}

std::int64_t zone_of(const json::object& set) {
    const std::string zone = text_at(set, zone_at);
    return zone.empty() ? -1 : number(zone);
}

std::vector<ObjectPtr> versions_of(const ApiServer& api, const json::object& object) {
    std::vector<ObjectPtr> found;
    for (const ObjectPtr& set : api.list(sets, text_at(object, "/metadata/namespace")))
        if (text_at(set->object(), owner_uid_at) == uid_in(object) &&
            !is_terminating(set->object()))
            found.push_back(set);
    std::ranges::sort(found, {}, [](const ObjectPtr& set) {
        return std::pair{version_of(set->object()), zone_of(set->object())};
    });
    return found;
}

std::vector<ObjectPtr> pods_of(const ApiServer& api, const json::object& set) {
    std::vector<ObjectPtr> found;
    for (const ObjectPtr& pod : api.list("pods", text_at(set, "/metadata/namespace")))
        if (text_at(pod->object(), owner_uid_at) == uid_in(set)) found.push_back(pod);
    std::ranges::sort(found, {}, [](const ObjectPtr& pod) { return name_in(pod->object()); });
    return found;
}

std::int64_t ready_pods(const ApiServer& api, const json::object& set) {
    return std::ranges::count_if(pods_of(api, set), [](const ObjectPtr& pod) {
        return has_condition(pod->object(), "Ready") && !is_terminating(pod->object());
    });
}

std::string versions_text(const ApiServer& api, const std::string& name) {
    const ObjectPtr object = api.find(extended_sets, shop, name);
    if (!object) return "gone";
    std::string text;
    for (const ObjectPtr& set : versions_of(api, object->object())) {
        text += fmt::format("{}{}", text.empty() ? "" : " ",
                            name_in(set->object()).substr(name.size() + 1));
        for (const ObjectPtr& pod : pods_of(api, set->object())) {
            const std::string image = text_at(pod->object(), "/spec/containers/0/image");
            text += " " + image.substr(image.rfind(':') + 1);
            if (!has_condition(pod->object(), "Ready")) text += '!';
        }
    }
    return text;
}

}  // namespace sluice::sim::extended_stateful_set
