#include "api/phased_rollout/status.hpp"

#include "api/status_parts.hpp"

namespace sluice::api::phased_rollout {
namespace {

// A bound of deploy/crds/phasedrollouts.sts.plus.yaml.
constexpr std::size_t value_max = 256;

constexpr auto rollout_fields = [](auto& json, auto& rollout) {
    json.always("id", rollout.id)
        .field("workloadUID", rollout.workload_uid, word_max)
        .field("revision", rollout.revision, name_max)
        .field("previousRevision", rollout.previous_revision, name_max)
        .field("pod", rollout.pod, name_max)
        .field("step", rollout.step, short_max)
        .always("updatedPods", rollout.updated_pods)
        .always("pods", rollout.pods)
        .field("startedAt", rollout.started)
        .field("stepStartedAt", rollout.step_started)
        .field("completedAt", rollout.completed)
        .field("partition", rollout.partition);
};

constexpr auto check_fields = [](auto& json, auto& check) {
    json.field("definition", check.definition, word_max)
        .field("successOn", check.success_on, short_max)
        .field("startsAt", check.starts)
        .always("tries", check.tries)
        .always("successes", check.successes)
        .always("failures", check.failures)
        .field("lastResult", check.last_result, short_max)
        .field("lastValue", check.last_value, value_max)
        .field("lastTime", check.last)
        .field("nextTime", check.next)
        .field("triesLeft", check.tries_left);
};

constexpr auto rolling_pod_fields = [](auto& json, auto& step) {
    json.field("status", step.status, word_max)
        .always("partition", step.partition)
        .field("analisysStartTime", step.analysis_started)
        .field("lastCheckTime", step.last_check)
        .always("consecutiveSuccessfulChecks", step.successes_in_a_row)
        .always("consecutiveFailedChecks", step.failures_in_a_row)
        .always("totalFailedChecks", step.failures);
};

constexpr auto status_fields = [](auto& json, auto& status) {
    head_fields(json, status);
    json.field("failedRevision", status.failed_revision, name_max)
        .field("retry", status.retry, value_max)
        .field("updateRevision", status.update_revision, name_max)
        .field("rolloutStartTime", status.rollout_start)
        .field("rolloutEndTime", status.rollout_end)
        .part("rollout", status.rollout, rollout_fields)
        .part("check", status.check, check_fields)
        .part("rollingPodStatus", status.rolling_pod, rolling_pod_fields)
        .entries("conditions", status.conditions, conditions_max, condition_fields);
};

}  // namespace

Status read_status(const model::CustomObject& object) {
    return read_json<Status>(object.status, status_fields);
}

std::string write_status(const Status& status) {
    return write_json(status, status_fields);
}

std::vector<Condition> with_condition(std::vector<Condition> conditions, Condition condition) {
    return with_newer(std::move(conditions), std::move(condition));
}

}  // namespace sluice::api::phased_rollout
