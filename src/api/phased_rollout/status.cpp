#include "api/phased_rollout/status.hpp"

#include "api/status_parts.hpp"

namespace sluice::api::phased_rollout {
namespace {

namespace json = boost::json;

// A bound of deploy/crds/phasedrollouts.sts.plus.yaml.
constexpr std::size_t value_max = 256;

json::object written(const RolloutStatus& rollout) {
    JsonWriter writer;
    writer.number("id", rollout.id)
        .text("workloadUID", rollout.workload_uid, word_max)
        .text("revision", rollout.revision, name_max)
        .text("previousRevision", rollout.previous_revision, name_max)
        .text("pod", rollout.pod, name_max)
        .text("step", rollout.step, short_max)
        .number("updatedPods", rollout.updated_pods.value)
        .number("pods", rollout.pods.value)
        .time("startedAt", rollout.started)
        .time("stepStartedAt", rollout.step_started)
        .time("completedAt", rollout.completed);
    if (rollout.partition) writer.number("partition", rollout.partition->value);
    return writer.take();
}

json::object written(const CheckStatus& check) {
    JsonWriter writer;
    writer.text("definition", check.definition, word_max)
        .text("successOn", check.success_on, short_max)
        .time("startsAt", check.starts)
        .number("tries", check.tries)
        .number("successes", check.successes)
        .number("failures", check.failures)
        .text("lastResult", check.last_result, short_max)
        .text("lastValue", check.last_value, value_max)
        .time("lastTime", check.last)
        .time("nextTime", check.next);
    if (check.tries_left) writer.number("triesLeft", *check.tries_left);
    return writer.take();
}

json::object written(const RollingPodStatus& step) {
    return JsonWriter{}
        .text("status", step.status, word_max)
        .number("partition", step.partition.value)
        .time("analisysStartTime", step.analysis_started)
        .time("lastCheckTime", step.last_check)
        .number("consecutiveSuccessfulChecks", step.successes_in_a_row)
        .number("consecutiveFailedChecks", step.failures_in_a_row)
        .number("totalFailedChecks", step.failures)
        .take();
}

json::object written(const Condition& condition) {
    return JsonWriter{}
        .text("type", condition.type, word_max)
        .text("status", condition.status, short_max)
        .text("reason", condition.reason, word_max)
        .part("message", json::value(cut(condition.message, sentence_max)))
        .number("observedGeneration", condition.observed_generation)
        .part("lastTransitionTime", json::value(to_rfc3339(condition.since)))
        .take();
}

std::optional<RolloutStatus> read_rollout(const JsonReader& reader) {
    if (!reader) return std::nullopt;
    RolloutStatus rollout;
    rollout.id = reader.number<std::int64_t>("id").value_or(0);
    rollout.workload_uid = reader.text("workloadUID");
    rollout.revision = reader.text("revision");
    rollout.previous_revision = reader.text("previousRevision");
    if (const auto partition = reader.number("partition"))
        rollout.partition = Partition{*partition};
    rollout.pod = reader.text("pod");
    rollout.step = reader.text("step");
    rollout.updated_pods = PodCount{reader.count("updatedPods")};
    rollout.pods = PodCount{reader.count("pods")};
    rollout.started = reader.time("startedAt");
    rollout.step_started = reader.time("stepStartedAt");
    rollout.completed = reader.time("completedAt");
    return rollout;
}

std::optional<CheckStatus> read_check(const JsonReader& reader) {
    if (!reader) return std::nullopt;
    CheckStatus check;
    check.definition = reader.text("definition");
    check.success_on = reader.text("successOn");
    check.starts = reader.time("startsAt");
    check.tries = reader.count("tries");
    check.tries_left = reader.number("triesLeft");
    check.successes = reader.count("successes");
    check.failures = reader.count("failures");
    check.last_result = reader.text("lastResult");
    check.last_value = reader.text("lastValue");
    check.last = reader.time("lastTime");
    check.next = reader.time("nextTime");
    return check;
}

std::optional<RollingPodStatus> read_rolling_pod(const JsonReader& reader) {
    if (!reader) return std::nullopt;
    RollingPodStatus step;
    step.status = reader.text("status");
    step.partition = Partition{reader.count("partition")};
    step.analysis_started = reader.time("analisysStartTime");
    step.last_check = reader.time("lastCheckTime");
    step.successes_in_a_row = reader.count("consecutiveSuccessfulChecks");
    step.failures_in_a_row = reader.count("consecutiveFailedChecks");
    step.failures = reader.count("totalFailedChecks");
    return step;
}

std::optional<Condition> read_condition(const JsonReader& reader) {
    if (reader.text("type").empty()) return std::nullopt;
    return Condition{reader.text("type"),
                     reader.text("status"),
                     reader.text("reason"),
                     reader.text("message"),
                     reader.number<std::int64_t>("observedGeneration").value_or(0),
                     reader.time("lastTransitionTime")};
}

}  // namespace

Status read_status(const model::CustomObject& object) {
    boost::system::error_code error;
    const json::value value = json::parse(object.status, error);
    if (error) return {};
    const JsonReader reader{&value};
    auto status = read_head<Status>(reader);
    status.failed_revision = reader.text("failedRevision");
    status.retry = reader.text("retry");
    status.rollout = read_rollout(reader.part("rollout"));
    status.check = read_check(reader.part("check"));
    status.update_revision = reader.text("updateRevision");
    status.rollout_start = reader.time("rolloutStartTime");
    status.rollout_end = reader.time("rolloutEndTime");
    status.rolling_pod = read_rolling_pod(reader.part("rollingPodStatus"));
    status.conditions = reader.list("conditions", conditions_max, read_condition);
    return status;
}

std::string write_status(const Status& status) {
    JsonWriter writer = written_head(status);
    writer.text("failedRevision", status.failed_revision, name_max)
        .text("retry", status.retry, value_max)
        .text("updateRevision", status.update_revision, name_max)
        .time("rolloutStartTime", status.rollout_start)
        .time("rolloutEndTime", status.rollout_end);
    if (status.rollout) writer.part("rollout", written(*status.rollout));
    if (status.check) writer.part("check", written(*status.check));
    if (status.rolling_pod) writer.part("rollingPodStatus", written(*status.rolling_pod));
    writer.list("conditions", status.conditions, conditions_max,
                [](const Condition& condition) { return written(condition); });
    return json::serialize(writer.take());
}

std::vector<Condition> with_condition(std::vector<Condition> conditions, Condition condition) {
    return with_newer(std::move(conditions), std::move(condition));
}

}  // namespace sluice::api::phased_rollout
