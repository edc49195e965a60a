// The gate that Prometheus opens.
#include <fmt/format.h>

#include <algorithm>

#include "base/hash.hpp"
#include "engine/gates.hpp"
#include "engine/steering.hpp"

namespace sluice::engine {
namespace {

// Until the next question, after one that could not be answered: a period, but no longer than this.
constexpr Duration error_pace_most = 30s;
// A pass is acted on at once or not at all; and passes further apart than this beside their period
// are not "in a row", for nobody was looking in between.
constexpr Duration grace = 60s;
// A delay so short that saying it would come too late.
constexpr Duration short_delay = 5s;

// What was collected before the window opened says nothing about it.
CheckProgress in_window(CheckProgress progress, Instant window) {
    if (progress.window == window) return progress;
    CheckProgress fresh;
    fresh.about = std::move(progress.about);
    fresh.since = progress.since;
    fresh.window = window;
    return fresh;
}

// Nobody knows what to make of it: no answer, or a value that is none where data is to pass.
bool is_unknown(const MetricCheck& gate, const MetricAnswer& answer) {
    if (answer.kind == MetricAnswer::Kind::Unknown) return true;
    return answer.kind == MetricAnswer::Kind::Data && gate.passes_on_data && !answer.is_number;
}

// Passes that lead nowhere, because nobody looked for too long, use up no tries either: a rollout
// is not given up for them.
void void_passes(CheckProgress& progress) {
    progress.tries = std::max(0, progress.tries - progress.successes);
    progress.successes = 0;
}

void count(CheckProgress& progress, const MetricCheck& gate, const MetricAnswer& answer,
           Instant at) {
    progress.last_text = answer.text;
    if (is_unknown(gate, answer)) {
        if (answer.kind == MetricAnswer::Kind::Data)
            progress.last_text = "the value is not a number";
        progress.last_result = CheckResult::Error;
        return;
    }
    const bool passed = (answer.kind == MetricAnswer::Kind::Data) == gate.passes_on_data;
    if (at - progress.last > gate.period + grace) void_passes(progress);
    ++progress.tries;
    progress.failed += passed ? 0 : 1;
    progress.successes = passed ? progress.successes + 1 : 0;
    progress.failures = passed ? 0 : progress.failures + 1;
    progress.last_result = passed ? CheckResult::Passed : CheckResult::Failed;
    progress.last = at;
}

std::string tally(const MetricCheck& gate, const CheckProgress& progress) {
    std::string text =
        fmt::format("{} of {} passes in a row", progress.successes, gate.success_threshold);
    if (gate.max_tries)
        text += fmt::format("; {} of at most {} checks used", progress.tries, *gate.max_tries);
    return text + ".";
}

// What went wrong, in words that stay the same from check to check.
std::string how_it_failed(const MetricCheck& gate) {
    return gate.passes_on_data ? "Prometheus returned no data, where data means a pass"
                               : "Prometheus returned data, where only no data means a pass";
}

// No more tries: how many there were, and what the last one said.
std::optional<Fail> used_up(const MetricCheck& gate, const CheckProgress& progress,
                            const std::string& pod) {
    const bool in_a_row = gate.failure_threshold && progress.failures >= *gate.failure_threshold;
    const bool tried = gate.max_tries && progress.tries >= *gate.max_tries;
    if (!in_a_row && !tried) return std::nullopt;
    return Fail{
        Reason::ChecksExhausted,
        in_a_row ? fmt::format("{} checks in a row failed before pod {}. The last answer: {}.",
                               progress.failures, pod, progress.last_text)
                 : fmt::format("{} checks were made before pod {}, and never {} in a row passed. "
                               "The last answer: {}.",
                               progress.tries, pod, gate.success_threshold, progress.last_text),
        progress};
}

// What a person reads while the checks go on, by how the last one went.
Hold going_on(const MetricCheck& gate, const CheckProgress& progress, bool misconfigured,
              const std::string& pod, const Snapshot& seen, Instant now) {
    if (progress.last_result == CheckResult::Error)
        return {
            misconfigured ? Reason::PrometheusConfigError : Reason::PrometheusError,
            fmt::format("The check before pod {} could not be made: {}.", pod, progress.last_text)};
    if (progress.last_result == CheckResult::Failed)
        return {Reason::CheckFailed,
                fmt::format("The check before pod {} failed: {}. The answer: {}; {}", pod,
                            how_it_failed(gate), progress.last_text, tally(gate, progress))};
    const std::string text = fmt::format("Checking before pod {}: {}", pod, tally(gate, progress));
    if (progress.tries > 0) return {Reason::CheckingMetrics, text};
    return brief_hold(Reason::CheckingMetrics, text, seen, now);
}

// What we remember of a step may rest on an old view of the status; what the status says may be
// somebody else's writing. Where they differ, the less hopeful of the two counts.
CheckProgress more_cautious(CheckProgress ours, const CheckProgress& reported) {
    // A pass that only one of them knows of is asked for again, and uses up no try.
    const int in_vain = std::max(ours.tries - ours.successes, reported.tries - reported.successes);
    ours.since = std::max(ours.since, reported.since);
    ours.successes = std::min(ours.successes, reported.successes);
    ours.tries = in_vain + ours.successes;
    ours.failures = std::max(ours.failures, reported.failures);
    ours.failed = std::max(ours.failed, reported.failed);
    ours.last = std::max(ours.last, reported.last);
    return ours;
}

}  // namespace

void recall_progress(Snapshot& seen, std::optional<CheckProgress> reported) {
    if (!seen.progress)
        seen.progress = std::move(reported);
    else if (reported && reported->about == seen.progress->about)
        seen.progress = more_cautious(std::move(*seen.progress), *reported);
}

// The generation is that of our last move of the gate: a gate that comes back to where it was is
// another step.
std::string check_subject(const Snapshot& seen, std::string_view definition) {
    const model::StatefulSet& set = seen.workload;
    const Memory memory = recall(set).value_or(Memory{});
    return hex_digest(fmt::format("{} {} {} {} {} {}", set.meta.uid, memory.id, memory.generation,
                                  set.update_revision, memory.partition.value, definition));
}

CheckProgress progress_of(const Snapshot& seen, std::string_view definition, Instant now) {
    std::string about = check_subject(seen, definition);
    // Another operator's clock may have been ahead: a time that is yet to come counts for nothing.
    const auto& known = seen.progress;
    if (known && known->about == about && std::max(known->since, known->last) <= now + grace)
        return *known;
    CheckProgress fresh;
    fresh.about = std::move(about);
    fresh.since = in_whole_seconds(now);
    return fresh;
}

Verdict judge(const MetricCheck& gate, const Standing& standing, Instant now) {
    const Snapshot& seen = standing.seen;
    CheckProgress progress = progress_of(seen, gate.definition, now);
    const Instant window = std::max(progress.since, standing.available_since(gate.exposed_only));
    progress = in_window(std::move(progress), window);
    const std::string pod = standing.pods.name_of(gate.next);
    const std::string key = fmt::format("{} {}", progress.about, to_rfc3339(window));

    // What failed stays so: an answer that came later, or to somebody with an old view, is none.
    if (auto fail = used_up(gate, progress, pod)) return std::move(*fail);
    const Evidence* evidence = last_of<MetricAnswer>(seen.evidence);
    // The API keeps whole seconds.
    const Instant at = evidence ? in_whole_seconds(evidence->at) : Instant{};
    const bool is_news =
        evidence && evidence->key == key && at > progress.last && now - at <= grace;
    const MetricAnswer answer = is_news ? *opened<MetricAnswer>(*evidence->answer) : MetricAnswer{};
    if (is_news) count(progress, gate, answer, at);
    const bool passed = progress.successes >= gate.success_threshold;
    if (passed && now - progress.last <= grace) return Pass{std::move(progress)};
    if (passed) void_passes(progress);  // too long ago to act on
    if (auto fail = used_up(gate, progress, pod)) return std::move(*fail);

    const Instant first = window + gate.initial_delay;
    Instant next = progress.last + gate.period;
    if (is_news && is_unknown(gate, answer))
        next = std::max(next, at + std::min(error_pace_most, gate.period));
    Hold hold =
        now < first
            ? Hold{Reason::InitialDelay,
                   fmt::format("All pods are available; the checks before pod {} begin after a "
                               "delay of {}.",
                               pod, sluice::to_text(gate.initial_delay))}
            : going_on(gate, progress, is_news && answer.misconfigured, pod, seen, now);
    if (now < first) hold.silent = gate.initial_delay <= short_delay;
    const Instant due = std::max(first, next);
    if (now < due)
        hold.until = hold.until ? std::min(*hold.until, due) : due;
    else
        hold.probe = Probe{key, question_of(*gate.query)};
    // An old trouble is asked about anew before it is told anew.
    if (hold.probe && !is_news && progress.last_result == CheckResult::Error) hold.silent = true;
    hold.progress = std::move(progress);
    return hold;
}

}  // namespace sluice::engine
