#include "api/rollout_plugin/runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/analysis/compose.hpp"
#include "api/analysis/decide.hpp"
#include "api/analysis/history.hpp"
#include "api/analysis/known.hpp"
#include "api/claims.hpp"
#include "api/rollout_plugin/position.hpp"
#include "api/rollout_plugin/run_object.hpp"

namespace sluice::api::rollout_plugin {
namespace {

using engine::Reason;
using model::CustomObject;
using Verb = engine::Action::Verb;

const model::Resource templates{"argoproj.io", "v1alpha1", "analysistemplates", "AnalysisTemplate"};
const model::Resource cluster_templates{"argoproj.io", "v1alpha1", "clusteranalysistemplates",
                                        "ClusterAnalysisTemplate", true};

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

// Templates that were looked at, read once, and those that were not.
class TemplateCache {
  public:
    explicit TemplateCache(const engine::Snapshot& seen) : seen_(seen) {}

    analysis::FoundTemplate find(const analysis::TemplateRef& ref) {
        const model::Resource* kind = ref.cluster_scope ? &cluster_templates : &templates;
        const model::Ref wanted{kind, ref.cluster_scope ? "" : seen_.subject.ns, ref.name};
        const auto looked = std::ranges::find_if(
            seen_.fetched, [&](const engine::Fetched& one) { return one.ref == wanted; });
        if (looked == seen_.fetched.end()) {
            wants.push_back(wanted);
            return nullptr;
        }
        const auto& object = looked->object;
        if (!object) return nullptr;
        auto found = read_.find({kind, ref.name});
        if (found == read_.end())
            found =
                read_.emplace(std::pair{kind, ref.name}, analysis::read_template(*object)).first;
        if (!found->second) return std::unexpected{found->second.error()};
        return &*found->second;
    }

    std::vector<model::Ref> wants;

