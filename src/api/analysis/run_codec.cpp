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
constexpr Room as_read{.measurements = 1000, .text = 0, .metadata = 64};

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

RunSpec run_spec_in(const Fields& fields) {
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
        if (duration) writer.always(key, *duration / 1s);
    };
    put("secondsAfterCompletion", ttl.after_completion);
    put("secondsAfterFailure", ttl.after_failure);
    put("secondsAfterSuccess", ttl.after_success);
    return writer.take();
}

void metadata(JsonWriter& json, const Measurement& of, Room room) {
    json::object metadata;
    for (const auto& [key, value] : of.metadata)
        if (metadata.size() < room.metadata) metadata[cut(key, name_max)] = cut(value, room.text);
    if (!metadata.empty()) json.part("metadata", std::move(metadata));
}

void metadata(JsonReader& json, Measurement& into, Room room) {
    const json::value* metadata = json.find("metadata");
    if (!metadata || !metadata->is_object()) return;
    for (const auto& [key, value] : metadata->get_object())
        if (value.is_string() && into.metadata.size() < room.metadata)
            into.metadata.emplace(key, value.get_string());
}

auto measurement_fields(Room room) {
    return [room](auto& json, auto& one) {
        json.word("phase", one.phase, phases)
            .field("message", one.message, room.text)
            .field("value", one.value, room.text)
            .field("startedAt", one.started)
            .field("finishedAt", one.finished)
            .field("resumeAt", one.resume);
        metadata(json, one, room);
    };
}

auto result_fields(Room room) {
    return [room](auto& json, auto& result) {
        json.key("name", result.name, name_max)
            .word("phase", result.phase, phases)
            .field("message", result.message, room.text)
            .field("dryRun", result.dry_run)
            .field("count", result.count)
            .field("successful", result.successful)
            .field("failed", result.failed)
            .field("inconclusive", result.inconclusive)
            .field("error", result.error)
            .field("consecutiveError", result.consecutive_error)
            .field("consecutiveSuccess", result.consecutive_success)
            .entries("measurements", result.measurements, room.measurements,
                     measurement_fields(room));
    };
}

constexpr auto summary_fields = [](auto& json, auto& summary) {
    json.always("count", summary.count)
        .always("successful", summary.successful)
        .always("failed", summary.failed)
        .always("inconclusive", summary.inconclusive)
        .always("error", summary.error);
};

// For kubectl wait. They follow from the rest, and are not read: a definition that does not know
// them drops them, and nothing is missing.
void write_conditions(const RunStatus& status, JsonWriter& writer) {
    constexpr std::size_t condition_max = 1024;
    const bool is_done = is_over(status.phase);
    const Instant since = is_done ? status.completed : status.started;
    if (since == Instant{}) return;
    const char* good = status.phase == Phase::Successful ? "True" : is_done ? "False" : "Unknown";
    const auto condition = [&](const char* type, const char* side) {
        return JsonWriter{}
            .field("type", type, word_max)
            .field("status", side, word_max)
            .word("reason", status.phase, phases)
            .always("message", status.message, condition_max)
            .field("lastTransitionTime", since)
            .take();
    };
    writer.part("conditions", json::array{condition("Completed", is_done ? "True" : "False"),
                                          condition("Successful", good)});
}

auto status_fields(Room room) {
    return [room](auto& json, auto& status) {
        json.word("phase", status.phase, phases)
            .field("message", status.message, room.text)
            .field("startedAt", status.started)
            .field("completedAt", status.completed);
        if constexpr (std::same_as<decltype(json), JsonWriter&>) write_conditions(status, json);
        json.part("runSummary", status.summary, summary_fields)
            .part("dryRunSummary", status.dry_run_summary, summary_fields)
            .entries("metricResults", status.results, results_max, result_fields(room));
    };
}

std::string written(RunStatus status, Room room) {
    for (MetricResult& result : status.results)
        if (result.measurements.size() > room.measurements)
            result.measurements.erase(
                result.measurements.begin(),
                result.measurements.end() - static_cast<std::ptrdiff_t>(room.measurements));
    return write_json(status, status_fields(room));
}

}  // namespace

std::string_view to_text(Phase phase) {
    return phases[static_cast<std::size_t>(phase)];
}

bool is_over(Phase phase) {
    return phase != Phase::Pending && phase != Phase::Running;
}

std::expected<RunSpec, FieldErrors> read_run_spec(const model::CustomObject& object) {
    return read_part(object.spec, "spec", run_spec_in);
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
        .field("terminate", spec.terminate);
    if (spec.time_to_live != TimeToLive{}) writer.part("ttlStrategy", written(spec.time_to_live));
    return json::serialize(writer.take());
}

RunStatus read_run_status(const model::CustomObject& object) {
    return read_json<RunStatus>(object.status, status_fields(as_read));
}

std::string write_run_status(const RunStatus& status) {
    for (const Room& room : rooms) {
        std::string text = written(status, room);
        if (text.size() <= run_status_bytes_max) return text;
    }
    RunStatus without_results = status;
    without_results.results.clear();
    return written(std::move(without_results), rooms.back());
}

}  // namespace sluice::api::analysis
