// The words about StatefulClusters: what people and bad luck do with them, and what is to be seen.
#include <fmt/format.h>

#include "sim/api/state.hpp"
#include "sim/apis/stateful_cluster/api.hpp"
#include "sim/apis/stateful_cluster/objects.hpp"
#include "sim/promises/history.hpp"

namespace sluice::sim::stateful_cluster {
namespace {

// NAME, and fields of its spec.
Problem create_cluster(World& world, Words words) {
    FieldTexts wanted;
    for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
        if (words[i] == "claim") continue;
        if (!find_field(fields(), words[i]))
            return fmt::format("a StatefulCluster has no \"{}\"", words[i]);
        wanted[words[i]] = words[i + 1];
    }
    return problem_of(create(world, words[0], wanted, option(words, "claim", "")));
}

Problem change_cluster(World& world, Words words) {
    if (!find_field(fields(), words[1]))
        return fmt::format("a StatefulCluster has no \"{}\"", words[1]);
    return problem_of(
        world.merge(clusters, shop, words[0], field_patch(fields(), words[1], words[2])));
}

Response set_image(World& world, Words words) {
    return roll_out(world, words[0], words[1], option(words, "behaves", ""));
}

Response scale(World& world, Words words) {
    return world.merge(clusters, shop, words[0], only("/spec/replicas", number(words[1])), "scale");
}

Response delete_cluster(World& world, Words words) {
    Deletion how;
    if (words.size() > 1 && words[1] == "orphan") how.propagation = "Orphan";
    return world.remove(clusters, shop, words[0], how);
}

// The pod of a member, counted from the oldest; null: there are not so many.
ObjectPtr pod_at(const World& world, Words words) {
    const auto pods = pods_of(world.cluster.api(), shop, words[0]);
    const auto index = static_cast<std::size_t>(number(words[1]));
    return index < pods.size() ? pods[index] : nullptr;
}

Problem behave(World& world, Words words) {
    const ObjectPtr pod = pod_at(world, words);
    if (!pod) return std::nullopt;  // of a run that was disturbed
    return problem_of(world.annotate("pods", shop, name_in(pod->object()), behaviour_annotation,
                                     words[2] == "well" ? "" : words[2]));
}

Problem delete_member(World& world, Words words) {
    const ObjectPtr pod = pod_at(world, words);
    return pod ? problem_of(world.remove("pods", shop, name_in(pod->object()))) : std::nullopt;
}

Problem pick_member(World& world, Words words) {
    const ObjectPtr pod = pod_at(world, words);
    return pod ? problem_of(world.annotate("pods", shop, name_in(pod->object()),
                                           "sluice.dev/goes-first", "true"))
               : std::nullopt;
}

// The volumes of a member, as if their disk had died.
Problem lose_volumes(World& world, Words words) {
    const ObjectPtr pod = pod_at(world, words);
    if (!pod) return std::nullopt;
    for (const std::string& name : claims_in(pod->object()))
        if (const ObjectPtr claim = world.cluster.api().find(claims, shop, name))
            world.remove("persistentvolumes", "", text_at(claim->object(), "/spec/volumeName"));
    return std::nullopt;
}

constexpr Action action_table[] = {
    {"statefulcluster",
     "NAME [replicas N] [image IMAGE] [claim NAME] [policy Parallel] [service NAME] [strategy "
     "OnDelete] [partition N] [max-unavailable N] [claim-policy New] [in-place Only] [when-deleted "
     "Delete] "
     "[when-scaled Delete] [when-failed Delete] [tolerance TIME] [startup TIME] [min-ready TIME] "
     "[history N] [behaves HOW], and gates",
     1, create_cluster},
    {"change statefulcluster", "NAME FIELD VALUE|none", 3, change_cluster},
    {"set statefulcluster image", "NAME IMAGE [behaves HOW]", 2, set_image},
    {"scale statefulcluster", "NAME NUMBER", 2, scale},
    {"annotate statefulcluster", "NAME KEY=VALUE|KEY-", 2,
     [](World& world, Words words) { return annotate(world, clusters, words); }},
    {"delete statefulcluster", "NAME [orphan]", 1, delete_cluster},
    {"wipe statefulcluster", "NAME, its status", 1,
     [](World& world, Words words) {
         return world.merge(clusters, shop, words[0], only("/status", nullptr), "status");
     }},
    {"delete node", "NAME", 1,
     [](World& world, Words words) { return world.remove("nodes", "", words[0]); }},
    {"member", "NAME NUMBER unready|crash|fail|well, counted from the oldest", 3, behave},
    {"delete member", "NAME NUMBER, counted from the oldest", 2, delete_member},
    {"lose volumes of member", "NAME NUMBER, counted from the oldest", 2, lose_volumes},
    {"pick member", "NAME NUMBER, to go first; counted from the oldest", 2, pick_member},
};

constexpr Expectation expectation_table[] = {
    {"members", "NAME TAG... in their places; ! is not ready, - is not there", 1, true,
     [](const World& world, Words words) {
         return unless_same(joined(words.subspan(1)), members_text(world.cluster.api(), words[0]));
     }},
    {"pods of", "NAME NUMBER", 2, true,
     [](const World& world, Words words) {
         return unless_same(words[1],
                            std::to_string(pods_of(world.cluster.api(), shop, words[0]).size()));
     }},
    {"claims of", "NAME NUMBER", 2, true,
     [](const World& world, Words words) {
         const auto all = world.cluster.api().list(claims, shop);
         const auto count = std::ranges::count_if(all, [&](const ObjectPtr& one) {
             return text_at(one->object(), cluster_label_at) == words[0];
         });
         return unless_same(words[1], std::to_string(count));
     }},
    {"revisions of", "NAME NUMBER", 2, true,
     [](const World& world, Words words) {
         const auto all = world.cluster.api().list(revisions, shop);
         const auto count = std::ranges::count_if(all, [&](const ObjectPtr& one) {
             return text_at(one->object(), cluster_label_at) == words[0];
         });
         return unless_same(words[1], std::to_string(count));
     }},
};

constexpr ReportField report_fields[] = {
    {"ready", "/status/readyReplicas"},
    {"available", "/status/availableReplicas"},
    {"updated-members", "/status/updatedReplicas"},
    {"exposed", "/status/exposed"},
    {"passes", "/status/check/successes"},
};

constexpr std::string_view judged[] = {"pods", claims, revisions};

}  // namespace

Api row() {
    return {.name = "statefulcluster",
            .kind = "StatefulCluster",
            .resource = clusters,
            .finalizer = "sluice.dev/claims",
            .judged = judged,
            .fields = report_fields,
            .actions = [] { return std::span<const Action>{action_table}; },
            .expectations = [] { return std::span<const Expectation>{expectation_table}; },
            .promises = promises,
            .random = &random_part,
            .stories = stories};
}

}  // namespace sluice::sim::stateful_cluster
