#include "sim/apis/extended_stateful_set/objects.hpp"

#include "sim/api/split.hpp"
#include "sim/api/state.hpp"
#include "sim/apis/analysis/objects.hpp"
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

// "env-configmap=a,envfrom-secret=b?,volume-configmap=c": what is read, and how; with a question
// mark it need not be there.
struct Reading {
    std::string how;
    bool is_secret;
    json::object named;
};

std::vector<Reading> readings_of(const std::string& text) {
    std::vector<Reading> all;
    for (const std::string_view part : parts_of(text, ',')) {
        const std::size_t dash = part.rfind('-', part.find('=')), equals = part.find('=');
        std::string name{part.substr(equals + 1)};
        const bool is_optional = name.ends_with('?');
        if (is_optional) name.pop_back();
        const bool is_secret = part.substr(dash + 1, equals - dash - 1) == "secret";
        const std::string how{part.substr(0, dash)};
        json::object named{{is_secret && how == "volume" ? "secretName" : "name", name}};
        if (is_optional) named["optional"] = true;
        all.push_back({how, is_secret, std::move(named)});
    }
    return all;
}

// Of the one container, whose image is app:a.
json::value reading_container(const std::string& text) {
    json::array variables, sources;
    for (const Reading& one : readings_of(text)) {
        if (one.how == "envfrom") {
            sources.push_back(
                json::object{{one.is_secret ? "secretRef" : "configMapRef", one.named}});
            continue;
        }
        json::object named = one.named;
        named["key"] = "key";
        variables.push_back(json::object{
            {"name", fmt::format("V{}", variables.size())},
            {"valueFrom",
             json::object{{one.is_secret ? "secretKeyRef" : "configMapKeyRef", named}}}});
    }
    return json::array{json::object{{"name", "main"},
                                    {"image", "app:a"},
                                    {"env", std::move(variables)},
                                    {"envFrom", std::move(sources)}}};
}

json::value init_container(const std::string& text) {
    json::array containers = reading_container(text).get_array();
    containers.front().get_object()["name"] = "first";
    return containers;
}

json::value volumes_of(const std::string& text) {
    json::array volumes;
    for (const Reading& one : readings_of(text)) {
        json::object source{{one.is_secret ? "secret" : "configMap", one.named}};
        json::object volume{{"name", fmt::format("volume-{}", volumes.size())}};
        if (one.how == "projected")
            volume["projected"] = json::object{{"sources", json::array{std::move(source)}}};
        else
            volume.insert(source.begin(), source.end());
        volumes.push_back(std::move(volume));
    }
    return volumes;
}

// "data", "data,ReadWriteMany", "data,ReadWriteOnce,2Gi".
json::value claims_from(const std::string& text) {
    std::vector<std::string> parts;
    for (const std::string_view part : parts_of(text, ','))
        parts.emplace_back(part);
    parts.resize(3);
    const std::string mode = parts[1].empty() ? "ReadWriteOnce" : parts[1];
    const std::string size = parts[2].empty() ? "1Gi" : parts[2];
    json::object spec{{"accessModes", json::array{json::value(mode)}},
                      {"resources", json::object{{"requests", json::object{{"storage", size}}}}}};
    return json::array{
        json::object{{"metadata", json::object{{"name", parts[0]}}}, {"spec", std::move(spec)}}};
}

// "well", "fail", "unready,30s", which never ends and has so long; "extendedjob=NAME".
json::value upgrade_job(const std::string& text) {
    std::vector<std::string> parts;
    for (const std::string_view part : parts_of(text, ','))
        parts.emplace_back(part);
    parts.resize(2);
    json::object job;
    if (const auto [key, name] = pair_of(parts[0]); key == "extendedjob") {
        job["extendedJob"] = name;
    } else {
        json::object annotations;
        annotations[behaviour_annotation] = parts[0] == "well" ? "" : parts[0];
        job["template"] = json::object{
            {"metadata", json::object{{"annotations", std::move(annotations)}}},
            {"spec",
             json::object{{"restartPolicy", "Never"}, {"containers", containers_of("job:a")}}}};
    }
    if (!parts[1].empty()) job["deadlineSeconds"] = as_seconds(parts[1]);
    return job;
}

