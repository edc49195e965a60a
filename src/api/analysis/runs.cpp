#include "api/analysis/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/analysis/decide.hpp"
#include "api/analysis/known.hpp"
#include "api/analysis/substitute.hpp"
#include "api/claims.hpp"

namespace sluice::api::analysis {
namespace {

namespace json = boost::json;
using engine::Reason;
using model::CustomObject;

const model::Resource templates{"argoproj.io", "v1alpha1", "analysistemplates", "AnalysisTemplate"};
const model::Resource cluster_templates{"argoproj.io", "v1alpha1", "clusteranalysistemplates",
                                        "ClusterAnalysisTemplate", true};

// The values of arguments that are about what is under way.
std::expected<std::map<std::string, std::string>, FieldErrors> arguments_of(
    const AnalysisCall& call, const RunsFor& whom) {
    std::map<std::string, std::string> values;
    FieldErrors faults;
    for (const CallArgument& one : call.args) {
        if (const auto* text = std::get_if<std::string>(&one.value)) {
            values[one.name] = *text;
        } else if (const auto* revision = std::get_if<RevisionOf>(&one.value)) {
            values[one.name] = *revision == RevisionOf::Stable ? whom.stable : whom.latest;
        } else {
            const auto& path = std::get<FieldPath>(one.value).path;
            const auto value = field_value(whom.object, path);
            if (value)
                values[one.name] = *value;
            else
                faults.push_back({fmt::format("args.{}", one.name), value.error().message});
        }
    }
    if (!faults.empty()) return std::unexpected{std::move(faults)};
    return values;
}

bool is_going_on(const CustomObject& run) {
    return !run.meta.deleting && !is_over(read_run_status(run).phase);
}

bool is_ended(const CustomObject& run) {
    const auto spec = read_run_spec(run);
    return spec && spec->terminate;
}

}  // namespace

FoundTemplate TemplateCache::find(const TemplateRef& ref) {
    const model::Resource* kind = ref.cluster_scope ? &cluster_templates : &templates;
    const model::Ref wanted{kind, ref.cluster_scope ? "" : seen_.subject.ns, ref.name};
    const engine::Fetched* looked = seen_.fetched_as(wanted);
    if (!looked) {
        wants.push_back(wanted);
        return nullptr;
    }
    if (looked->refusal)
        return std::unexpected{FieldErrors{{"cannot be read", looked->refusal->why}}};
    if (!looked->object) return nullptr;
    auto found = read_.find({kind, ref.name});
    if (found == read_.end())
        found = read_.emplace(std::pair{kind, ref.name}, read_template(*looked->object)).first;
    if (!found->second) return std::unexpected{found->second.error()};
    return &*found->second;
}

std::expected<RunSpec, FieldErrors> composed(TemplateCache& templates_seen, const RunsFor& whom,
                                             const AnalysisCall& call, bool is_waited_for) {
    auto values = arguments_of(call, whom);
    if (!values) return std::unexpected{std::move(values.error())};
    const TemplateUse use{call.templates, std::move(*values), call.dry_run, call.retention};
    const auto spec = compose(
        use, [&](const TemplateRef& ref) { return templates_seen.find(ref); },
        [&](std::string_view path) { return field_value(whom.object, path); });
    if (!spec || !templates_seen.wants.empty()) return spec;
    const auto metrics = known_metrics(*spec);
    if (!metrics) return std::unexpected{metrics.error()};
    const KnownMetric* unending = endless(*metrics);
    if (is_waited_for && unending)
        return std::unexpected{
            FieldErrors{{fmt::format("metrics.{}.count", unending->name),
                         "must be given: a step waits for its analysis to end"}}};
    return spec;
}

std::string run_body(RunFrame frame, const RunSpec& spec) {
    const std::string kind = model::api_version(*frame.owner_kind);
    json::object metadata{
        {"name", frame.name},
        {"namespace", frame.ns},
        {"labels", std::move(frame.labels)},
        {"ownerReferences", json::array{json::object{{"apiVersion", kind},
                                                     {"kind", frame.owner_kind->kind},
                                                     {"name", frame.owner},
                                                     {"uid", frame.owner_uid},
                                                     {"controller", true}}}}};
    if (!frame.annotations.empty())
        metadata["annotations"] = json::value_from(frame.annotations).as_object();
    return json::serialize(json::object{{"apiVersion", model::api_version(resource)},
                                        {"kind", resource.kind},
                                        {"metadata", std::move(metadata)},
                                        {"spec", json::parse(write_run_spec(spec))}});
}

Making make_run(const RunsFor& whom, const AnalysisCall& call, bool is_waited_for,
                const std::string& name, const BodyOf& body) {
    const std::string& ns = whom.object.meta.key.ns;
    const bool is_unread = std::ranges::any_of(whom.seen.owned, [&](const CustomObject& run) {
        return run.meta.key.name == name && has_no_room(run);
    });
    if (is_unread)
        return engine::Refused{
            Reason::TooManyBytes,
            fmt::format("There is no room to read AnalysisRun {}: the objects of namespace {} take "
                        "more of Sluice's memory than a namespace may.",
                        name, ns)};
    TemplateCache templates_seen{whom.seen};
    const auto spec = composed(templates_seen, whom, call, is_waited_for);
    if (!templates_seen.wants.empty()) return std::move(templates_seen.wants);
    if (!spec) return engine::Refused{Reason::InvalidSpec, to_text(spec.error())};
    return engine::creation_of({&resource, ns, name}, body(*spec));
}

bool has_no_room(const CustomObject& run) {
    return run.spec.empty() && run.status.empty();
}

engine::Analysis gate_of(std::string_view run, Phase phase, std::string_view why, int place) {
    using State = engine::Analysis::State;
    struct Row {
        Phase phase;
        State state;
        Reason reason;
        const char* what;
    };
    static constexpr Row outcomes[] = {
        {Phase::Pending, State::Running, Reason::AnalysisRunning, "is under way"},
        {Phase::Running, State::Running, Reason::AnalysisRunning, "is under way"},
        {Phase::Successful, State::Good, Reason::AnalysisRunSuccessful, "ended well"},
        {Phase::Failed, State::Bad, Reason::AnalysisRunFailed, "failed"},
        {Phase::Error, State::Bad, Reason::AnalysisRunError, "could not be made"},
        {Phase::Inconclusive, State::Unclear, Reason::AnalysisRunInconclusive, "is inconclusive"},
    };
    const Row& row = outcomes[static_cast<std::size_t>(phase)];
    const bool says_why = !why.empty() && row.state != State::Running;
    return {.place = place,
            .state = row.state,
            .reason = row.reason,
            .message = fmt::format("AnalysisRun {} {}{}{}", run, row.what, says_why ? ": " : ".",
                                   says_why ? why : "")};
}

std::optional<engine::Action> tending_of(const engine::Snapshot& seen, const CustomObject& owner,
                                         const HistoryLimits& limits,
                                         const std::function<RunUse(const CustomObject&)>& use_of) {
    std::vector<FinishedRun> finished;
    for (const CustomObject& run : seen.owned) {
        if (run.owner_uid != owner.meta.uid || has_no_room(run)) continue;
        const RunUse use = use_of(run);
        if (is_going_on(run) && !use.is_waited_for && !is_ended(run))
            return write_to(subject_of(resource, run), false,
                            R"([{"op":"add","path":"/spec/terminate","value":true}])");
        finished.push_back(to_finished(run, use.is_of_now));
    }
    const auto gone = superfluous(std::move(finished), limits.successful, limits.unsuccessful);
    if (gone.empty()) return std::nullopt;
    return engine::deletion_of(
        {{&resource, owner.meta.key.ns, gone.front().name}, gone.front().uid});
}

}  // namespace sluice::api::analysis
