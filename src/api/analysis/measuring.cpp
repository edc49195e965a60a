#include "api/analysis/measuring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "api/analysis/assess.hpp"
#include "base/printable.hpp"

namespace sluice::api::analysis {
namespace {

constexpr const char* job_name_key = "job-name";
constexpr Duration asked_again = 10s;  // what could not be asked
constexpr const char* stopped = "It was stopped with the run.";

// A status is other people's text, too: a count that has reached the end stays there.
void raise(int& count) {
    if (count < std::numeric_limits<int>::max()) ++count;
}

// Measurements that are over.
std::int64_t taken(const MetricResult* result) {
    return result ? std::int64_t{result->count} + result->error : 0;
}

// The measurement that is not over yet.
bool is_under_way(const MetricResult& result) {
    return !result.measurements.empty() && !is_over(result.measurements.back().phase);
}
const Measurement* under_way(const MetricResult* result) {
    return result && is_under_way(*result) ? &result->measurements.back() : nullptr;
}

bool is_job(const KnownMetric& metric) {
    return std::holds_alternative<Job>(metric.provider);
}

// One turn, step by step.
class Machine {
  public:
    Machine(const RunSpec& spec, const RunContext& run, std::vector<KnownMetric> metrics,
            RunStatus status, Instant now)
        : spec_(spec),
          run_(run),
          metrics_(std::move(metrics)),
          status_(std::move(status)),
          now_(now),
          second_(in_whole_seconds(now)) {}

    Turn turn(const std::optional<MeasurementAnswer>& answer) {
        if (status_.started == Instant{}) status_.started = second_;
        status_.phase = Phase::Running;
        forget_strangers();
        if (answer) take(*answer);
        judge();
        judge();  // a metric that failed just now ends the others
        status_ = with_outcome(std::move(status_), spec_, metrics_);
        if (is_over(status_.phase)) {
            status_.completed = second_;
            return {std::move(status_), std::nullopt, std::nullopt, true};
        }
        return next(answer);
    }

  private:
    MetricResult& result(const KnownMetric& metric) {
        const auto found = std::ranges::find(status_.results, metric.name, &MetricResult::name);
        if (found != status_.results.end()) return *found;
        MetricResult& fresh = status_.results.emplace_back();
        fresh.name = metric.name;
        fresh.phase = Phase::Running;
        return fresh;
    }
    bool ends() const { return is_ending(spec_, status_, metrics_); }

    std::string key(const KnownMetric& metric, bool is_stop) const {
        return fmt::format("{}/{}/{}/{}{}", run_.uid, metric.name,
                           taken(result_of(status_, metric.name)) + 1, metric.digest,
                           is_stop ? "/stop" : "");
    }

    bool is_alone(const KnownMetric& job) const {
        return std::ranges::none_of(metrics_, [&](const KnownMetric& other) {
            return other.name != job.name && is_job(other) &&
                   under_way(result_of(status_, other.name));
        });
    }

    void forget_strangers();
    void take(const MeasurementAnswer& answer);
    void see_running(const KnownMetric& metric, Instant at);
    void close(const KnownMetric& metric, Measurement measurement);
    void judge();
    Instant due(const KnownMetric& metric, const std::optional<MeasurementAnswer>& answer) const;
    Turn next(const std::optional<MeasurementAnswer>& answer);
    Question question(const KnownMetric& metric, const std::optional<MeasurementAnswer>& answer);
    JobQuestion job_question(const KnownMetric& metric, const Job& job, bool is_made);