constexpr WordField own_fields[] = {
    {"follows", "/spec/updateOnEnvChange", as_flag},
    {"follows-config", "/spec/updateOnConfigChange", as_flag},
    {"env", "/spec/template/spec/template/spec/containers", reading_container},
    {"init-env", "/spec/template/spec/template/spec/initContainers", init_container},
    {"volumes", "/spec/template/spec/template/spec/volumes", volumes_of},
    {"claim", "/spec/template/spec/volumeClaimTemplates", claims_from},
    {"order", "/spec/template/spec/podManagementPolicy", as_text},
    {"when-scaled", "/spec/template/spec/persistentVolumeClaimRetentionPolicy/whenScaled", as_text},
    {"when-deleted", "/spec/template/spec/persistentVolumeClaimRetentionPolicy/whenDeleted",
     as_text},
    {"replicas", "/spec/template/spec/replicas", as_number},
    {"image", "/spec/template/spec/template/spec/containers", containers_of},
    {"behaves", "/spec/template/spec/template/metadata/annotations/sim.sluice.dev~1behaviour",
     as_text},
    {"min-ready", "/spec/template/spec/minReadySeconds", as_seconds},
    {"history", "/spec/template/spec/revisionHistoryLimit", as_number},
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
    {"pre-upgrade", "/spec/updateStrategy/preUpgrade", upgrade_job},
    {"post-upgrade", "/spec/updateStrategy/postUpgrade", upgrade_job},
    {"analysis", "/spec/updateStrategy/gates/analysis",
     [](const std::string& text) -> json::value { return analysis::call_of(text, false); }},
    {"cluster-analysis", "/spec/updateStrategy/gates/analysis",
     [](const std::string& text) -> json::value { return analysis::call_of(text, true); }},
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

Response put_config_map(World& world, const std::string& name, const std::string& key,
                        const std::string& value) {
    const json::object data = only("/data", json::object{{key, value}});
    if (world.cluster.api().find("configmaps", shop, name))
        return world.merge("configmaps", shop, name, data);
    json::object map{{"apiVersion", "v1"},
                     {"kind", "ConfigMap"},
                     {"metadata", json::object{{"name", name}, {"namespace", shop}}}};
    map.insert(data.begin(), data.end());
    return world.create(std::move(map));
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

bool is_ready(const json::object& pod) {
    return has_condition(pod, "Ready") && !is_terminating(pod);
}

std::int64_t ready_pods(const ApiServer& api, const json::object& set) {
    return std::ranges::count_if(pods_of(api, set),
                                 [](const ObjectPtr& pod) { return is_ready(pod->object()); });
}

std::string restarts_text(const ApiServer& api, const std::string& name) {
    const ObjectPtr object = api.find(extended_sets, shop, name);
    if (!object) return "gone";
    const std::string pod_config = std::string{"/spec/template"} + config_at;
    std::string text;
    for (const ObjectPtr& set : versions_of(api, object->object())) {
        if (version_of(set->object()) != number_at(object->object(), "/status/currentVersion"))
            continue;
        const std::string wanted = text_at(set->object(), pod_config);
        for (std::int64_t i = 0; i < number_at(set->object(), "/spec/replicas"); ++i) {
            const ObjectPtr pod =
                api.find("pods", shop, fmt::format("{}-{}", name_in(set->object()), i));
            text += text.empty() ? "" : " ";
            if (!pod)
                text += '-';
            else
                text += text_at(pod->object(), config_at) == wanted ? "new" : "old";
        }
    }
    return text;
}

std::vector<ObjectPtr> owned_by(const ApiServer& api, const char* resource,
                                const json::object& object) {
    std::vector<ObjectPtr> found;
    for (const ObjectPtr& one : api.list(resource, text_at(object, "/metadata/namespace")))
        if (text_at(one->object(), owner_uid_at) == uid_in(object)) found.push_back(one);
    return found;
}

std::vector<ObjectPtr> claims_of(const ApiServer& api, const std::string& ns,
                                 const std::string& name) {
    std::vector<ObjectPtr> found;
    for (const ObjectPtr& claim : api.list(claims, ns))
        if (text_at(claim->object(), owner_at) == name) found.push_back(claim);
    std::ranges::sort(found, {}, [](const ObjectPtr& claim) {
        return std::pair{zone_of(claim->object()), number(text_at(claim->object(), ordinal_at))};
    });
    return found;
}

std::string sizes_text(const ApiServer& api, const std::string& name) {
    std::string text;
    for (const ObjectPtr& claim : claims_of(api, shop, name))
        if (!is_terminating(claim->object()))
            text += (text.empty() ? "" : " ") +
                    text_at(claim->object(), "/spec/resources/requests/storage");
    return text;
}

std::vector<std::string> claims_in(const json::object& pod) {
    std::vector<std::string> found;
    for (const json::value& volume : array_at(pod, "/spec/volumes"))
        if (std::string name = text_at(volume.get_object(), "/persistentVolumeClaim/claimName");
            !name.empty())
            found.push_back(std::move(name));
    return found;
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

bool keeps_config(const json::object& object) {
    const json::array& all = array_at(object, "/metadata/finalizers");
    return std::ranges::find(all, json::value(finalizer)) != all.end();
}

}  // namespace sluice::sim::extended_stateful_set
