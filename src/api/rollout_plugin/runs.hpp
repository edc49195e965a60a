// The AnalysisRuns of a RolloutPlugin: which of them belong to the rollout that is under way, what
// they have come to, and what must be done about them. One write at a time: a run is made when its
// step is reached, ended when nobody waits for it any more, and deleted when there are more than
// the history keeps.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/analysis/run.hpp"
#include "api/rollout_plugin/spec.hpp"
#include "api/rollout_plugin/status.hpp"
#include "engine/decision.hpp"
#include "engine/memory.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::rollout_plugin {

// A run of the rollout that is under way.
struct KnownRun {
    const model::CustomObject* object = nullptr;
    analysis::RunStatus status;
};
struct Runs {
    std::map<int, KnownRun> steps;  // by their place
    std::optional<KnownRun> background;
};
Runs runs_of(const engine::Snapshot& seen, const model::CustomObject& object,
             const engine::Memory& memory, std::uint64_t list);

// What a run has come to, as a gate at this place.
engine::Analysis gate_of(const KnownRun& run, int place);
RunReport report_of(const KnownRun& run);

// What a rollout looks at now.
struct RunsWanted {
    std::optional<int> step;  // the place of an analysis that must be made
    int reached = 0;  // the place of the step under way, also while it rests for another reason
    bool background = false;
    bool is_open = false;  // no rollout is under way: runs that go on are ended
};
// The rollout that runs are made for.
struct RunsOf {
    const engine::Snapshot& seen;
    const model::CustomObject& object;
    const Spec& spec;
    std::string stable;  // revisions, as arguments name them
    std::string latest;
};
// What is wrong with the analyses of the spec, from the first to the last step; or the templates
// that must be looked at before that is known.
std::optional<FieldErrors> check_calls(engine::Decision& decision, const RunsOf& rollout);

// Adds at most one write, or the templates that must be looked at first. The refusal says why a run
// cannot be made, or that there is no room to read it: then nothing is known of it, and it is left
// alone.
std::optional<engine::Refused> add_run_action(engine::Decision& decision, const RunsOf& rollout,
                                              const engine::Memory& memory, std::uint64_t list,
                                              const RunsWanted& wanted);

}  // namespace sluice::api::rollout_plugin
