#include "api/rollout_plugin/status.hpp"

#include <algorithm>

#include "api/status_parts.hpp"

namespace sluice::api::rollout_plugin {
namespace {

namespace json = boost::json;

// The bounds of deploy/crds/rolloutplugins.argoproj.io.yaml.
constexpr int steps_max = 100;
constexpr int weight_max = 100;

json::object written(const PauseCondition& one) {
    return JsonWriter{}
        .part("reason", json::value(cut(one.reason, word_max)))
        .part("startTime", json::value(to_rfc3339(one.start)))
        .take();
}

json::object written(const RunReport& run) {
    return JsonWriter{}
        .part("name", json::value(cut(run.name, name_max)))
        .part("status", json::value(cut(run.status, word_max)))
        .text("message", run.message, sentence_max)
        .take();
}

json::object written(const RolloutStatus& rollout) {
    JsonWriter writer;
    writer.number("id", rollout.id)
        .text("workloadUID", rollout.workload_uid, word_max)
        .text("pod", rollout.pod, name_max)
        .text("definition", rollout.definition, word_max)
        .time("startedAt", rollout.started)
        .time("stepStartedAt", rollout.step_started)
        .time("completedAt", rollout.completed);
    if (rollout.partition) writer.number("partition", rollout.partition->value);
    if (rollout.weight) writer.number("weight", std::min(*rollout.weight, weight_max));
    return writer.take();
}

json::object written(const Condition& one) {
    return JsonWriter{}
        .text("type", one.type, word_max)
        .text("status", one.status, short_max)
        .text("reason", one.reason, word_max)
        .text("message", one.message, sentence_max)
        .time("lastUpdateTime", one.updated)
        .time("lastTransitionTime", one.since)
        .take();
}

void write_pause(const PauseStatus& pause, JsonWriter& writer) {
    writer.flag("controllerPause", pause.begun)
        .time("pauseStartTime", pause.start)
        .list("pauseConditions", pause.conditions, conditions_max,
              [](const PauseCondition& one) { return written(one); });
    if (pause.paused) writer.part("paused", *pause.paused);
}

void write_replicas(const Replicas& replicas, JsonWriter& writer) {
    writer.number("replicas", replicas.all.value)
        .number("updatedReplicas", replicas.updated.value)
        .number("readyReplicas", replicas.ready.value)
        .number("availableReplicas", replicas.available.value);
}

void write_restart(const RestartStatus& restart, JsonWriter& writer) {
    if (restart.count > 0)
        writer.number("restartCount", restart.count).number("retryAttempt", restart.count);
    if (restart.generation > 0) writer.number("restartAtGeneration", restart.generation);
    writer.time("restartedAt", restart.at);
}

// A reason that cannot be read is still a reason to wait.
std::vector<PauseCondition> read_pause_conditions(const JsonReader& reader) {
    const json::value* value = reader.find("pauseConditions");
    if (value && !value->is_null() && !value->is_array()) return {PauseCondition{}};
    return reader.list("pauseConditions", conditions_max, [](const JsonReader& one) {
        return std::optional{PauseCondition{one.text("reason"), one.time("startTime")}};
    });
}

std::optional<RunReport> read_run(const JsonReader& reader) {
    if (reader.text("name").empty()) return std::nullopt;
    return RunReport{reader.text("name"), reader.text("status"), reader.text("message")};
}

std::optional<RolloutStatus> read_rollout(const JsonReader& reader) {
    if (!reader) return std::nullopt;
    RolloutStatus rollout;
    rollout.id = reader.number<std::int64_t>("id").value_or(0);
    rollout.workload_uid = reader.text("workloadUID");
    if (const auto partition = reader.number("partition"))
        rollout.partition = Partition{*partition};
    rollout.weight = reader.number("weight");
    if (rollout.weight > weight_max) rollout.weight.reset();
    rollout.pod = reader.text("pod");
    rollout.definition = reader.text("definition");
    rollout.started = reader.time("startedAt");
    rollout.step_started = reader.time("stepStartedAt");
    rollout.completed = reader.time("completedAt");
    return rollout;
}

std::optional<Condition> read_condition(const JsonReader& reader) {
    if (reader.text("type").empty()) return std::nullopt;
    return Condition{reader.text("type"),           reader.text("status"),
                     reader.text("reason"),         reader.text("message"),
                     reader.time("lastUpdateTime"), reader.time("lastTransitionTime")};
}

}  // namespace

bool is_resumed(const PauseStatus& pause) {
    return pause.begun && (pause.conditions.empty() || pause.paused == false);
}

Status read_status(const model::CustomObject& object) {
    boost::system::error_code error;
    const json::value value = json::parse(object.status, error);
    if (error) return {};
    const JsonReader reader{&value};
    auto status = read_head<Status>(reader);
    status.current_revision = reader.text("currentRevision");
    status.updated_revision = reader.text("updatedRevision");
    status.step = reader.number("currentStepIndex");
    if (status.step > steps_max) status.step.reset();
    status.step_complete = reader.flag("currentStepComplete");
    status.initialized = reader.flag("initialized");
    status.in_progress = reader.flag("rolloutInProgress");
    status.commands = {reader.flag("abort"), reader.flag("promoteFull"), reader.flag("restart"),
                       reader.number<std::int64_t>("promoteFullGeneration").value_or(0)};
    status.pause = {reader.flag("controllerPause"), read_pause_conditions(reader),
                    reader.truth("paused"), reader.time("pauseStartTime")};
    status.abort = {reader.flag("aborted"), reader.text("abortedRevision"),
                    reader.time("abortedAt")};
    status.restart = {reader.number("restartCount").value_or(reader.count("retryAttempt")),
                      reader.time("restartedAt"),
                      reader.number<std::int64_t>("restartAtGeneration").value_or(0)};
    status.replicas = {
        PodCount{reader.count("replicas")}, PodCount{reader.count("updatedReplicas")},
        PodCount{reader.count("readyReplicas")}, PodCount{reader.count("availableReplicas")}};
    const JsonReader canary = reader.part("canary");
    status.step_run = read_run(canary.part("currentStepAnalysisRunStatus"));
    status.background_run = read_run(canary.part("currentBackgroundAnalysisRunStatus"));
    status.rollout = read_rollout(reader.part("rollout"));
    status.conditions = reader.list("conditions", conditions_max, read_condition);
    return status;
}

std::string write_status(const Status& status) {
    JsonWriter writer = written_head(status);
    writer.text("currentRevision", status.current_revision, name_max)
        .text("updatedRevision", status.updated_revision, name_max)
        .flag("currentStepComplete", status.step_complete)
        .flag("initialized", status.initialized)
        .flag("rolloutInProgress", status.in_progress)
        .flag("abort", status.commands.abort)
        .flag("promoteFull", status.commands.promote_full)
        .flag("restart", status.commands.restart)
        .flag("aborted", status.abort.aborted)
        .text("abortedRevision", status.abort.revision, name_max)
        .time("abortedAt", status.abort.at);
    if (status.commands.promoted_at > 0)
        writer.number("promoteFullGeneration", status.commands.promoted_at);
    if (status.step) writer.number("currentStepIndex", std::min(*status.step, steps_max));
    write_pause(status.pause, writer);
    write_restart(status.restart, writer);
    write_replicas(status.replicas, writer);
    JsonWriter canary;
    if (status.step_run) canary.part("currentStepAnalysisRunStatus", written(*status.step_run));
    if (status.background_run)
        canary.part("currentBackgroundAnalysisRunStatus", written(*status.background_run));
    if (status.step_run || status.background_run) writer.part("canary", canary.take());
    if (status.rollout) writer.part("rollout", written(*status.rollout));
    writer.list("conditions", status.conditions, conditions_max,
                [](const Condition& one) { return written(one); });
    return json::serialize(writer.take());
}

std::vector<Condition> with_condition(std::vector<Condition> conditions, Condition condition) {
    const auto old = std::ranges::find(conditions, condition.type, &Condition::type);
    const bool says_the_same = old != conditions.end() && old->status == condition.status &&
                               old->reason == condition.reason && old->message == condition.message;
    if (says_the_same) condition.updated = old->updated;
    return with_newer(std::move(conditions), std::move(condition));
}

std::vector<Condition> without_condition(std::vector<Condition> conditions, std::string_view type) {
    std::erase_if(conditions, [&](const Condition& one) { return one.type == type; });
    return conditions;
}

}  // namespace sluice::api::rollout_plugin
