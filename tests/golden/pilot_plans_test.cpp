// What a subscription to the pilot means, pod by pod, as text.
#include <fmt/format.h>

#include "api/pilot/compile.hpp"
#include "tests/golden/golden.hpp"

namespace sluice::golden {
namespace {

std::string pod(std::optional<PodIndex> index) {
    return index ? fmt::format("pod {}", index->value) : "nothing";
}

std::string told(const engine::PodsReady& gate) {
    std::string text = gate.except ? fmt::format("all pods but {} are ready", pod(gate.except))
                                   : "all pods are ready";
    return gate.exposed_only ? text + ", those behind the gate aside" : text;
}

std::string told(const engine::RevisionSettled&) {
    return "Kubernetes has made the new revision current";
}

std::string told(const engine::HookApproval& gate) {
    return fmt::format(
        "hook {} approves the way from {} to {} (asked again after {}, valid for {})", gate.hook,
        pod(gate.prev), pod(gate.next), to_text(gate.retry), to_text(gate.evidence_age_max));
}

std::string gates(const char* when, const std::vector<engine::Gate>& all) {
    std::string text;
    for (const engine::Gate& gate : all)
        text += fmt::format("    {} {}\n", when,
                            std::visit([](const auto& one) { return told(one); }, gate));
    return text;
}

std::string plan_for(PodCount replicas) {
    const engine::Plan plan = api::pilot::compile({"careful", false}, replicas, 30s);
    std::string text = fmt::format("{} replicas\n", replicas.value);
    for (const engine::Step& step : plan.steps)
        text +=
            fmt::format("{}  expose {} of {} (partition {})\n{}", gates("before", step.before),
                        step.target.value, replicas.value,
                        partition_for(step.target, replicas).value, gates("after ", step.after));
    return text;
}

TEST(Golden, ThePlansOfThePilotReadAsTheyShould) {
    std::string text;
    for (const int replicas : {1, 3, 7})
        text += plan_for(PodCount{replicas}) + "\n";
    expect_golden("tests/golden/pilot_plans.golden", text);
}

}  // namespace
}  // namespace sluice::golden
