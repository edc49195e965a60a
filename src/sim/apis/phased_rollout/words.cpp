// The words about PhasedRollouts: what people do with them.
#include <fmt/format.h>

#include "sim/apis/phased_rollout/api.hpp"
#include "sim/apis/phased_rollout/objects.hpp"
#include "sim/scenario/words.hpp"

namespace sluice::sim::phased_rollout {
namespace {

// phasedrollout NAME target SET, and fields of its spec.
Problem create_rollout(World& world, Words words) {
    RolloutOptions rollout;
    rollout.name = words[0];
    for (std::size_t i = 1; i < words.size(); ++i) {
        const bool flag = words[i] == "skip";
        if (!find_field(fields(), words[i]) || (!flag && i + 1 >= words.size()))
            return fmt::format("a PhasedRollout has no \"{}\"", words[i]);
        const std::string& field = words[i];
        rollout.fields[field] = flag ? "true" : words[++i];
    }
    return problem_of(create(world, rollout));
}

Problem change_rollout(World& world, Words words) {
    if (!find_field(fields(), words[1]))
        return fmt::format("a PhasedRollout has no \"{}\"", words[1]);
    return problem_of(change(world, shop, words[0], words[1], words[2]));
}

// "force": somebody takes the finalizer away first.
Response delete_rollout(World& world, Words words) {
    if (words.size() > 1 && words[1] == "force")
        world.merge(rollouts, shop, words[0], only("/metadata/finalizers", nullptr));
    return world.remove(rollouts, shop, words[0]);
}

constexpr Action action_table[] = {
    {"phasedrollout",
     "NAME target SET [delay 30s] [period 30s] [threshold 3] [tries N] [failures N] [on-failure "
     "Rollback] [deadline TIME] [success-on Data] [expr \"...\"] [url URL] [secret NAME] [skip]",
     3, create_rollout},
    {"change", "NAME FIELD VALUE|none", 3, change_rollout},
    {"annotate phasedrollout", "NAME KEY=VALUE|KEY-", 2,
     [](World& world, Words words) { return annotate(world, rollouts, words); }},
    {"delete phasedrollout", "NAME [force]", 1, delete_rollout},
};

constexpr ReportField report_fields[] = {
    {"step", "/status/rollingPodStatus/status"},  {"pod", "/status/rollout/pod"},
    {"updated", "/status/rollout/step"},          {"failed-revision", "/status/failedRevision"},
    {"completed", "/status/rollout/completedAt"}, {"tries", "/status/check/tries"},
    {"left", "/status/check/triesLeft"},          {"successes", "/status/check/successes"},
    {"failures", "/status/check/failures"},       {"result", "/status/check/lastResult"},
    {"value", "/status/check/lastValue"},
};

}  // namespace

Api row() {
    return {.name = "phasedrollout",
            .annotation = "sts.plus/phasedRollout",
            .kind = "PhasedRollout",
            .resource = rollouts,
            .target = "/spec/targetRef",
            .finalizer = finalizer,
            .fields = report_fields,
            .actions = [] { return std::span<const Action>{action_table}; },
            .promises = promises,
            .random = &random_part,
            .stories = stories};
}

}  // namespace sluice::sim::phased_rollout
