#include "api/phased_rollout/status.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <limits>

namespace sluice::api::phased_rollout {
namespace {

namespace json = boost::json;

// The bounds of deploy/crds/phasedrollouts.sts.plus.yaml. They count characters; we count bytes,
// which are never fewer.
constexpr std::size_t word_max = 64;
constexpr std::size_t short_max = 32;
constexpr std::size_t value_max = 256;
constexpr std::size_t name_max = 253;
constexpr std::size_t sentence_max = 1024;
constexpr std::size_t conditions_max = 16;

// At most so many bytes, with no character cut in two.
std::string_view cut(std::string_view text, std::size_t max) {
    if (text.size() <= max) return text;
    while (max > 0 && (static_cast<unsigned char>(text[max]) & 0xC0) == 0x80)
        --max;
    return text.substr(0, max);
}

// Leaves out what says nothing.
class Writer {
  public:
    Writer& text(std::string_view key, std::string_view value, std::size_t max) {
        if (!value.empty()) object_[key] = cut(value, max);
        return *this;
    }
    Writer& time(std::string_view key, Instant value) {
        if (value != Instant{}) object_[key] = to_rfc3339(value);
        return *this;
    }
    Writer& number(std::string_view key, std::int64_t value) {
        object_[key] = std::max<std::int64_t>(value, 0);
        return *this;
    }
    Writer& part(std::string_view key, json::value value) {
        object_[key] = std::move(value);
        return *this;
    }
    json::object take() { return std::move(object_); }

  private:
    json::object object_;
};

json::object written(const RolloutStatus& rollout) {
    Writer writer;
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
    Writer writer;
    writer.text("definition", check.definition, word_max)
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
    return Writer{}
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
    return Writer{}
        .text("type", condition.type, word_max)
        .text("status", condition.status, short_max)
        .text("reason", condition.reason, word_max)
        .part("message", json::value(cut(condition.message, sentence_max)))
        .number("observedGeneration", condition.observed_generation)
        .part("lastTransitionTime", json::value(to_rfc3339(condition.since)))
        .take();
}

// The fields of one object; what is not of its type reads as nothing.
class Reader {
  public:
    explicit Reader(const json::value* value) : object_(value ? value->if_object() : nullptr) {}
    explicit operator bool() const { return object_ != nullptr; }

    const json::value* find(std::string_view key) const {
        return object_ ? object_->if_contains(key) : nullptr;
    }
    std::string text(std::string_view key) const {
        const json::value* value = find(key);
        return value && value->is_string() ? std::string{value->get_string()} : std::string{};
    }
    Instant time(std::string_view key) const {
        return parse_rfc3339(text(key)).value_or(Instant{});
    }
    template <class Number = int>
    std::optional<Number> number(std::string_view key) const {
        const json::value* value = find(key);
        if (!value || !value->is_int64()) return std::nullopt;
        const std::int64_t number = value->get_int64();
        if (number < 0 || number > std::numeric_limits<Number>::max()) return std::nullopt;
        return static_cast<Number>(number);
    }
    int count(std::string_view key) const { return number(key).value_or(0); }

  private:
    const json::object* object_;
};

std::optional<RolloutStatus> read_rollout(const Reader& reader) {
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

std::optional<CheckStatus> read_check(const Reader& reader) {
    if (!reader) return std::nullopt;
    CheckStatus check;
    check.definition = reader.text("definition");
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

std::optional<RollingPodStatus> read_rolling_pod(const Reader& reader) {
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

std::vector<Condition> read_conditions(const json::value* value) {
    std::vector<Condition> conditions;
    const json::array* list = value ? value->if_array() : nullptr;
    if (!list) return conditions;
    for (const json::value& entry : *list) {
        if (conditions.size() == conditions_max) break;
        const Reader reader{&entry};
        if (reader.text("type").empty()) continue;
        conditions.push_back({reader.text("type"), reader.text("status"), reader.text("reason"),
                              reader.text("message"),
                              reader.number<std::int64_t>("observedGeneration").value_or(0),
                              reader.time("lastTransitionTime")});
    }
    return conditions;
}

}  // namespace

Status read_status(const model::CustomObject& object) {
    Status status;
    boost::system::error_code error;
    const json::value value = json::parse(object.status, error);
    if (error) return status;
    const Reader reader{&value};
    status.phase = reader.text("phase");
    status.reason = reader.text("reason");
    status.message = reader.text("message");
    status.unblock = reader.text("unblock");
    status.since = reader.time("since");
    status.observed_generation = reader.number<std::int64_t>("observedGeneration").value_or(0);
    status.guarantee = reader.text("guarantee");
    status.failed_revision = reader.text("failedRevision");
    status.retry = reader.text("retry");
    status.rollout = read_rollout(Reader{reader.find("rollout")});
    status.check = read_check(Reader{reader.find("check")});
    status.update_revision = reader.text("updateRevision");
    status.rollout_start = reader.time("rolloutStartTime");
    status.rollout_end = reader.time("rolloutEndTime");
    status.rolling_pod = read_rolling_pod(Reader{reader.find("rollingPodStatus")});
    status.conditions = read_conditions(reader.find("conditions"));
    return status;
}

std::string write_status(const Status& status) {
    Writer writer;
    writer.text("phase", status.phase, word_max)
        .text("reason", status.reason, word_max)
        .text("message", status.message, sentence_max)
        .text("unblock", status.unblock, sentence_max)
        .time("since", status.since)
        .number("observedGeneration", status.observed_generation)
        .text("guarantee", status.guarantee, short_max)
        .text("failedRevision", status.failed_revision, name_max)
        .text("retry", status.retry, value_max)
        .text("updateRevision", status.update_revision, name_max)
        .time("rolloutStartTime", status.rollout_start)
        .time("rolloutEndTime", status.rollout_end);
    if (status.rollout) writer.part("rollout", written(*status.rollout));
    if (status.check) writer.part("check", written(*status.check));
    if (status.rolling_pod) writer.part("rollingPodStatus", written(*status.rolling_pod));
    json::array conditions;
    for (const Condition& condition : status.conditions)
        if (conditions.size() < conditions_max) conditions.push_back(written(condition));
    if (!conditions.empty()) writer.part("conditions", std::move(conditions));
    return json::serialize(writer.take());
}

std::vector<Condition> with_condition(std::vector<Condition> conditions, Condition condition) {
    const auto old = std::ranges::find(conditions, condition.type, &Condition::type);
    if (old == conditions.end()) {
        conditions.push_back(std::move(condition));
        return conditions;
    }
    if (old->status == condition.status) condition.since = old->since;
    *old = std::move(condition);
    return conditions;
}

}  // namespace sluice::api::phased_rollout