    const RunSpec& spec_;
    const RunContext& run_;
    const std::vector<KnownMetric> metrics_;
    RunStatus status_;
    const Instant now_;
    const Instant second_;
};

// What an answer makes of the measurement that it is about.
Assessment outcome(const KnownMetric& metric, const MeasurementAnswer& answer) {
    if (const auto* measured = std::get_if<Measured>(&answer.what))
        return assess(metric, measured->value, answer.at);
    if (const auto* failed = std::get_if<NotMeasured>(&answer.what))
        return {Phase::Error, failed->why};
    if (std::holds_alternative<NotAsked>(answer.what)) return {Phase::Running, ""};
    const auto& job = std::get<JobSeen>(answer.what);
    switch (job.state) {
        case JobSeen::State::Succeeded: return {Phase::Successful, job.message};
        case JobSeen::State::Failed: return {Phase::Failed, job.message};
        case JobSeen::State::Stopped: return {Phase::Inconclusive, stopped};
        case JobSeen::State::Running:
        case JobSeen::State::Unknown: break;
    }
    return {Phase::Running, job.message};
}

void Machine::take(const MeasurementAnswer& answer) {
    for (const KnownMetric& metric : metrics_) {
        const MetricResult* known = result_of(status_, metric.name);
        if (known && is_over(known->phase)) continue;
        const bool is_stop = answer.key == key(metric, true);
        if (!is_stop && answer.key != key(metric, false)) continue;
        const Measurement* open = under_way(known);
        Measurement measurement = open ? *open : Measurement{};
        if (!open) measurement.started = in_whole_seconds(answer.at);
        Assessment now_is = outcome(metric, answer);
        if (is_stop) now_is.phase = Phase::Inconclusive;
        if (now_is.phase == Phase::Running) return see_running(metric, answer.at);
        measurement.phase = now_is.phase;
        measurement.message = printable(now_is.message, 1024);
        if (const auto* measured = std::get_if<Measured>(&answer.what))
            measurement.value = measured->text;
        measurement.finished = in_whole_seconds(answer.at);
        measurement.resume = {};
        if (open) result(metric).measurements.pop_back();
        if (is_stop)
            result(metric).measurements.push_back(std::move(measurement));
        else
            close(metric, std::move(measurement));
        return;
    }
}

// Of one Job, the answer itself says when it was looked at. Of several, only the last answer is at
// hand, so the time of the next look is written down, and looks become rare.
void Machine::see_running(const KnownMetric& metric, Instant at) {
    const Measurement* seen = under_way(result_of(status_, metric.name));
    if (!seen || seen->resume > at || is_alone(metric)) return;
    Measurement& open = result(metric).measurements.back();
    const Duration age = std::max(at - open.started, Duration{0});
    open.resume = in_whole_seconds(at + std::clamp(age / 4, job_look_min, job_look_max));
}

// Results that no metric of this run has: of each name the first one stays.
void Machine::forget_strangers() {
    std::vector<MetricResult> known;
    for (const KnownMetric& metric : metrics_)
        if (const MetricResult* of = result_of(status_, metric.name)) known.push_back(*of);
    status_.results = std::move(known);
}

// A measurement that is over, and counts.
void Machine::close(const KnownMetric& metric, Measurement measurement) {
    MetricResult& into = result(metric);
    const Phase phase = measurement.phase;
    const bool is_error = phase == Phase::Error;
    raise(is_error ? into.error : into.count);
    if (phase == Phase::Successful) raise(into.successful);
    if (phase == Phase::Failed) raise(into.failed);
    if (phase == Phase::Inconclusive) raise(into.inconclusive);
    if (phase == Phase::Successful)
        raise(into.consecutive_success);
    else
        into.consecutive_success = 0;
    if (is_error)
        raise(into.consecutive_error);
    else
        into.consecutive_error = 0;
    into.measurements.push_back(std::move(measurement));
    const std::size_t all = into.measurements.size();
    const std::size_t kept = std::min(all, metric.treatment.measurements_max);
    into.measurements.erase(into.measurements.begin(),
                            into.measurements.end() - static_cast<std::ptrdiff_t>(kept));
}

void Machine::judge() {
    const bool is_end = ends();
    for (const KnownMetric& metric : metrics_) {
        if (!is_end && !result_of(status_, metric.name)) continue;
        MetricResult& of = result(metric);
        of.dry_run = metric.treatment.dry_run;
        if (is_under_way(of) && is_end && !is_job(metric)) {
            Measurement& open = of.measurements.back();
            open.phase = Phase::Inconclusive;
            open.message = stopped;
            open.finished = second_;
        }
        const Assessment is = assess(metric, of, is_end);
        if (is.phase == of.phase) continue;
        of.phase = is.phase;
        const std::string last = of.measurements.empty() ? "" : of.measurements.back().message;
        of.message = is.message;
        if (is_over(of.phase) && !last.empty())
            of.message += (of.message.empty() ? "" : "; the last one: ") + last;
    }
}

Instant Machine::due(const KnownMetric& metric,
                     const std::optional<MeasurementAnswer>& answer) const {
    const MetricResult* of = result_of(status_, metric.name);
    const Measurement* open = under_way(of);
    if (open && ends()) return {};
    const Instant resume = open ? open->resume : Instant{};
    const bool is_answered = answer && answer->key == key(metric, false);
    if (is_answered && std::holds_alternative<NotAsked>(answer->what))
        return std::max(resume, answer->at + asked_again);
    if (is_job(metric) && is_answered) return std::max(resume, answer->at + job_look_min);
    if (open) return resume;
    const Instant begin = status_.started + metric.initial_delay;
    if (taken(of) == 0) return begin;
    const Measurement* last = of->measurements.empty() ? nullptr : &of->measurements.back();
    const bool is_error = last ? last->phase == Phase::Error : of->consecutive_error > 0;
    const Duration pause =
        is_error ? error_pause : std::max(metric.interval.value_or(error_pause), interval_min);
    if (last) return std::max(last->finished, last->started) + pause;
    // What was measured did not fit into the status: as if each had come in time.
    constexpr std::int64_t taken_max = 1'000'000;
    return begin + pause * std::min(taken(of), taken_max);
}

Turn Machine::next(const std::optional<MeasurementAnswer>& answer) {
    const KnownMetric* first = nullptr;
    Instant first_due;
    for (const KnownMetric& metric : metrics_) {
        const MetricResult* of = result_of(status_, metric.name);
        if ((of && is_over(of->phase)) || (ends() && !under_way(of))) continue;
        const Instant at = due(metric, answer);
        if (first && at >= first_due) continue;
        first = &metric;
        first_due = at;
    }
    if (!first) return {std::move(status_), std::nullopt, std::nullopt, false};
    if (first_due > now_) return {std::move(status_), std::nullopt, first_due, false};
    Question asked = question(*first, answer);
    return {std::move(status_), std::move(asked), std::nullopt, false};
}

Question Machine::question(const KnownMetric& metric,
                           const std::optional<MeasurementAnswer>& answer) {
    const bool is_stop = is_job(metric) && ends();
    std::string about = key(metric, is_stop);
    const auto* seen =
        answer && answer->key == about ? std::get_if<JobSeen>(&answer->what) : nullptr;
    const bool is_made = seen && seen->state == JobSeen::State::Running;
    if (const auto* prometheus = std::get_if<Prometheus>(&metric.provider))
        return {std::move(about), PrometheusQuestion{*prometheus, metric.secrets,
                                                     prometheus->range ? now_ : Instant{}}};
    if (const auto* web = std::get_if<Web>(&metric.provider))
        return {std::move(about), WebQuestion{*web, metric.secrets}};
    return {std::move(about), job_question(metric, std::get<Job>(metric.provider), is_made)};
}

// That a Job is under way is written down before it is made, so that whoever ends the run knows.
JobQuestion Machine::job_question(const KnownMetric& metric, const Job& job, bool is_made) {
    using Act = JobQuestion::Act;
    MetricResult& of = result(metric);
    const std::int64_t number = taken(&of) + 1;
    const auto kept = static_cast<std::int64_t>(metric.treatment.measurements_max);
    JobQuestion asked;
    asked.name = job_name(run_, metric.name, number);
    asked.run_uid = run_.uid;
    if (!is_under_way(of)) {
        Measurement& fresh = of.measurements.emplace_back();
        fresh.phase = Phase::Running;
        fresh.started = second_;
        fresh.metadata = {{job_name_key, asked.name}};
    }
    asked.act = ends() ? Act::Stop : is_made ? Act::Look : Act::Run;
    if (asked.act != Act::Run) return asked;
    asked.body = job_body(run_, metric.name, job, asked.name);
    if (number > kept) asked.retired = job_name(run_, metric.name, number - kept);
    return asked;
}

}  // namespace

RunStatus refused(RunStatus status, const FieldErrors& errors, Instant now) {
    status.phase = Phase::Error;
    status.message = "The analysis cannot be made: " + to_text(errors);
    status.completed = in_whole_seconds(now);
    if (status.started == Instant{}) status.started = status.completed;
    return status;
}

Turn take_turn(const RunSpec& spec, RunStatus status, const RunContext& run,
               const std::optional<MeasurementAnswer>& answer, Instant now) {
    if (is_over(status.phase)) return {std::move(status), std::nullopt, std::nullopt, true};
    auto metrics = known_metrics(spec);
    if (!metrics)
        return {refused(std::move(status), metrics.error(), now), std::nullopt, std::nullopt, true};
    return Machine{spec, run, std::move(*metrics), std::move(status), now}.turn(answer);
}

}  // namespace sluice::api::analysis
