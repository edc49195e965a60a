#include "api/extended_job/status.hpp"

#include "api/status_parts.hpp"

namespace sluice::api::extended_job {
namespace {

constexpr auto run_fields = [](auto& json, auto& run) {
    json.key("job", run.job, word_max)
        .always("number", run.number)
        .field("strategy", run.strategy, short_max)
        .word("stage", run.stage, jobs::stages)
        .field("pod", run.pod, name_max)
        .field("startedAt", run.started)
        .field("message", run.message, sentence_max)
        .field("uid", run.uid, word_max);
};

constexpr auto last_fields = [](auto& json, auto& run) {
    json.key("job", run.job, word_max)
        .always("number", run.number)
        .field("pod", run.pod, name_max)
        .field("outcome", run.outcome, short_max)
        .field("message", run.message, sentence_max)
        .field("startedAt", run.started)
        .field("finishedAt", run.finished);
};

constexpr auto leaving_fields = [](auto& json, auto& leaving) {
    json.key("job", leaving.job, word_max).field("due", leaving.due);
};

constexpr auto handled_fields = [](auto& json, auto& handled) {
    json.key("uid", handled.uid, word_max).field("pod", handled.pod, name_max);
};

constexpr auto status_fields = [](auto& json, auto& status) {
    head_fields(json, status);
    json.field("runs", status.runs)
        .field("succeeded", status.succeeded)
        .field("failed", status.failed)
        .entries("active", status.active, pod_jobs_max + 1, run_fields)
        .part("lastRun", status.last, last_fields)
        .field("failedJob", status.kept_job, word_max)
        .entries("leaving", status.leaving, leaving_max, leaving_fields)
        .field("podState", status.pod_state, short_max)
        .entries("handledPods", status.handled, handled_max, handled_fields)
        .entries("conditions", status.conditions, conditions_max, condition_fields);
};

}  // namespace

Status read_status(const model::CustomObject& object) {
    return read_json<Status>(object.status, status_fields);
}

std::string write_status(const Status& status) {
    return write_json(status, status_fields);
}

Status substance_of(Status status) {
    static_cast<StatusHead&>(status) = {};
    status.conditions.clear();
    return status;
}

}  // namespace sluice::api::extended_job
