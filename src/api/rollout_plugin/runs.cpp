#include "api/rollout_plugin/runs.hpp"

#include <fmt/format.h>

#include "api/analysis/runs.hpp"
#include "api/claims.hpp"
#include "api/rollout_plugin/position.hpp"
#include "api/rollout_plugin/run_object.hpp"

namespace sluice::api::rollout_plugin {
namespace {

using model::CustomObject;

const std::string rollout_note{made_for};
const std::string step_note{made_for_step};
constexpr const char* in_background = "background";

std::string rollout_text(const engine::Memory& memory, std::uint64_t list) {
    return fmt::format("{} {} {} {}", memory.uid, memory.id, to_rfc3339(memory.started),
                       definition_text(list));
}

std::string step_text(std::optional<int> step) {
    return step ? std::to_string(*step) : in_background;
}

// Seen from an older rollout than the one that is under way, a run seems to be nobody's: so the
// rollout is looked at before anything is done about runs.
void add_write(engine::Decision& decision, engine::Action write) {
    decision.actions.push_back(std::move(write));
    decision.needs_live = true;
}

RunPurpose purpose_of(const RunsOf& rollout, const AnalysisCall& call, std::optional<int> step,
                      const std::string& occasion) {
    const model::ObjectMeta& meta = rollout.object.meta;
    RunPurpose purpose{.ns = meta.key.ns,
                       .rollout = meta.key.name,
                       .rollout_uid = meta.uid,
                       .revision = rollout.latest,
                       .step = step,
                       .occasion = occasion,
                       .labels = call.labels,
                       .annotations = call.annotations};
    purpose.annotations[rollout_note] = occasion;
    purpose.annotations[step_note] = step_text(step);
    return purpose;
}

analysis::RunsFor whom(const RunsOf& rollout) {
    return {rollout.seen, rollout.object, rollout.stable, rollout.latest};
}

std::optional<engine::Refused> make_run(engine::Decision& decision, const RunsOf& rollout,
                                        const AnalysisCall& call, std::optional<int> step,
                                        const std::string& occasion) {
    const RunPurpose purpose = purpose_of(rollout, call, step, occasion);
    analysis::Making made =
        analysis::make_run(whom(rollout), call, step.has_value(), run_name(purpose),
                           [&](const analysis::RunSpec& spec) { return run_body(purpose, spec); });
    if (auto* refused = std::get_if<engine::Refused>(&made)) return std::move(*refused);
    if (auto* wants = std::get_if<std::vector<model::Ref>>(&made))
        decision.rests_on = std::move(*wants);
    else
        add_write(decision, std::move(std::get<engine::Action>(made)));
    return std::nullopt;
}

}  // namespace

Runs runs_of(const engine::Snapshot& seen, const CustomObject& object, const engine::Memory& memory,
             std::uint64_t list) {
    const std::string rollout = rollout_text(memory, list);
    Runs runs;
    for (const CustomObject& run : seen.owned) {
        const bool is_ours = run.owner_uid == object.meta.uid && !run.meta.deleting &&
                             annotation_of(run, rollout_note) == rollout;
        if (!is_ours) continue;
        const std::string& step = annotation_of(run, step_note);
        KnownRun known{&run, analysis::read_run_status(run)};
        if (step == in_background)
            runs.background = std::move(known);
        else if (step.size() <= 3 && step.find_first_not_of("0123456789") == std::string::npos)
            runs.steps.insert_or_assign(std::stoi("0" + step), std::move(known));
    }
    return runs;
}

engine::Analysis gate_of(const KnownRun& run, int place) {
    return analysis::gate_of(run.object->meta.key.name, run.status.phase, run.status.message,
                             place);
}

RunReport report_of(const KnownRun& run) {
    return {run.object->meta.key.name, std::string{analysis::to_text(run.status.phase)},
            run.status.message};
}

std::optional<FieldErrors> check_calls(engine::Decision& decision, const RunsOf& rollout) {
    const Spec& spec = rollout.spec;
    analysis::TemplateCache templates_seen{rollout.seen};
    std::optional<FieldErrors> faults;
    const auto check = [&](const AnalysisCall& call, bool is_step) {
        const auto run = analysis::composed(templates_seen, whom(rollout), call, is_step);
        if (!run && !faults) faults = run.error();
    };
    if (spec.background) check(spec.background->call, false);
    for (const auto& step : spec.steps)
        if (const auto* call = std::get_if<AnalysisCall>(&step)) check(*call, true);
    if (templates_seen.wants.empty()) return faults;
    for (model::Ref& one : templates_seen.wants)
        decision.rests_on.push_back(std::move(one));
    return std::nullopt;
}

std::optional<engine::Refused> add_run_action(engine::Decision& decision, const RunsOf& rollout,
                                              const engine::Memory& memory, std::uint64_t list,
                                              const RunsWanted& wanted) {
    const auto& [seen, object, spec, stable, latest] = rollout;
    const Runs runs = runs_of(seen, object, memory, list);
    const std::string occasion = rollout_text(memory, list);
    if (wanted.background && spec.background && !runs.background)
        return make_run(decision, rollout, spec.background->call, std::nullopt, occasion);
    if (wanted.step && !runs.steps.contains(*wanted.step)) {
        const auto& step = spec.steps[static_cast<std::size_t>(*wanted.step)];
        return make_run(decision, rollout, std::get<AnalysisCall>(step), wanted.step, occasion);
    }
    const auto use_of = [&](const CustomObject& run) -> analysis::RunUse {
        const bool is_of_now = wanted.is_open && annotation_of(run, rollout_note) == occasion;
        const std::string& step = annotation_of(run, step_note);
        return {is_of_now,
                is_of_now && (step == in_background || step == step_text(wanted.reached))};
    };
    if (auto write = analysis::tending_of(seen, object, spec.history, use_of))
        add_write(decision, std::move(*write));
    return std::nullopt;
}

}  // namespace sluice::api::rollout_plugin
