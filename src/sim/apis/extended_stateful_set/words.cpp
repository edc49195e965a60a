// The words about ExtendedStatefulSets: what people do with them, and what is to be seen.
#include <fmt/format.h>

#include "sim/api/state.hpp"
#include "sim/apis/analysis/objects.hpp"
#include "sim/apis/extended_stateful_set/api.hpp"
#include "sim/apis/extended_stateful_set/objects.hpp"

namespace sluice::sim::extended_stateful_set {
namespace {

// NAME, and fields of its spec.
Problem create_extended(World& world, Words words) {
    FieldTexts wanted;
    for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
        if (!find_field(fields(), words[i]))
            return fmt::format("an ExtendedStatefulSet has no \"{}\"", words[i]);
        wanted[words[i]] = words[i + 1];
    }
    return problem_of(create(world, words[0], wanted));
}

Problem change_extended(World& world, Words words) {
    if (!find_field(fields(), words[1]))
        return fmt::format("an ExtendedStatefulSet has no \"{}\"", words[1]);
    return problem_of(
        world.merge(extended_sets, shop, words[0], field_patch(fields(), words[1], words[2])));
}

Response set_image(World& world, Words words) {
    return roll_out(world, words[0], words[1], option(words, "behaves", ""));
}

Response scale(World& world, Words words) {
    return world.merge(extended_sets, shop, words[0], only("/spec/replicas", number(words[1])),
                       "scale");
}

Response delete_extended(World& world, Words words) {
    Deletion how;
    if (words.size() > 1) how.propagation = words[1] == "orphan" ? "Orphan" : "Foreground";
    return world.remove(extended_sets, shop, words[0], how);
}

constexpr const char* key_secret = "sluice-config-key";

Response config_map(World& world, Words words) {
    const auto [key, value] = pair_of(words[1]);
    return put_config_map(world, words[0], key, value);
}

// As `sluice abort` does it.
Response abort_restart(World& world, Words words) {
    const ObjectPtr object = world.cluster.api().find(extended_sets, shop, words[0]);
    return world.annotate(extended_sets, shop, words[0], "sluice.dev/abort",
                          object ? text_at(object->object(), "/status/configDigest") : "");
}

// By another ConfigMap, as somebody else's tool has it.
Response own_config_map(World& world, Words words) {
    const ObjectPtr owned = world.cluster.api().find("configmaps", shop, words[0]);
    const ObjectPtr owner = world.cluster.api().find("configmaps", shop, words[2]);
    json::array owners = owned ? array_at(owned->object(), owners_at) : json::array{};
    owners.push_back(
        json::object{{"apiVersion", "v1"},
                     {"kind", "ConfigMap"},
                     {"name", words[2]},
                     {"uid", owner ? text_at(owner->object(), "/metadata/uid") : std::string{}}});
    return world.merge("configmaps", shop, words[0], only(owners_at, std::move(owners)));
}

// "ExtendedStatefulSet/ledger Namespace/shop"; "none"; "gone".
std::string owners_text(const World& world, const std::string& resource, const std::string& name) {
    const ObjectPtr object = world.cluster.api().find(resource, shop, name);
    if (!object) return "gone";
    std::string text;
    for (const json::value& one : array_at(object->object(), owners_at))
        text += fmt::format("{}{}/{}", text.empty() ? "" : " ", text_at(one.get_object(), "/kind"),
                            text_at(one.get_object(), "/name"));
    return text.empty() ? "none" : text;
}

constexpr const char* restored_at = "/metadata/annotations/restored";

// As people do who have a snapshot of its volume.
Response restore_claim(World& world, Words words) {
    json::object claim{
        {"apiVersion", "v1"},
        {"kind", "PersistentVolumeClaim"},
        {"metadata",
         json::object{{"name", words[0]},
                      {"namespace", shop},
                      {"labels", json::object{{"sluice.dev/extendedstatefulset", words[2]}}},
                      {"annotations", json::object{{"restored", "yes"}}}}},
        {"spec", json::object{
                     {"accessModes", json::array{"ReadWriteOnce"}},
                     {"resources", json::object{{"requests", json::object{{"storage", "1Gi"}}}}}}}};
    return world.create(std::move(claim));
}

// Whatever they come to.
Problem delete_owned(World& world, const std::string& name, const char* resource) {
    const ObjectPtr object = world.cluster.api().find(extended_sets, shop, name);
    if (!object) return "there is no such ExtendedStatefulSet";
    for (const ObjectPtr& one : owned_by(world.cluster.api(), resource, object->object()))
        world.remove(resource, shop, text_at(one->object(), "/metadata/name"));
    return std::nullopt;
}

Problem forget_versions(World& world, Words words) {
    const ObjectPtr object = world.cluster.api().find(extended_sets, shop, words[0]);
    if (!object) return "there is no such ExtendedStatefulSet";
    for (const ObjectPtr& one : world.cluster.api().list(revisions, shop))
        if (text_at(one->object(), owner_uid_at) == uid_in(object->object()))
            world.remove(revisions, shop, name_in(one->object()));
    return problem_of(
        world.merge(extended_sets, shop, words[0], only("/status/revisions", nullptr), "status"));
}

Seen runs_seen(const World& world, Words words, bool (*counts)(const json::object& run)) {
    const ApiServer& api = world.cluster.api();
    const ObjectPtr object = api.find(extended_sets, shop, words[0]);
    if (!object) return "it is gone";
    const auto runs = owned_by(api, analysis::runs, object->object());
    const auto count =
        std::ranges::count_if(runs, [&](const ObjectPtr& run) { return counts(run->object()); });
    return unless_same(words[1], std::to_string(count));
}

constexpr Action action_table[] = {
    {"extendedstatefulset",
     "NAME [replicas N] [image IMAGE] [behaves HOW] [min N] [max N] [odd-only true] [canaries N] "
     "[history N] [retries N] [not-ready true] [canary-time TIME] [deadline TIME] [min-ready TIME] "
     "[pre-upgrade well|fail|HOW[,TIME]|extendedjob=NAME] [post-upgrade ...] "
     "[analysis|cluster-analysis TEMPLATE,ARGUMENT=VALUE...] "
     "[zones ZONE,ZONE] [blue-green true] [stays TIME] [when-stale Keep] [follows true] [env "
     "HOW-configmap|secret=NAME[?],...] [init-env ...] "
     "[volumes ...] [claim NAME,MODE,SIZE] [order OrderedReady] [when-scaled Delete] [when-deleted "
     "Delete], and gates",
     1, create_extended},
    {"service", "NAME follows EXTENDEDSTATEFULSET", 3,
     [](World& world, Words words) { return create_service(world, words[0], words[2]); }},
    {"annotate service", "NAME KEY=VALUE|KEY-", 2,
     [](World& world, Words words) { return annotate(world, services, words); }},
    {"change extendedstatefulset", "NAME FIELD VALUE|none", 3, change_extended},
    {"set extendedstatefulset image", "NAME IMAGE [behaves HOW]", 2, set_image},
    {"scale extendedstatefulset", "NAME NUMBER", 2, scale},
    {"annotate extendedstatefulset", "NAME KEY=VALUE|KEY-", 2,
     [](World& world, Words words) { return annotate(world, extended_sets, words); }},
    {"configmap", "NAME KEY=VALUE, which makes or changes it", 2, config_map},
    {"delete configmap", "NAME", 1,
     [](World& world, Words words) { return world.remove("configmaps", shop, words[0]); }},
    {"annotate configmap", "NAME KEY=VALUE|KEY-", 2,
     [](World& world, Words words) { return annotate(world, "configmaps", words); }},
    {"own configmap", "NAME by OTHER, another one", 3, own_config_map},
    {"abort restart", "NAME", 1, abort_restart},
    {"delete upgrade jobs", "NAME", 1,
     [](World& world, Words words) { return delete_owned(world, words[0], jobs); }},
    {"delete upgrade runs", "NAME", 1,
     [](World& world, Words words) { return delete_owned(world, words[0], analysis::runs); }},
    {"forget versions", "NAME, and what they were made from, as nobody kept it once", 1,
     forget_versions},
    {"delete config key", "", 0,
     [](World& world, Words) { return world.remove("secrets", "sluice-system", key_secret); }},
    {"delete extendedstatefulset", "NAME [orphan|foreground]", 1, delete_extended},
    {"delete claim", "NAME", 1,
     [](World& world, Words words) { return world.remove(claims, shop, words[0]); }},
    {"restore claim", "NAME of EXTENDEDSTATEFULSET", 3, restore_claim},
    {"claims may grow", "", 0,
     [](World& world, Words) {
         return world.merge("storageclasses.storage.k8s.io", "", "standard",
                            only("/allowVolumeExpansion", true));
     }},
    {"wipe extendedstatefulset", "NAME, its status", 1,
     [](World& world, Words words) {
         return world.merge(extended_sets, shop, words[0], only("/status", nullptr), "status");
     }},
};

constexpr Expectation expectation_table[] = {
    {"versions", "NAME v1 TAG... v2 TAG..., in zones z0-v1 TAG...; ! is not ready", 1, true,
     [](const World& world, Words words) {
         return unless_same(joined(words.subspan(1)), versions_text(world.cluster.api(), words[0]));
     }},
    {"service", "NAME selects VERSION|all", 3, true,
     [](const World& world, Words words) {
         const ObjectPtr service = world.cluster.api().find(services, shop, words[0]);
         const std::string said = service ? text_at(service->object(), selected_at) : "gone";
         return unless_same(words[2], said.empty() ? "all" : "v" + said);
     }},
    {"restarts", "NAME new|old|-..., of the pods of the version that serves", 1, true,
     [](const World& world, Words words) {
         return unless_same(joined(words.subspan(1)), restarts_text(world.cluster.api(), words[0]));
     }},
    {"revisions", "NAME VERSION NUMBER, of its StatefulSet so far", 3, true,
     [](const World& world, Words words) {
         const std::string set = fmt::format("{}-{}", words[0], words[1]);
         const auto count = std::ranges::count_if(
             world.cluster.api().list(revisions, shop), [&](const ObjectPtr& one) {
                 return text_at(one->object(), "/metadata/ownerReferences/0/name") == set;
             });
         return unless_same(words[2], std::to_string(count));
     }},
    {"configmap there", "NAME", 1, true,
     [](const World& world, Words words) {
         const bool is_there = world.cluster.api().find("configmaps", shop, words[0]) != nullptr;
         return is_there ? Seen{} : Seen{"gone"};
     }},
    {"owners of configmap", "NAME KIND/NAME...|none", 2, true,
     [](const World& world, Words words) {
         return unless_same(joined(words.subspan(1)), owners_text(world, "configmaps", words[0]));
     }},
    {"owners of secret", "NAME KIND/NAME...|none", 2, true,
     [](const World& world, Words words) {
         return unless_same(joined(words.subspan(1)), owners_text(world, "secrets", words[0]));
     }},
    {"finalizer of", "NAME yes|no", 2, true,
     [](const World& world, Words words) {
         const ObjectPtr object = world.cluster.api().find(extended_sets, shop, words[0]);
         return unless_same(words[1], object && keeps_config(object->object()) ? "yes" : "no");
     }},
    {"restored claim", "NAME yes|no|gone", 2, true,
     [](const World& world, Words words) {
         const ObjectPtr claim = world.cluster.api().find(claims, shop, words[0]);
         if (!claim) return unless_same(words[1], "gone");
         return unless_same(words[1], has(claim->object(), restored_at) ? "yes" : "no");
     }},
    {"claim sizes", "NAME SIZE..., by ordinal, of those that are not being deleted", 1, true,
     [](const World& world, Words words) {
         return unless_same(joined(words.subspan(1)), sizes_text(world.cluster.api(), words[0]));
     }},
    {"upgrade jobs", "NAME NUMBER", 2, true,
     [](const World& world, Words words) {
         const ObjectPtr object = world.cluster.api().find(extended_sets, shop, words[0]);
         if (!object) return Seen{"it is gone"};
         return unless_same(
             words[1],
             std::to_string(owned_by(world.cluster.api(), jobs, object->object()).size()));
     }},
    {"upgrade runs", "NAME NUMBER, of AnalysisRuns", 2, true,
     [](const World& world, Words words) {
         return runs_seen(world, words, [](auto&) { return true; });
     }},
    {"ended runs", "NAME NUMBER, of those that nobody waited for to the end", 2, true,
     [](const World& world, Words words) {
         return runs_seen(world, words,
                          [](const json::object& run) { return flag_at(run, "/spec/terminate"); });
     }},
    {"upgrade run", "NAME, the one of the status; and as run", 2, true,
     [](const World& world, Words words) {
         const ApiServer& api = world.cluster.api();
         const ObjectPtr object = api.find(extended_sets, shop, words[0]);
         const std::string run =
             object ? text_at(object->object(), "/status/analysis/run") : std::string{};
         return analysis::run_seen(api.find(analysis::runs, shop, run), words.subspan(1));
     }},
    {"kept", "NAME VERSION..., of which it is kept what they were made from", 1, true,
     [](const World& world, Words words) {
         const ObjectPtr object = world.cluster.api().find(extended_sets, shop, words[0]);
         if (!object) return Seen{"it is gone"};
         return unless_same(joined(words.subspan(1)),
                            kept_text(world.cluster.api(), object->object()));
     }},
    {"stale", "NAME VERSION|SET TEXT|no", 3, true,
     [](const World& world, Words words) {
         const bool is_in_zone = words[1].contains('v');
         const std::string name = fmt::format("{}-{}{}", words[0], is_in_zone ? "" : "v", words[1]);
         const ObjectPtr set = world.cluster.api().find(sets, shop, name);
         const std::string said = set ? text_at(set->object(), stale_at) : "gone";
         return words[2] == "no" ? unless_same("", said) : unless_says(words[2], said);
     }},
};

constexpr ReportField report_fields[] = {
    {"serves", "/status/currentVersion"},
    {"wants", "/status/updateVersion"},
    {"attempts", "/status/attempts"},
    {"exposed", "/status/exposed"},
    {"ready", "/status/readyReplicas"},
    {"pods", "/status/replicas"},
    {"config-since", "/status/configChangedSince"},
    {"claim-refusal", "/status/claimRefusal"},
    {"job-stage", "/status/upgradeJob/stage"},
    {"analysis", "/status/analysis/phase"},
    {"runs-1", "/status/versions/1"},
    {"runs-2", "/status/versions/2"},
};

constexpr std::string_view judged[] = {sets,      services,  claims,       jobs,
                                       revisions, "secrets", "configmaps", analysis::runs};
constexpr std::string_view policies[] = {"sluice-extendedstatefulset-limits",
                                         "sluice-extendedstatefulset-references",
                                         replicas_policy,
                                         "sluice-extendedstatefulset-volumes",
                                         "sluice-extendedstatefulset-hand-over",
                                         "sluice-extendedstatefulset-hand-over-scale"};

}  // namespace

Api row() {
    return {.name = "extendedstatefulset",
            .annotation = "fissile.cloudfoundry.org/stale",
            .pod_annotation = "fissile.cloudfoundry.org/configsha1",
            .kind = "ExtendedStatefulSet",
            .resource = extended_sets,
            .finalizer = finalizer,
            .judged = judged,
            .owns_sets = true,
            .claim_label = "sluice.dev/extendedstatefulset",
            .policies = policies,
            .mutate = mutate,
            .judge = judge,
            .fields = report_fields,
            .actions = [] { return std::span<const Action>{action_table}; },
            .expectations = [] { return std::span<const Expectation>{expectation_table}; },
            .promises = promises,
            .random = &random_part,
            .stories = stories};
}

}  // namespace sluice::sim::extended_stateful_set
