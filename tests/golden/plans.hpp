// A plan as text that a person can check.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "engine/plan.hpp"

namespace sluice::golden {

inline std::string pod(std::optional<PodIndex> index) {
    return index ? fmt::format("pod {}", index->value) : "nothing";
}

inline std::string told(const engine::PodsReady& gate) {
    std::string text =
        gate.except
            ? fmt::format("all pods are ready, but those from {} on that go now", pod(gate.except))
            : "all pods are ready";
    return gate.exposed_only ? text + ", those behind the gate aside" : text;
}

inline std::string told(const engine::PodsRunning& gate) {
    return fmt::format("pods let go before run the new revision; pod {} is there", pod(gate.next));
}

inline std::string told(const engine::RevisionSettled&) {
    return "Kubernetes has made the new revision current";
}

inline std::string told(const engine::SettleTime& gate) {
    return fmt::format("those let go before have been ready for {}", to_text(gate.length));
}

inline std::string told(const engine::ExposureReached&) {
    return "what was asked for is there";
}

inline std::string told(const engine::HookApproval& gate) {
    return fmt::format(
        "hook {} approves the way from {} to {} (asked again after {}, valid for {})", gate.hook,
        pod(gate.prev), pod(gate.next), to_text(gate.retry), to_text(gate.evidence_age_max));
}

inline std::string told(const engine::MetricCheck& gate) {
    std::string text = fmt::format("{} of {} at {} {} data {} times in a row (after {}, every {})",
                                   "the answer to", gate.query->expr, gate.query->url,
                                   gate.passes_on_data ? "has" : "has no", gate.success_threshold,
                                   to_text(gate.initial_delay), to_text(gate.period));
    if (gate.max_tries) text += fmt::format(", within {} tries", *gate.max_tries);
    if (gate.failure_threshold)
        text += fmt::format(", never {} times not", *gate.failure_threshold);
    return fmt::format("{}, for pod {}", text, gate.next.value);
}

inline std::string told(const engine::Pause& gate) {
    return gate.length ? fmt::format("a pause of {} is over", to_text(*gate.length))
                       : "somebody ends a pause";
}

inline std::string told(const engine::Analysis& gate) {
    return fmt::format("the analysis of step {} ends well", gate.place + 1);
}

inline std::string told(const engine::JobSuccess& gate) {
    return fmt::format("Job {} ends well", gate.job);
}

inline std::string told(const engine::Refused& gate) {
    return "never: " + gate.message;
}

inline std::string gates(const char* when, const std::vector<engine::Gate>& all) {
    std::string text;
    for (const engine::Gate& gate : all)
        text += fmt::format("    {} {}\n", when,
                            std::visit([](const auto& one) { return told(one); }, gate));
    return text;
}

inline std::string told(const engine::Plan& plan, PodCount replicas) {
    std::string text = fmt::format("{} replicas\n", replicas.value);
    for (const engine::Step& step : plan.steps)
        text +=
            fmt::format("{}  expose {} of {} (partition {})\n{}", gates("before", step.before),
                        step.target.value, replicas.value,
                        partition_for(step.target, replicas).value, gates("after ", step.after));
    return text;
}

}  // namespace sluice::golden
