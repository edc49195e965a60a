// From steps to a plan: which weights expose how many pods, and what must pass in between.
#include "api/rollout_plugin/compile.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sluice::api::rollout_plugin {
namespace {

constexpr Instant noon{1'790'000'000'000};

struct Words {
    std::string operator()(const engine::PodsReady& gate) const {
        return gate.exposed_only ? "exposed" : "ready";
    }
    std::string operator()(const engine::RevisionSettled&) const { return "settled"; }
    std::string operator()(const engine::ExposureReached&) const { return "reached"; }
    std::string operator()(const engine::Pause& pause) const {
        return fmt::format("pause {}{}{}", pause.place, pause.began ? " begun" : "",
                           pause.is_over ? " over" : "");
    }
    std::string operator()(const engine::Analysis& analysis) const {
        return fmt::format("analysis {}", analysis.place);
    }
    std::string operator()(const auto&) const { return "?"; }
};

std::string words_of(const std::vector<engine::Gate>& gates) {
    std::string text;
    for (const engine::Gate& gate : gates)
        text += (text.empty() ? "" : ", ") + std::visit(Words{}, gate);
    return text;
}

// "[gates before] pods [gates after]" of every step.
std::string text_of(const engine::Plan& plan) {
    std::string text;
    for (const engine::Step& step : plan.steps)
        text += fmt::format("[{}] {}@{} [{}];", words_of(step.before), step.target.value,
                            step.place, words_of(step.after));
    return text;
}

Spec with_steps(std::vector<Step> steps) {
    Spec spec;
    spec.steps = std::move(steps);
    return spec;
}

const Spec two_weights = with_steps({SetWeight{40}, Pause{}, SetWeight{100}});

Circumstances at(int step, PodCount replicas = {5}) {
    Circumstances now{.replicas = replicas};
    now.step = step;
    now.step_since = noon;
    return now;
}

TEST(PluginWeights, AreRoundedDownButNeverToNothing) {
    struct Row {
        int percent, replicas, pods;
    };
    for (const Row& row : {Row{20, 10, 2}, Row{0, 10, 0}, Row{100, 10, 10}, Row{20, 4, 1},
                           Row{33, 3, 1}, Row{34, 3, 1}, Row{67, 3, 2}, Row{1, 1, 1}, Row{99, 1, 1},
                           Row{50, 0, 0}, Row{99, 10'000, 9'900}})
        EXPECT_EQ(pods_for(row.percent, {row.replicas}).value, row.pods)
            << row.percent << " percent of " << row.replicas;
}

TEST(PluginPlan, HasAStepForEachWeightWithThePausesBetweenThem) {
    EXPECT_EQ(text_of(compile(two_weights, at(0))),
              "[ready] 2@0 [];[ready, pause 1] 5@2 [ready, settled];");
}

TEST(PluginPlan, LeavesOutPausesThatAreBehind) {
    EXPECT_EQ(text_of(compile(two_weights, at(2))), "[ready] 2@0 [];[ready] 5@2 [ready, settled];");
}

TEST(PluginPlan, APauseOfNoTimeIsNone) {
    EXPECT_EQ(text_of(compile(with_steps({SetWeight{40}, Pause{0s}, SetWeight{100}}), at(0))),
              "[ready] 2@0 [];[ready] 5@2 [ready, settled];");
}

TEST(PluginPlan, KnowsThePauseThatIsUnderWay) {
    Circumstances now = at(1);
    now.pause_began = noon;
    EXPECT_EQ(text_of(compile(two_weights, now)),
              "[ready] 2@0 [];[ready, pause 1 begun] 5@2 [ready, settled];");
    now.pause_is_over = true;
    EXPECT_EQ(text_of(compile(two_weights, now)),
              "[ready] 2@0 [];[ready, pause 1 begun over] 5@2 [ready, settled];");
}

TEST(PluginPlan, OnlyThePauseThatIsReachedHasBegunOrIsOver) {
    Circumstances now = at(1);
    now.pause_began = noon;
    now.pause_is_over = true;
    EXPECT_EQ(text_of(compile(with_steps({SetWeight{40}, Pause{}, Pause{}}), now)),
              "[ready] 2@0 [];[ready, pause 1 begun over, pause 2] 5@3 [ready, settled];");
}

TEST(PluginPlan, LeavesOutAnalysesThatAreBehind) {
    const Spec spec = with_steps({SetWeight{40}, AnalysisCall{}, SetWeight{100}});
    EXPECT_EQ(text_of(compile(spec, at(1))),
              "[ready] 2@0 [];[ready, analysis 1] 5@2 [ready, settled];");
    EXPECT_EQ(text_of(compile(spec, at(2))), "[ready] 2@0 [];[ready] 5@2 [ready, settled];");
}

TEST(PluginPlan, OfNoPodsHasNoSteps) {
    EXPECT_EQ(text_of(compile(two_weights, at(0, {0}))), "");
}

TEST(PluginPlan, WhereNoPodsSayWhetherAWeightIsThereSomethingElseMust) {
    Circumstances now = at(0);
    now.by_plugin = true;
    EXPECT_EQ(text_of(compile(with_steps({SetWeight{40}}), now)),
              "[reached] 2@0 [];[reached] 5@1 [reached];");
}

TEST(PluginPlan, EndsWithAllPodsWhateverTheLastWeight) {
    EXPECT_EQ(text_of(compile(with_steps({SetWeight{40}, Pause{}}), at(0))),
              "[ready] 2@0 [];[ready, pause 1] 5@2 [ready, settled];");
    EXPECT_EQ(text_of(compile(with_steps({}), at(0))), "[ready] 5@0 [ready, settled];");
}

TEST(PluginPlan, RestsAlsoBehindTheLastWeight) {
    EXPECT_EQ(text_of(compile(with_steps({SetWeight{100}, Pause{}}), at(0))),
              "[ready] 5@0 [ready, pause 1, settled];");
}

TEST(PluginPlan, ExposesNothingForAWeightThatIsNoHigher) {
    EXPECT_EQ(
        text_of(compile(with_steps({SetWeight{0}, Pause{}, SetWeight{60}, SetWeight{20}, Pause{}}),
                        at(0))),
        "[ready, pause 1] 3@2 [];[ready, pause 4] 5@5 [ready, settled];");
}

TEST(PluginPlan, BoundsWhatIsExposedByTheStepThatIsReached) {
    const Spec spec = with_steps({SetWeight{0}, Pause{}, SetWeight{40}, Pause{}});
    EXPECT_EQ(compile(spec, at(0)).exposed_max, PodCount{0});
    EXPECT_EQ(compile(spec, at(1)).exposed_max, PodCount{0});
    EXPECT_EQ(compile(spec, at(2)).exposed_max, PodCount{2});
    EXPECT_EQ(compile(spec, at(3, {10})).exposed_max, PodCount{4});
    EXPECT_EQ(compile(spec, at(4)).exposed_max, PodCount{5});
}

TEST(PluginPlan, AsksNothingOnceItIsPromotedFully) {
    Circumstances now = at(1);
    now.promotes_fully = true;
    EXPECT_EQ(text_of(compile(two_weights, now)), "[] 5@3 [ready, settled];");
    EXPECT_FALSE(compile(two_weights, now).exposed_max.has_value());
}

// A pause that somebody ended may have been that of the analysis in the background.
TEST(PluginPlan, AcceptsAnAnalysisOnlyWhereItDecidedNothing) {
    using State = engine::Analysis::State;
    const Spec spec = with_steps({SetWeight{40}, AnalysisCall{}, SetWeight{100}});
    for (const State state : {State::Running, State::Bad, State::Unclear}) {
        Circumstances now = at(1);
        now.pause_is_over = true;
        now.analyses.emplace(1, engine::Analysis{.place = 1, .state = state});
        const engine::Plan plan = compile(spec, now);
        const auto& gate = std::get<engine::Analysis>(plan.steps.at(1).before.back());
        EXPECT_EQ(gate.is_accepted, state == State::Unclear);
    }
}

TEST(PluginPlan, TakesTheDeadlineFromTheLastProgress) {
    Spec spec = two_weights;
    spec.progress_deadline = 90s;
    spec.on_failure = OnFailure::Hold;
    EXPECT_EQ(compile(spec, at(0)).deadline, noon + 90s);
    EXPECT_EQ(compile(spec, at(0)).at_deadline, OnFailure::Hold);
    spec.abort_at_deadline = true;
    EXPECT_EQ(compile(spec, at(0)).at_deadline, OnFailure::Rollback);
    EXPECT_EQ(compile(spec, at(0)).on_failure, OnFailure::Hold);
    spec.on_failure = OnFailure::Rollback;
    EXPECT_EQ(compile(spec, at(0)).on_failure, OnFailure::Rollback);
}

TEST(PluginPlan, HasNoDeadlineWhileItRests) {
    Spec spec = with_steps({AnalysisCall{}, Pause{}, Pause{5min}});
    spec.progress_deadline = 90s;
    EXPECT_EQ(deadline_of(spec, at(0)), std::nullopt) << "measurements take as long as they take";
    Circumstances now = at(1);
    EXPECT_EQ(deadline_of(spec, now), noon + 90s) << "the pause has not begun";
    now.pause_began = noon;
    EXPECT_EQ(deadline_of(spec, now), std::nullopt);
    now.pause_is_over = true;
    EXPECT_EQ(deadline_of(spec, now), noon + 90s) << "a person has ended it";
    now.pause_is_over = false;
    now.step = 2;
    EXPECT_EQ(deadline_of(spec, now), noon + 5min + 90s);
    now.step_since = noon + 6min;
    EXPECT_EQ(deadline_of(spec, now), noon + 6min + 90s) << "it went on since";
    now.promotes_fully = true;
    now.step = 1;
    EXPECT_EQ(deadline_of(spec, now), noon + 6min + 90s);
}

TEST(PluginSteps, HaveADigestThatTellsThemApart) {
    const auto call = [](const std::string& name, bool of_cluster) {
        AnalysisCall one;
        one.templates.push_back({name, of_cluster});
        return one;
    };
    const std::vector<std::vector<Step>> lists = {{},
                                                  {SetWeight{20}},
                                                  {SetWeight{2}, SetWeight{0}},
                                                  {Pause{}},
                                                  {Pause{20s}},
                                                  {Pause{20ms}},
                                                  {AnalysisCall{}},
                                                  {call("rate", false)},
                                                  {call("rate", true)},
                                                  {call("errors", false)}};
    for (std::size_t i = 0; i < lists.size(); ++i)
        for (std::size_t j = 0; j < lists.size(); ++j)
            EXPECT_EQ(digest_of(lists[i]) == digest_of(lists[j]), i == j);
}

TEST(PluginSteps, HaveTheHighestWeightSoFar) {
    const std::vector<Step> steps = {Pause{}, SetWeight{40}, SetWeight{20}, Pause{}};
    EXPECT_EQ(weight_at(steps, 0), 0);
    EXPECT_EQ(weight_at(steps, 1), 40);
    EXPECT_EQ(weight_at(steps, 3), 40);
    EXPECT_EQ(weight_at(steps, 4), 100);
}

}  // namespace
}  // namespace sluice::api::rollout_plugin
