#include "sim/apis/registry.hpp"

#include "sim/apis/analysis/api.hpp"
#include "sim/apis/phased_rollout/api.hpp"
#include "sim/apis/pilot/api.hpp"
#include "sim/apis/rollout_plugin/api.hpp"

namespace sluice::sim {
namespace {

const Api table[] = {
    {.name = "pilot",
     .label = {"dd-statefulset-pilot", "hook", "careful"},
     .reports_on_set = true,
     .actions = pilot::actions,
     .expectations = pilot::expectations,
     .promises = pilot::promises,
     .random = &pilot::random_part,
     .stories = pilot::stories},
    {.name = "phasedrollout",
     .annotation = "sts.plus/phasedRollout",
     .kind = "PhasedRollout",
     .resource = "phasedrollouts.sts.plus",
     .target = "/spec/targetRef",
     .finalizer = "sts.plus/finalizer",
     .fields = phased_rollout::report_fields,
     .actions = phased_rollout::actions,
     .promises = phased_rollout::promises,
     .random = &phased_rollout::random_part,
     .stories = phased_rollout::stories},
    {.name = "rolloutplugin",
     .kind = "RolloutPlugin",
     .resource = "rolloutplugins.argoproj.io",
     .target = "/spec/workloadRef/name",
     .own_fields = rollout_plugin::own_fields,
     .judged = rollout_plugin::judged,
     .lets_many_go = true,
     .fields = rollout_plugin::report_fields,
     .actions = rollout_plugin::actions,
     .expectations = rollout_plugin::expectations,
     .promises = rollout_plugin::promises,
     .random = &rollout_plugin::random_part,
     .stories = rollout_plugin::stories},
    {.name = "analysisrun",
     .judged = analysis::judged,
     .actions = analysis::actions,
     .expectations = analysis::expectations,
     .promises = analysis::promises},
};

}  // namespace

std::span<const Api> apis() {
    return table;
}

const Api* api_of_claim(std::string_view claim) {
    for (const Api& api : table) {
        const bool steers_sets = !api.label.key.empty() || !api.target.empty();
        if (steers_sets && api.name == claim.substr(0, claim.find('/'))) return &api;
    }
    return nullptr;
}

}  // namespace sluice::sim
