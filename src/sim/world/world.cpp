#include "sim/world/world.hpp"

#include <fmt/format.h>

#include <set>

#include "sim/actors/definitions.hpp"
#include "sim/api/admission.hpp"
#include "sim/api/state.hpp"
#include "sim/apis/registry.hpp"

namespace sluice::sim {
namespace {

std::vector<std::string> policy_names() {
    std::vector<std::string> names{"sluice-gate", "sluice-gate-create", "sluice-operator-limits",
                                   "sluice-notice", "sluice-scale-to-zero"};
    for (const Api& api : apis())
        if (!api.target.empty()) names.push_back(create_gate_of(api));
    for (const Api& api : apis())
        names.insert(names.end(), api.policies.begin(), api.policies.end());
    return names;
}

// In a merge patch an empty text takes the entry away.
json::value text_or_null(const std::string& text) {
    return text.empty() ? json::value(nullptr) : json::value(std::string_view{text});
}

json::object pod_template(const SetOptions& set) {
    json::object meta{{"labels", json::object{{"app", set.name}}}};
    if (!set.behaviour.empty())
        meta["annotations"] = json::object{{behaviour_annotation, set.behaviour}};
    return json::object{
        {"metadata", std::move(meta)},
        {"spec", json::object{{"terminationGracePeriodSeconds", 5},
                              {"containers",
                               json::array{json::object{{"name", "app"}, {"image", set.image}}}}}}};
}

json::object manifest(const SetOptions& set) {
    json::object meta{{"name", set.name}, {"namespace", set.ns}};
    if (!set.labels.empty()) meta["labels"] = json::value_from(set.labels);
    json::object spec{{"replicas", set.replicas},
                      {"serviceName", set.name},
                      {"podManagementPolicy", set.policy},
                      {"selector", json::object{{"matchLabels", json::object{{"app", set.name}}}}},
                      {"template", pod_template(set)}};
    if (set.strategy != "RollingUpdate" || set.partition >= 0)
        spec["updateStrategy"] = json::object{{"type", set.strategy}};
    if (set.partition >= 0)
        spec["updateStrategy"].get_object()["rollingUpdate"] =
            json::object{{"partition", set.partition}};
    if (set.start > 0) spec["ordinals"] = json::object{{"start", set.start}};
    if (set.min_ready > 0) spec["minReadySeconds"] = set.min_ready;
    if (!set.claim.empty())
        spec["volumeClaimTemplates"] = json::array{json::object{
            {"metadata", json::object{{"name", set.claim}}},
            {"spec",
             json::object{
                 {"accessModes", json::array{"ReadWriteOnce"}},
                 {"resources", json::object{{"requests", json::object{{"storage", "1Gi"}}}}}}}}};
    return json::object{{"apiVersion", "apps/v1"},
                        {"kind", "StatefulSet"},
                        {"metadata", std::move(meta)},
                        {"spec", std::move(spec)}};
}

json::object core_object(const char* kind, const std::string& ns, const std::string& name) {
    json::object meta{{"name", name}};
    if (!ns.empty()) meta["namespace"] = ns;
    return {{"apiVersion", "v1"}, {"kind", kind}, {"metadata", std::move(meta)}};
}

std::string set_path(const std::string& ns, const std::string& name) {
    return fmt::format("/apis/apps/v1/namespaces/{}/statefulsets/{}", ns, name);
}

}  // namespace

World::World(WorldOptions options)
    : cluster({.seed = options.seed, .pace = options.pace}),
      egress(cluster.api()),
      inspector(cluster, egress, std::chrono::abs(options.skew)) {
    install_definitions(cluster);
    for (int i = 0; i < options.operators; ++i) {
        HostOptions host;
        host.identity = fmt::format("operator-{}", i);
        host.leader_elect = options.operators > 1;
        host.seed = options.seed * 1000 + static_cast<std::uint64_t>(i) * 100;
        host.settings.hook_retry = options.hook_retry;
        host.settings.namespaces = options.namespaces;
        host.skew = i == 0 ? options.skew : Duration{0};
        operators.push_back(
            std::make_unique<OperatorHost>(cluster, egress, faults, host, inspector.witness()));
    }
    std::set<std::string> namespaces{options.namespaces.begin(), options.namespaces.end()};
    namespaces.insert("shop");
    for (const std::string& name : namespaces)
        create(core_object("Namespace", {}, name));
    put_secret("shop", "canary", "X-Token", canary, {});
}

void World::start_operators() {
    for (const auto& one : operators)
        one->start();
}

void World::set_policies(bool installed) {
    for (const char* kind : {"Mutating", "Validating"})
        for (const std::string& name : policy_names())
            for (const char* part : {"AdmissionPolicy", "AdmissionPolicyBinding"}) {
                const json::object object{{"apiVersion", "admissionregistration.k8s.io/v1"},
                                          {"kind", fmt::format("{}{}", kind, part)},
                                          {"metadata", json::object{{"name", name}}}};
                if (installed)
                    create(object);
                else
                    remove(cluster.api().resource_for(object)->id(), {}, name);
            }
}

Response World::put_setting(const std::string& map, const std::string& key,
                            const json::value& value) {
    constexpr const char* home = "sluice-system";
    if (!cluster.api().find("configmaps", home, map)) create(core_object("ConfigMap", home, map));
    return merge("configmaps", home, map, only("/data", json::object{{key, value}}));
}

Response World::create(json::object object) {
    return cluster.api().create(std::move(object), admin, cluster.now());
}

Response World::remove(const std::string& resource, const std::string& ns, const std::string& name,
                       const Deletion& how) {
    return cluster.api().remove(resource, ns, name, admin, cluster.now(), how);
}

Response World::create_set(const SetOptions& set) {
    return create(manifest(set));
}

Response World::patch(const std::string& path, const std::string& type, const json::object& patch) {
    return cluster.api().serve({.method = "PATCH",
                                .path = path,
                                .content_type = fmt::format("application/{}+json", type),
                                .body = json::serialize(patch)},
                               cluster.now());
}

Response World::merge(const std::string& resource, const std::string& ns, const std::string& name,
                      const json::object& changes, const std::string& subresource) {
    const Resource* found = cluster.api().resource(resource);
    const std::string in = ns.empty() ? ns : fmt::format("namespaces/{}/", ns);
    std::string path = fmt::format("/{}/{}/{}{}/{}", found->group.empty() ? "api" : "apis",
                                   found->api_version(), in, found->plural, name);
    if (!subresource.empty()) path += "/" + subresource;
    return patch(path, "merge-patch", changes);
}

Response World::set_image(const std::string& ns, const std::string& name, const std::string& image,
                          const std::string& behaviour) {
    json::object pod = only("/metadata/annotations",
                            json::object{{behaviour_annotation, text_or_null(behaviour)}});
    sim::set(pod, "/spec/containers", json::array{json::object{{"name", "app"}, {"image", image}}});
    return patch(set_path(ns, name), "strategic-merge-patch",
                 only("/spec/template", std::move(pod)));
}

Response World::scale(const std::string& ns, const std::string& name, std::int64_t replicas) {
    return patch(set_path(ns, name) + "/scale", "merge-patch", only("/spec/replicas", replicas));
}

Response World::set_partition(const std::string& ns, const std::string& name,
                              std::int64_t partition) {
    return merge("statefulsets.apps", ns, name, only(partition_pointer, partition));
}

Response World::annotate(const std::string& resource, const std::string& ns,
                         const std::string& name, const std::string& key,
                         const std::string& value) {
    return merge(resource, ns, name,
                 only("/metadata/annotations", json::object{{key, text_or_null(value)}}));
}

Response World::label(const std::string& ns, const std::string& name, const std::string& key,
                      const std::string& value) {
    return merge("statefulsets.apps", ns, name,
                 only("/metadata/labels", json::object{{key, text_or_null(value)}}));
}

Response World::replace(const std::string& ns, const std::string& name, const std::string& image) {
    const ObjectPtr before = set(ns, name);
    SetOptions fresh{.name = name, .ns = ns, .image = image};
    if (before) {
        fresh.replicas = number_at(before->object(), "/spec/replicas");
        for (const auto& [key, value] : object_at(before->object(), "/metadata/labels"))
            fresh.labels[std::string{key}] = std::string{value.as_string()};
        fresh.policy = text_at(before->object(), "/spec/podManagementPolicy");
    }
    return cluster.api().serve(
        {.method = "PUT", .path = set_path(ns, name), .body = json::serialize(manifest(fresh))},
        cluster.now());
}

Response World::put_secret(const std::string& ns, const std::string& name, const std::string& key,
                           const std::string& value, const std::string& hosts) {
    json::object secret = core_object("Secret", ns, name);
    sim::set(secret, "/stringData", json::object{{key, value}});
    if (!hosts.empty()) sim::set(secret, "/metadata/annotations/sluice.dev~1allowed-hosts", hosts);
    if (!cluster.api().find("secrets", ns, name)) return create(std::move(secret));
    return merge("secrets", ns, name, secret);
}

ObjectPtr World::rollout(const std::string& ns, const std::string& name) const {
    for (const Api& api : apis())
        if (ObjectPtr found = cluster.api().find(std::string{api.resource}, ns, name)) return found;
    return nullptr;
}

ObjectPtr World::set(const std::string& ns, const std::string& name) const {
    return cluster.api().find("statefulsets.apps", ns, name);
}

std::string World::pods_text(const std::string& ns, const std::string& name) const {
    const ObjectPtr owner = set(ns, name);
    if (!owner) return "gone";
    const std::int64_t start = number_at(owner->object(), "/spec/ordinals/start");
    std::string text;
    for (std::int64_t i = 0; i < number_at(owner->object(), "/spec/replicas"); ++i) {
        if (!text.empty()) text += ' ';
        const ObjectPtr pod = cluster.api().find("pods", ns, fmt::format("{}-{}", name, start + i));
        if (!pod || is_terminating(pod->object())) {
            text += '-';
            continue;
        }
        const std::string image = text_at(pod->object(), "/spec/containers/0/image");
        const bool ready = has_condition(pod->object(), "Ready");
        text += image.substr(image.rfind(':') + 1) + (ready ? "" : "!");
    }
    return text;
}

}  // namespace sluice::sim
