// What unblocks a RolloutPlugin, by the reason that it waits for.
#pragma once

#include "engine/report.hpp"

namespace sluice::api::rollout_plugin {

// The first is for StatefulSets only.
inline constexpr engine::Command commands[] = {
    {engine::Reason::Paused,
     "sluice resume -n {0} rolloutplugin/{2}, or: kubectl -n {0} patch rolloutplugin {2} --type "
     "merge -p '{{\"spec\":{{\"paused\":false}}}}' and kubectl -n {0} annotate statefulset/{1} "
     "rolloutplugin/{2} sluice.dev/paused-"},
    {engine::Reason::StepPaused,
     "sluice promote -n {0} rolloutplugin/{2}, or: kubectl -n {0} patch rolloutplugin {2} "
     "--subresource status --type merge -p '{{\"status\":{{\"pauseConditions\":null}}}}'"},
    {engine::Reason::Paused,
     "sluice resume -n {0} rolloutplugin/{2}, or: kubectl -n {0} patch rolloutplugin {2} --type "
     "merge -p '{{\"spec\":{{\"paused\":false}}}}' and kubectl -n {0} annotate rolloutplugin/{2} "
     "sluice.dev/paused-"},
    {engine::Reason::PluginWorking,
     "the plugin; look at its log if this lasts. To take it back: sluice abort -n {0} "
     "rolloutplugin/{2}"},
    {engine::Reason::PluginError,
     "the plugin is asked again by itself; docs/plugins.md says what the message means"},
    {engine::Reason::AnalysisRunning,
     "the measurements; to see them: kubectl -n {0} get analysisruns; to skip them: sluice promote "
     "--full -n {0} rolloutplugin/{2}"},
    {engine::Reason::AnalysisRunInconclusive,
     "sluice promote -n {0} rolloutplugin/{2}, or: sluice abort -n {0} rolloutplugin/{2}"},
    {engine::Reason::RolledBack,
     "change the template, or: sluice retry -n {0} rolloutplugin/{2}, or: kubectl -n {0} patch "
     "rolloutplugin {2} --subresource status --type merge -p "
     "'{{\"status\":{{\"restart\":true}}}}'"},
    {engine::Reason::ProgressDeadlineExceeded,
     "repair the pods, and it goes on by itself; to take them back: sluice abort -n {0} "
     "rolloutplugin/{2}"},
    {engine::Reason::InvalidSpec, "kubectl -n {0} edit rolloutplugin {2}"},
    {engine::Reason::TargetMissing,
     "kubectl -n {0} get statefulsets; kubectl -n {0} edit rolloutplugin {2}"},
};

}  // namespace sluice::api::rollout_plugin
