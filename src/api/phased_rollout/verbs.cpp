#include <fmt/format.h>

#include "api/phased_rollout/decide.hpp"
#include "api/phased_rollout/spec.hpp"
#include "api/phased_rollout/status.hpp"

namespace sluice::api::phased_rollout {
namespace {

std::string workload_of(const model::CustomObject& object) {
    return target_of(object).name;
}

constexpr std::string_view names[] = {"phasedrollout"};

bool is_steered(const Steered&) {
    return true;
}

Standing standing(const Steered& steered) {
    const Status status = read_status(steered.object);
    Standing standing = standing_of(status);
    standing.workload = workload_title(workload_of(steered.object));
    if (status.rollout && !status.rollout->step.empty())
        standing.step = status.rollout->step + " pods";
    return standing;
}

std::string tally(const CheckStatus& check, const std::optional<Check>& wanted, Instant now) {
    std::string text =
        wanted ? fmt::format("{} of {} passes in a row", check.successes, wanted->success_threshold)
               : fmt::format("{} passes in a row", check.successes);
    if (check.tries_left)
        text += fmt::format("; {} of at most {} checks used", check.tries,
                            check.tries + *check.tries_left);
    if (!check.last_result.empty()) {
        text += fmt::format("; the last one: {}", check.last_result);
        if (!check.last_value.empty()) text += fmt::format(" ({})", check.last_value);
        if (const std::string ago = ago_text(check.last, now); !ago.empty()) text += ", " + ago;
    }
    if (check.next > now) text += fmt::format("; the next one in {}", age_text(check.next - now));
    return text;
}

// Which answer lets a pod go: what the spec says, or else what the operator was told.
std::string passing_answer(const model::CustomObject& object,
                           const std::optional<CheckStatus>& reported) {
    const auto text = [](bool on_data) { return on_data ? "data" : "no data"; };
    const auto spec = read_spec(object, SuccessOn::NoData);
    const auto otherwise = read_spec(object, SuccessOn::Data);
    const bool is_said =
        spec && otherwise && spec->check.query.success_on == otherwise->check.query.success_on;
    if (is_said) return text(spec->check.query.success_on == SuccessOn::Data);
    if (reported && !reported->success_on.empty()) return text(reported->success_on == "Data");
    return "no data, unless the operator was started with --phasedrollout-success-on=Data";
}

std::vector<Fact> facts(const Steered& steered, Instant now) {
    const Status status = read_status(steered.object);
    const auto spec = read_spec(steered.object);
    std::vector<Fact> facts;
    if (status.rollout && !status.rollout->pod.empty())
        facts.push_back({"next pod", status.rollout->pod});
    if (spec) facts.push_back({"query", spec->check.query.expr});
    if (spec) facts.push_back({"passes on", passing_answer(steered.object, status.check)});
    if (status.check)
        facts.push_back({"checks", tally(*status.check,
                                         spec ? std::optional{spec->check} : std::nullopt, now)});
    if (!status.failed_revision.empty()) facts.push_back({"failed", status.failed_revision});
    if (spec && status.check)
        facts.push_back({"on failure", spec->on_failure == OnFailure::Rollback
                                           ? "the updated pods go back"
                                           : "everything stays, and waits for a person"});
    return facts;
}

Reply promote(const Steered& steered, Instant) {
    const auto& [ns, name] = steered.object.meta.key;
    return decline(
        "{} has no steps to promote: checks let each pod go. To let Kubernetes update all pods "
        "without them: kubectl -n {} patch phasedrollout {} --type merge -p "
        "'{{\"spec\":{{\"skipCheck\":true}}}}'",
        steered.title, ns, name);
}

Reply abort(const Steered& steered, Instant) {
    const auto& [ns, name] = steered.object.meta.key;
    const std::string target = workload_of(steered.object);
    return decline(
        "{} cannot be aborted by a word. Pause holds it here; the old template takes the updated "
        "pods back: kubectl -n {} rollout undo statefulset {}. With onFailure: Rollback in its "
        "spec, a rollout that fails goes back by itself.",
        steered.title, ns, target);
}

}  // namespace

const Dialect dialect{
    "phasedrollout",
    &resource,
    names,
    is_steered,
    workload_of,
    standing,
    facts,
    {promote, promote, annotated::pause_by<standing>, annotated::resume_by<standing>, abort,
     annotated::retry_by<standing>, undo_by<workload_of>}};

}  // namespace sluice::api::phased_rollout
