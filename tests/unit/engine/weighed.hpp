// A workload whose share a program outside moves, what that program said last, and what is
// remembered of it: weighed_at(20) is a rollout from v1 to v2 at 20 %, verified just now, whose
// steps are 20, 60 and all of it.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "engine/weight_lever.hpp"
#include "tests/unit/engine/steered.hpp"

namespace sluice::engine::testing {

// What a probe of the program is for.
struct Asked {
    WeightGoal goal;
    bool inits = false;
};

// Null: it is not asked.
inline const Asked* asked(const Decision& decision) {
    return decision.probe ? engine::opened<Asked>(*decision.probe->question) : nullptr;
}

class Program final : public WeightPlugin {
  public:
    std::string title() const override { return "Plugin split"; }
    std::optional<WeightReality> reality() const override {
        return problem.empty() ? there : std::nullopt;
    }
    std::string error() const override { return problem; }
    std::optional<WeightObservation> observed(const WeightGoal& goal) const override {
        if (key != key_of(goal)) return std::nullopt;
        return problem.empty() ? said : WeightObservation{};
    }
    Instant at() const override { return asked_at; }
    Probe probe(const WeightGoal& goal, bool inits) const override {
        return {key_of(goal), question_of(Asked{goal, inits})};
    }

    static std::string key_of(const WeightGoal& goal) {
        return fmt::format("{} {} {} {}", static_cast<int>(goal.what), goal.rollout, goal.revision,
                           goal.weight);
    }

    std::optional<WeightReality> there = {};
    std::string problem = {};
    std::string key = {};  // of the last probe; empty: there was none
    WeightObservation said = {};
    Instant asked_at = {};
};

inline constexpr std::uint64_t list_of_steps = 7;
inline constexpr int last_place = 2;
constexpr int place_of(int percent) {
    return percent == 100 ? last_place : percent == 60 ? 1 : 0;
}

// Every step waits for the share before it, and the end for all of it.
inline Plan by_weight() {
    Plan plan;
    for (const int percent : {20, 60, 100})
        plan.steps.push_back({PodCount{percent}, {ExposureReached{}}, {}, place_of(percent)});
    plan.steps.back().after = {ExposureReached{}};
    return plan;
}

struct Weighed {
    Snapshot look = {};
    Program program = {};
    Course course = testing::course(by_weight());
    Weight weight = {.plugin = nullptr,
                     .binding = "split",
                     .memory = {},
                     .current = "v1",
                     .last_place = last_place};

    Decision steered(Instant now = noon) const {
        Course wish = course;
        wish.weight = weight;
        wish.weight->plugin = &program;
        return steer(look, wish, now);
    }
    Memory& memory() { return weight.memory.value(); }
    // It was asked for this just now, and that came of it.
    void answers(const WeightGoal& goal, const std::string& lacks = {}) {
        program.key = Program::key_of(goal);
        program.said = {lacks.empty(), lacks};
        program.asked_at = noon;
    }
    // The operator has started anew: nobody has asked yet.
    void knows_nothing() {
        program.there.reset();
        program.key.clear();
    }
};

// Before anybody has asked, with nothing to remember.
inline Weighed weighed() {
    Weighed one;
    one.course.list = list_of_steps;
    one.course.allowed = Reason::StepTaken;
    return one;
}

// Looked at just now; no rollout is under way.
inline Weighed weighed_at_rest(const std::string& current, const std::string& updated) {
    Weighed one = weighed();
    one.program.there = WeightReality{current, updated, true, current == updated};
    one.answers({});
    Memory memory;
    memory.uid = "split";
    memory.id = 1;
    memory.revision = current;
    memory.partition = closed_partition;
    one.weight.memory = memory;
    return one;
}

inline WeightGoal weigh(int percent) {
    return {WeightGoal::What::Weigh, 2, "v2", percent};
}
inline const WeightGoal promote{WeightGoal::What::Promote, 2, "v2", 100};
inline const WeightGoal take_back{WeightGoal::What::Return, 2, "v2", 0};

inline Weighed weighed_at(int percent) {
    Weighed one = weighed_at_rest("v1", "v2");
    Memory& memory = one.memory();
    memory.id = 2;
    memory.revision = "v2";
    memory.partition = partition_for(PodCount{percent}, PodCount{100});
    memory.open = true;
    memory.started = noon - 10min;
    memory.place = place_of(percent);
    memory.list = list_of_steps;
    one.answers(percent == 100 ? promote : weigh(percent));
    return one;
}

// The share that the decision remembers as asked for; nothing: none is.
inline std::optional<int> weight_in(const Decision& decision) {
    if (!decision.memory) return std::nullopt;
    return exposed_count(decision.memory->partition, PodCount{100}).value;
}

}  // namespace sluice::engine::testing
