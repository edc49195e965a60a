#include "api/rollout_plugin/status.hpp"

#include <algorithm>

#include "api/status_parts.hpp"

namespace sluice::api::rollout_plugin {
namespace {

// The bounds of deploy/crds/rolloutplugins.argoproj.io.yaml.
constexpr int step_max = 100;
constexpr int weight_max = 100;

void pause_conditions(JsonWriter& json, const std::vector<PauseCondition>& conditions) {
    json.entries("pauseConditions", conditions, conditions_max, [](JsonWriter& inner, auto& one) {
        inner.always("reason", one.reason, word_max).always("startTime", one.start);
    });
}

// A reason that cannot be read is still a reason to wait.
void pause_conditions(JsonReader& json, std::vector<PauseCondition>& into) {
    const boost::json::value* value = json.find("pauseConditions");
    into = json.list("pauseConditions", conditions_max, [](const JsonReader& one) {
        return std::optional{PauseCondition{one.text("reason"), one.time("startTime")}};
    });
    if (value && !value->is_null() && !value->is_array()) into = {PauseCondition{}};
}

constexpr auto run_fields = [](auto& json, auto& run) {
    json.key("name", run.name, name_max)
        .always("status", run.status, word_max)
        .field("message", run.message, sentence_max);
};

constexpr auto canary_fields = [](auto& json, auto& status) {
    json.part("currentStepAnalysisRunStatus", status.step_run, run_fields)
        .part("currentBackgroundAnalysisRunStatus", status.background_run, run_fields);
};

constexpr auto rollout_fields = [](auto& json, auto& rollout) {
    json.always("id", rollout.id)
        .field("workloadUID", rollout.workload_uid, word_max)
        .field("pod", rollout.pod, name_max)
        .field("definition", rollout.definition, word_max)
        .field("startedAt", rollout.started)
        .field("stepStartedAt", rollout.step_started)
        .field("completedAt", rollout.completed)
        .field("partition", rollout.partition)
        .field("weight", rollout.weight, weight_max);
};

constexpr auto condition_fields = [](auto& json, auto& one) {
    json.key("type", one.type, word_max)
        .field("status", one.status, short_max)
        .field("reason", one.reason, word_max)
        .field("message", one.message, sentence_max)
        .field("lastUpdateTime", one.updated)
        .field("lastTransitionTime", one.since);
};

constexpr auto status_fields = [](auto& json, auto& status) {
    head_fields(json, status);
    json.field("currentRevision", status.current_revision, name_max)
        .field("updatedRevision", status.updated_revision, name_max)
        .field("currentStepComplete", status.step_complete)
        .field("initialized", status.initialized)
        .field("rolloutInProgress", status.in_progress)
        .field("abort", status.commands.abort)
        .field("promoteFull", status.commands.promote_full)
        .field("restart", status.commands.restart)
        .field("aborted", status.abort.aborted)
        .field("abortedRevision", status.abort.revision, name_max)
        .field("abortedAt", status.abort.at)
        .field("promoteFullGeneration", status.commands.promoted_at)
        .field("currentStepIndex", status.step, step_max)
        .field("controllerPause", status.pause.begun)
        .field("pauseStartTime", status.pause.start);
    pause_conditions(json, status.pause.conditions);
    json.field("paused", status.pause.paused)
        .field("retryAttempt", status.restart.count)
        .field("restartCount", status.restart.count)
        .field("restartAtGeneration", status.restart.generation)
        .field("restartedAt", status.restart.at)
        .always("replicas", status.replicas.all)
        .always("updatedReplicas", status.replicas.updated)
        .always("readyReplicas", status.replicas.ready)
        .always("availableReplicas", status.replicas.available)
        .part("canary", status, canary_fields)
        .part("rollout", status.rollout, rollout_fields)
        .entries("conditions", status.conditions, conditions_max, condition_fields);
};

}  // namespace

bool is_resumed(const PauseStatus& pause) {
    return pause.begun && (pause.conditions.empty() || pause.paused == false);
}

Status read_status(const model::CustomObject& object) {
    return read_json<Status>(object.status, status_fields);
}

std::string write_status(const Status& status) {
    return write_json(status, status_fields);
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
