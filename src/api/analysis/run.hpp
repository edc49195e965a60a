// An AnalysisRun: what is measured, and what it has come to. Writing cuts texts and drops old
// measurements, so that the object stays small; reading a status is total: what is missing or
// garbled reads as nothing, and a phase that is no word of ours as Pending, never as a pass. A time
// of Instant{} is none.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/analysis/template.hpp"

namespace sluice::api::analysis {

// How long a finished run stays.
struct TimeToLive {
    std::optional<Duration> after_completion;
    std::optional<Duration> after_failure;
    std::optional<Duration> after_success;
    friend bool operator==(const TimeToLive&, const TimeToLive&) = default;
};

struct RunSpec {
    std::vector<Metric> metrics;  // at least one
    std::vector<Argument> args;
    std::vector<std::string> dry_run;
    std::vector<Retention> retention;
    bool terminate = false;  // a person or the rollout ends it
    TimeToLive time_to_live;
    friend bool operator==(const RunSpec&, const RunSpec&) = default;
};

std::expected<RunSpec, FieldErrors> read_run_spec(const model::CustomObject& object);
// What the spec says of how long it stays, whatever else is in it; nothing if that cannot be read.
TimeToLive read_time_to_live(const model::CustomObject& object);
// The JSON text of the spec. Each metric stands in it as it was read.
std::string write_run_spec(const RunSpec& spec);

enum class Phase : std::uint8_t { Pending, Running, Successful, Failed, Error, Inconclusive };
inline constexpr std::array<std::string_view, 6> phases{"Pending", "Running", "Successful",
                                                        "Failed",  "Error",   "Inconclusive"};
std::string_view to_text(Phase phase);
// Whether nothing more is measured.
bool is_over(Phase phase);

struct Measurement {
    Phase phase = Phase::Pending;
    std::string message;
    std::string value;
    Instant started;
    Instant finished;
    Instant resume;  // when the measurement is looked at again
    std::map<std::string, std::string> metadata;
    friend bool operator==(const Measurement&, const Measurement&) = default;
};

struct MetricResult {
    std::string name;
    Phase phase = Phase::Pending;
    std::string message;
    bool dry_run = false;
    int count = 0;  // measurements that were answered
    int successful = 0;
    int failed = 0;
    int inconclusive = 0;
    int error = 0;
    int consecutive_error = 0;
    int consecutive_success = 0;
    std::vector<Measurement> measurements;  // the latest ones, oldest first
    friend bool operator==(const MetricResult&, const MetricResult&) = default;
};

// How many metrics came to what.
struct Summary {
    int count = 0;
    int successful = 0;
    int failed = 0;
    int inconclusive = 0;
    int error = 0;
    friend bool operator==(const Summary&, const Summary&) = default;
};

struct RunStatus {
    Phase phase = Phase::Pending;
    std::string message;
    Instant started;
    Instant completed;
    Summary summary;
    Summary dry_run_summary;
    std::vector<MetricResult> results;
    friend bool operator==(const RunStatus&, const RunStatus&) = default;
};

// Objects are kept with at most 64 KiB of status; what does not fit is left out, oldest first.
inline constexpr std::size_t run_status_bytes_max = 48u << 10;

RunStatus read_run_status(const model::CustomObject& object);
std::string write_run_status(const RunStatus& status);

}  // namespace sluice::api::analysis
