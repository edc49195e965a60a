// The row of RolloutPlugin, which goes through weights, pauses and analyses, by itself or through a
// plugin outside of the operator: what the registry needs of this folder.
#pragma once

#include "sim/apis/registry.hpp"

namespace sluice::sim::rollout_plugin {

// A word for once, which is taken away when it was acted on; and the end of a pause by a full
// promotion.
inline constexpr std::string_view own_fields[] = {"/spec/restartAt", "/spec/paused"};

// Runs that it has made.
inline constexpr std::string_view judged[] = {"analysisruns.argoproj.io"};

inline constexpr ReportField report_fields[] = {
    {"index", "/status/currentStepIndex"},
    {"weight", "/status/rollout/weight"},
    {"aborted", "/status/aborted"},
    {"restarts", "/status/restartCount"},
    {"replicas", "/status/replicas"},
    {"updated-replicas", "/status/updatedReplicas"},
    {"commanded-abort", "/status/abort"},
    {"commanded-promotion", "/status/promoteFull"},
    {"promotion-seen", "/status/promoteFullGeneration"},
    {"commanded-restart", "/status/restart"},
    {"restart-at", "/spec/restartAt"},
    {"held", "/spec/paused"},
};

std::span<const Action> actions();
std::span<const Expectation> expectations();
std::vector<std::unique_ptr<Observer>> promises(const Inspection& inspection);
extern const RandomPart random_part;
std::span<const demo::Story> stories();

}  // namespace sluice::sim::rollout_plugin
