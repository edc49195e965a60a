#include "sim/apis/stateful_cluster/objects.hpp"

#include "sim/api/state.hpp"
#include "sim/apis/gates/gates.hpp"
#include "sim/promises/history.hpp"

namespace sluice::sim::stateful_cluster {
namespace {

// A list is written as a whole.
json::value containers_of(const std::string& image) {
    return json::array{json::object{{"name", "main"}, {"image", image}}};
}

constexpr WordField own_fields[] = {
    {"replicas", "/spec/replicas", as_number},
    {"image", "/spec/template/spec/containers", containers_of},
    {"behaves", "/spec/template/metadata/annotations/sim.sluice.dev~1behaviour", as_text},
    {"policy", "/spec/podManagementPolicy", as_text},
    {"service", "/spec/serviceName", as_text},
    {"strategy", "/spec/updateStrategy/type", as_text},
    {"claim-policy", "/spec/updateStrategy/claimPolicy", as_text},
    {"in-place", "/spec/updateStrategy/inPlace", as_text},
    {"partition", "/spec/updateStrategy/rollingUpdate/partition", as_number},
    {"max-unavailable", "/spec/updateStrategy/rollingUpdate/maxUnavailable", as_number},
    {"when-deleted", "/spec/persistentVolumeClaimRetentionPolicy/whenDeleted", as_text},
    {"when-scaled", "/spec/persistentVolumeClaimRetentionPolicy/whenScaled", as_text},
    {"when-failed", "/spec/persistentVolumeClaimRetentionPolicy/whenFailed", as_text},
    {"tolerance", "/spec/failureToleranceSeconds", as_seconds},
    {"startup", "/spec/startupDeadlineSeconds", as_seconds},
    {"min-ready", "/spec/minReadySeconds", as_seconds},
    {"history", "/spec/revisionHistoryLimit", as_number},
};

json::object manifest(const std::string& name) {
    json::object pod{{"metadata", json::object{{"labels", json::object{{"tier", "data"}}},
                                               {"annotations", json::object{}}}},
                     {"spec", json::object{{"containers", containers_of("app:a")}}}};
    json::object spec{{"replicas", 3},
                      {"selector", json::object{{"matchLabels", json::object{{"app", name}}}}},
                      {"template", std::move(pod)}};
    return {{"apiVersion", "enge.me/v1alpha1"},
            {"kind", "StatefulCluster"},
            {"metadata", json::object{{"name", name}, {"namespace", shop}}},
            {"spec", std::move(spec)}};
}

}  // namespace

std::span<const WordField> fields() {
    static const std::vector<WordField> all = with_fields(own_fields, gates::fields);
    return all;
}

Response create(World& world, const std::string& name, const FieldTexts& wanted,
                const std::string& claim) {
    json::object cluster = manifest(name);
    put_fields(cluster, fields(), wanted);
    if (wanted.contains("expr") && !wanted.contains("url"))
        put_fields(cluster, fields(), {{"url", "prom:9000/xx"}});
    if (!claim.empty()) {
        json::object spec{
            {"accessModes", json::array{"ReadWriteOnce"}},
            {"resources", json::object{{"requests", json::object{{"storage", "1Gi"}}}}}};
        sim::set(cluster, "/spec/volumeClaimTemplates",
                 json::array{json::object{{"metadata", json::object{{"name", claim}}},
                                          {"spec", std::move(spec)}}});
    }
    return world.create(std::move(cluster));
}

Response roll_out(World& world, const std::string& name, const std::string& image,
                  const std::string& behaviour) {
    json::object changes = field_patch(fields(), "image", image);
    json::object annotations;
    annotations[behaviour_annotation] = behaviour.empty() ? json::value{} : json::value(behaviour);
    sim::set(changes, "/spec/template/metadata/annotations", std::move(annotations));
    return world.merge(clusters, shop, name, changes);
}

std::string members_text(const ApiServer& api, const std::string& name) {
    const ObjectPtr cluster = api.find(clusters, shop, name);
    if (!cluster) return "gone";
    std::string text;
    for (const std::string& member : member_names(cluster->object())) {
        if (!text.empty()) text += ' ';
        const ObjectPtr pod = api.find("pods", shop, member);
        if (!pod || is_terminating(pod->object())) {
            text += '-';
            continue;
        }
        const std::string image = text_at(pod->object(), "/spec/containers/0/image");
        text += image.substr(image.rfind(':') + 1);
        if (!has_condition(pod->object(), "Ready")) text += '!';
    }
    return text;
}

std::vector<std::string> member_names(const json::object& cluster) {
    std::vector<std::string> names;
    for (const json::value& member : array_at(cluster, "/status/members"))
        names.push_back(text_at(member.get_object(), "/name"));
    return names;
}

std::vector<ObjectPtr> pods_of(const ApiServer& api, const std::string& ns,
                               const std::string& cluster) {
    std::vector<ObjectPtr> pods;
    for (const ObjectPtr& pod : api.list("pods", ns))
        if (text_at(pod->object(), cluster_label_at) == cluster) pods.push_back(pod);
    std::ranges::sort(pods, {}, [](const ObjectPtr& pod) {
        return std::pair{text_at(pod->object(), "/metadata/creationTimestamp"),
                         name_in(pod->object())};
    });
    return pods;
}

std::vector<std::string> claims_in(const json::object& pod) {
    std::vector<std::string> names;
    for (const json::value& volume : array_at(pod, "/spec/volumes")) {
        std::string name = text_at(volume.get_object(), "/persistentVolumeClaim/claimName");
        if (!name.empty()) names.push_back(std::move(name));
    }
    return names;
}

}  // namespace sluice::sim::stateful_cluster