  private:
    using Name = std::pair<const model::Resource*, std::string>;
    const engine::Snapshot& seen_;
    std::map<Name, std::expected<analysis::Template, FieldErrors>> read_;
};

// The values of arguments that are about this rollout.
std::expected<std::map<std::string, std::string>, FieldErrors> arguments_of(
    const AnalysisCall& call, const RunsOf& rollout) {
    std::map<std::string, std::string> values;
    FieldErrors faults;
    for (const CallArgument& one : call.args) {
        if (const auto* text = std::get_if<std::string>(&one.value)) {
            values[one.name] = *text;
        } else if (const auto* revision = std::get_if<RevisionOf>(&one.value)) {
            values[one.name] = *revision == RevisionOf::Stable ? rollout.stable : rollout.latest;
        } else {
            const auto& path = std::get<analysis::FieldPath>(one.value).path;
            const auto value = analysis::field_value(rollout.object, path);
            if (value)
                values[one.name] = *value;
            else
                faults.push_back({fmt::format("args.{}", one.name), value.error().message});
        }
    }
    if (!faults.empty()) return std::unexpected{std::move(faults)};
    return values;
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

// The run that a call asks for. Where templates were not looked at yet they are wanted, and
// nothing is known.
std::expected<analysis::RunSpec, FieldErrors> composed(TemplateCache& templates_seen,
                                                       const RunsOf& rollout,
                                                       const AnalysisCall& call, bool is_step) {
    auto values = arguments_of(call, rollout);
    if (!values) return std::unexpected{std::move(values.error())};
    const analysis::TemplateUse use{call.templates, std::move(*values), call.dry_run,
                                    call.retention};
    const auto spec = analysis::compose(
        use, [&](const analysis::TemplateRef& ref) { return templates_seen.find(ref); },
        [&](std::string_view path) { return analysis::field_value(rollout.object, path); });
    if (!spec || !templates_seen.wants.empty()) return spec;
    const auto metrics = analysis::known_metrics(*spec);
    if (!metrics) return std::unexpected{metrics.error()};
    const analysis::KnownMetric* endless = analysis::endless(*metrics);
    if (is_step && endless)
        return std::unexpected{
            FieldErrors{{fmt::format("metrics.{}.count", endless->name),
                         "must be given: a step waits for its analysis to end"}}};
    return spec;
}

// Its namespace takes too much memory: nothing is kept of it but whose it is.
bool has_no_room(const CustomObject& run) {
    return run.spec.empty() && run.status.empty();
}

std::optional<engine::Refused> make_run(engine::Decision& decision, const RunsOf& rollout,
                                        const AnalysisCall& call, std::optional<int> step,
                                        const std::string& occasion) {
    const RunPurpose purpose = purpose_of(rollout, call, step, occasion);
    const std::string name = run_name(purpose);
    const bool is_unread = std::ranges::any_of(rollout.seen.owned, [&](const CustomObject& run) {
        return run.meta.key.name == name && has_no_room(run);
    });
    if (is_unread)
        return engine::Refused{
            Reason::TooManyBytes,
            fmt::format("There is no room to read AnalysisRun {}: the objects of namespace {} take "
                        "more of Sluice's memory than a namespace may.",
                        name, purpose.ns)};
    TemplateCache templates_seen{rollout.seen};
    const auto spec = composed(templates_seen, rollout, call, step.has_value());
    if (!templates_seen.wants.empty()) {
        decision.rests_on = std::move(templates_seen.wants);
        return std::nullopt;
    }
    if (!spec) return engine::Refused{Reason::InvalidSpec, to_text(spec.error())};
    add_write(decision, {.verb = Verb::Create,
                         .object = {{&analysis::resource, purpose.ns, name}, {}},
                         .body = run_body(purpose, *spec)});
    return std::nullopt;
}

bool is_going_on(const CustomObject& run) {
    return !run.meta.deleting && !analysis::is_over(analysis::read_run_status(run).phase);
}

void end_run(engine::Decision& decision, const CustomObject& run) {
    const auto spec = analysis::read_run_spec(run);
    if (spec && spec->terminate) return;
    add_write(decision, write_to(subject_of(analysis::resource, run), false,
                                 R"([{"op":"add","path":"/spec/terminate","value":true}])"));
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
    using State = engine::Analysis::State;
    struct Row {
        analysis::Phase phase;
        State state;
        Reason reason;
        const char* what;
    };
    static constexpr Row rows[] = {
        {analysis::Phase::Pending, State::Running, Reason::AnalysisRunning, "is under way"},
        {analysis::Phase::Running, State::Running, Reason::AnalysisRunning, "is under way"},
        {analysis::Phase::Successful, State::Good, Reason::AnalysisRunSuccessful, "ended well"},
        {analysis::Phase::Failed, State::Bad, Reason::AnalysisRunFailed, "failed"},
        {analysis::Phase::Error, State::Bad, Reason::AnalysisRunError, "could not be made"},
        {analysis::Phase::Inconclusive, State::Unclear, Reason::AnalysisRunInconclusive,
         "is inconclusive"},
    };
    const Row& row = rows[static_cast<std::size_t>(run.status.phase)];
    const std::string& why = run.status.message;
    return {.place = place,
            .state = row.state,
            .reason = row.reason,
            .message = fmt::format("AnalysisRun {} {}{}{}", run.object->meta.key.name, row.what,
                                   why.empty() || row.state == State::Running ? "." : ": ",
                                   row.state == State::Running ? "" : why)};
}

RunReport report_of(const KnownRun& run) {
    return {run.object->meta.key.name, std::string{analysis::to_text(run.status.phase)},
            run.status.message};
}

std::optional<FieldErrors> check_calls(engine::Decision& decision, const RunsOf& rollout) {
    const Spec& spec = rollout.spec;
    TemplateCache templates_seen{rollout.seen};
    std::optional<FieldErrors> faults;
    const auto check = [&](const AnalysisCall& call, bool is_step) {
        const auto run = composed(templates_seen, rollout, call, is_step);
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
    std::vector<analysis::FinishedRun> finished;
    for (const CustomObject& run : seen.owned) {
        if (run.owner_uid != object.meta.uid || has_no_room(run)) continue;
        const bool is_of_now = wanted.is_open && annotation_of(run, rollout_note) == occasion;
        const std::string& step = annotation_of(run, step_note);
        const bool is_waited_for =
            is_of_now && (step == in_background || step == step_text(wanted.reached));
        if (is_going_on(run) && !is_waited_for) end_run(decision, run);
        if (!decision.actions.empty()) return std::nullopt;
        finished.push_back(analysis::to_finished(run, is_of_now));
    }
    const auto gone = analysis::superfluous(std::move(finished), spec.history.successful,
                                            spec.history.unsuccessful);
    if (!gone.empty())
        add_write(decision,
                  engine::deletion_of({{&analysis::resource, object.meta.key.ns, gone.front().name},
                                       gone.front().uid}));
    return std::nullopt;
}

}  // namespace sluice::api::rollout_plugin
