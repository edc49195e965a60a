#include <algorithm>
#include <array>
#include <utility>

#include "api/analysis/parts.hpp"
#include "api/analysis/run.hpp"
#include "api/json_parts.hpp"
#include "base/assert.hpp"

namespace sluice::api::analysis {
namespace {

namespace json = boost::json;

// The bounds of deploy/crds/analysisruns.argoproj.io.yaml, which has room for what others write.
constexpr std::size_t results_max = 64;
constexpr std::size_t measurements_max = 1000;
constexpr std::size_t metadata_max = 64;
constexpr std::size_t name_max = 253;
constexpr std::size_t word_max = 64;
constexpr Range seconds_range{0, 31'536'000};  // a year

// What is written of each metric, and of less and less until the whole fits.
struct Room {
    std::size_t measurements;
    std::size_t text;  // bytes of a message or value
    std::size_t metadata;
};
constexpr std::array rooms{Room{1000, 1024, 16}, Room{100, 512, 8}, Room{10, 256, 4},
                           Room{3, 128, 2},      Room{1, 64, 0},    Room{0, 32, 0}};

constexpr std::array<std::string_view, 6> phases{"Pending", "Running", "Successful",
                                                 "Failed",  "Error",   "Inconclusive"};

Phase phase_of(std::string_view text) {
    const auto found = std::ranges::find(phases, text);
    return found == phases.end() ? Phase::Pending : static_cast<Phase>(found - phases.begin());
}

TimeToLive time_to_live_in(const Fields& fields) {
    const auto ttl = fields.object("ttlStrategy", !required);
    if (!ttl) return {};
    const auto seconds = [&](std::string_view key) -> std::optional<Duration> {
        const auto number = ttl->number(key, seconds_range);
        return number ? std::optional<Duration>{std::chrono::seconds{*number}} : std::nullopt;
    };
    return {seconds("secondsAfterCompletion"), seconds("secondsAfterFailure"),
            seconds("secondsAfterSuccess")};
}

RunSpec read_fields(const Fields& fields) {
    RunSpec spec;
    fields.find("metrics", required);
    spec.metrics = read_metrics(fields);
    spec.args = read_arguments(fields);
    spec.dry_run = read_dry_run(fields);
    spec.retention = read_retention(fields);
    spec.terminate = fields.flag("terminate").value_or(false);
    spec.time_to_live = time_to_live_in(fields);
    return spec;
}

json::object written(const Argument& argument) {
    json::object object{{"name", argument.name}};
    if (const auto* text = std::get_if<std::string>(&argument.value)) object["value"] = *text;
    if (const auto* secret = std::get_if<SecretKey>(&argument.value))
        object["valueFrom"] = json::object{
            {"secretKeyRef", json::object{{"name", secret->name}, {"key", secret->key}}}};
    if (const auto* field = std::get_if<FieldPath>(&argument.value))
        object["valueFrom"] = json::object{{"fieldRef", json::object{{"fieldPath", field->path}}}};
    return object;
}

json::object written(const TimeToLive& ttl) {
    JsonWriter writer;
    const auto put = [&](std::string_view key, const std::optional<Duration>& duration) {
        if (duration) writer.number(key, *duration / 1s);
    };
    put("secondsAfterCompletion", ttl.after_completion);
    put("secondsAfterFailure", ttl.after_failure);
    put("secondsAfterSuccess", ttl.after_success);
    return writer.take();
}

json::object written(const Measurement& measurement, Room room) {
    JsonWriter writer;
    writer.text("phase", to_text(measurement.phase), word_max)
        .text("message", measurement.message, room.text)
        .text("value", measurement.value, room.text)
        .time("startedAt", measurement.started)
        .time("finishedAt", measurement.finished)
        .time("resumeAt", measurement.resume);
    json::object metadata;
    for (const auto& [key, value] : measurement.metadata)
        if (metadata.size() < room.metadata) metadata[cut(key, name_max)] = cut(value, room.text);
    if (!metadata.empty()) writer.part("metadata", std::move(metadata));
    return writer.take();
}

json::object written(const MetricResult& result, Room room) {
    JsonWriter writer;
    writer.text("name", result.name, name_max)
        .text("phase", to_text(result.phase), word_max)
        .text("message", result.message, room.text)
        .flag("dryRun", result.dry_run);
    for (const auto& [key, number] : std::initializer_list<std::pair<const char*, int>>{
             {"count", result.count},
             {"successful", result.successful},
             {"failed", result.failed},
             {"inconclusive", result.inconclusive},
             {"error", result.error},
             {"consecutiveError", result.consecutive_error},
             {"consecutiveSuccess", result.consecutive_success}})
        if (number > 0) writer.number(key, number);
    const std::size_t all = result.measurements.size();
    const std::vector<Measurement> latest(
        result.measurements.end() - static_cast<std::ptrdiff_t>(std::min(all, room.measurements)),
        result.measurements.end());
    writer.list("measurements", latest, measurements_max,
                [&](const Measurement& one) { return written(one, room); });
    return writer.take();
}

json::object written(const Summary& summary) {
    return JsonWriter{}
        .number("count", summary.count)
        .number("successful", summary.successful)
        .number("failed", summary.failed)
        .number("inconclusive", summary.inconclusive)
        .number("error", summary.error)
        .take();
}

// For kubectl wait. They follow from the rest, and are not read: a definition that does not know
// them drops them, and nothing is missing.
json::array conditions_of(const RunStatus& status) {
    constexpr std::size_t condition_max = 1024;
    const bool is_done = is_over(status.phase);
    const Instant since = is_done ? status.completed : status.started;
    if (since == Instant{}) return {};
    const char* good = status.phase == Phase::Successful ? "True" : is_done ? "False" : "Unknown";
    const auto condition = [&](const char* type, const char* side) {
        return JsonWriter{}
            .text("type", type, word_max)
            .text("status", side, word_max)
            .text("reason", to_text(status.phase), word_max)
            .part("message", json::value(cut(status.message, condition_max)))
            .time("lastTransitionTime", since)
            .take();
    };
    json::array conditions;
    conditions.push_back(condition("Completed", is_done ? "True" : "False"));
    conditions.push_back(condition("Successful", good));
    return conditions;
}

std::string written(const RunStatus& status, Room room) {
    JsonWriter writer;
    writer.text("phase", to_text(status.phase), word_max)
        .text("message", status.message, room.text)
        .time("startedAt", status.started)
        .time("completedAt", status.completed);
    if (json::array conditions = conditions_of(status); !conditions.empty())
        writer.part("conditions", std::move(conditions));
    if (status.summary != Summary{}) writer.part("runSummary", written(status.summary));
    if (status.dry_run_summary != Summary{})
        writer.part("dryRunSummary", written(status.dry_run_summary));
    writer.list("metricResults", status.results, results_max,
                [&](const MetricResult& one) { return written(one, room); });
    return json::serialize(writer.take());
}

Summary read_summary(const JsonReader& reader) {
    return {reader.count("count"), reader.count("successful"), reader.count("failed"),
            reader.count("inconclusive"), reader.count("error")};
}

std::optional<Measurement> read_measurement(const JsonReader& reader) {
    if (!reader) return std::nullopt;
    Measurement one{.phase = phase_of(reader.text("phase")),
                    .message = reader.text("message"),
                    .value = reader.text("value"),
                    .started = reader.time("startedAt"),
                    .finished = reader.time("finishedAt"),
                    .resume = reader.time("resumeAt"),
                    .metadata = {}};
    const json::value* metadata = reader.find("metadata");
    if (!metadata || !metadata->is_object()) return one;
    for (const auto& [key, value] : metadata->get_object())
        if (value.is_string() && one.metadata.size() < metadata_max)
            one.metadata.emplace(key, value.get_string());
    return one;
}

std::optional<MetricResult> read_result(const JsonReader& reader) {
    if (reader.text("name").empty()) return std::nullopt;
    return MetricResult{
        .name = reader.text("name"),
        .phase = phase_of(reader.text("phase")),
        .message = reader.text("message"),
        .dry_run = reader.flag("dryRun"),
        .count = reader.count("count"),
        .successful = reader.count("successful"),
        .failed = reader.count("failed"),
        .inconclusive = reader.count("inconclusive"),
        .error = reader.count("error"),
        .consecutive_error = reader.count("consecutiveError"),
        .consecutive_success = reader.count("consecutiveSuccess"),
        .measurements = reader.list("measurements", measurements_max, read_measurement)};
}

}  // namespace

std::string_view to_text(Phase phase) {
    return phases[static_cast<std::size_t>(phase)];
}

bool is_over(Phase phase) {
    return phase != Phase::Pending && phase != Phase::Running;
}

std::expected<RunSpec, FieldErrors> read_run_spec(const model::CustomObject& object) {
    return read_part(object.spec, "spec", read_fields);
}

TimeToLive read_time_to_live(const model::CustomObject& object) {
    return read_part(object.spec, "spec", time_to_live_in).value_or(TimeToLive{});
}

std::string write_run_spec(const RunSpec& spec) {
    json::array metrics;
    for (const Metric& metric : spec.metrics) {
        boost::system::error_code error;
        metrics.push_back(json::parse(metric.source, error));
        SLUICE_ASSERT(!error);  // it was JSON when the metric was read
    }
    JsonWriter writer;
    writer.part("metrics", std::move(metrics))
        .list("args", spec.args, spec.args.size(), [](const Argument& one) { return written(one); })
        .list("dryRun", spec.dry_run, spec.dry_run.size(),
              [](const std::string& name) { return json::object{{"metricName", name}}; })
        .list("measurementRetention", spec.retention, spec.retention.size(),
              [](const Retention& one) {
                  return json::object{{"metricName", one.metric}, {"limit", one.limit}};
              })
        .flag("terminate", spec.terminate);
    if (spec.time_to_live != TimeToLive{}) writer.part("ttlStrategy", written(spec.time_to_live));
    return json::serialize(writer.take());
}

RunStatus read_run_status(const model::CustomObject& object) {
    boost::system::error_code error;
    const json::value value = json::parse(object.status, error);
    if (error) return {};
    const JsonReader reader{&value};
    return {.phase = phase_of(reader.text("phase")),
            .message = reader.text("message"),
            .started = reader.time("startedAt"),
            .completed = reader.time("completedAt"),
            .summary = read_summary(reader.part("runSummary")),
            .dry_run_summary = read_summary(reader.part("dryRunSummary")),
            .results = reader.list("metricResults", results_max, read_result)};
}

std::string write_run_status(const RunStatus& status) {
    for (const Room& room : rooms) {
        std::string text = written(status, room);
        if (text.size() <= run_status_bytes_max) return text;
    }
    return written({.phase = status.phase,
                    .message = status.message,
                    .started = status.started,
                    .completed = status.completed,
                    .summary = status.summary,
                    .dry_run_summary = status.dry_run_summary,
                    .results = {}},
                   rooms.back());
}

}  // namespace sluice::api::analysis
