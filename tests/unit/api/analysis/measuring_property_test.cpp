// What holds for every run, whatever it is made of, whatever is answered, and whatever its status
// said before.
#include <gtest/gtest.h>

#include "base/dice.hpp"
#include "tests/unit/api/analysis/run_world.hpp"

namespace sluice::api::analysis {
namespace {

using namespace testing;

template <class Choice>
Choice pick(Dice& dice, std::initializer_list<Choice> choices) {
    return *(choices.begin() + dice.roll() % choices.size());
}

std::string random_metric(Dice& dice, int number) {
    const std::string name = "m" + std::to_string(number);
    std::string fields = R"("successCondition":"result[0] > 0")";
    if (dice.roll() % 2 == 0) fields += R"(,"failureCondition":"result[0] < 0")";
    if (dice.roll() % 2 == 0) {
        fields += R"(,"interval":")" + pick<std::string>(dice, {"0s", "1s", "30s", "1h"}) + "\"";
        fields += ",\"count\":" + pick<std::string>(dice, {"0", "2", "5"});
    }
    if (dice.roll() % 3 == 0) fields += R"(,"initialDelay":"45s")";
    fields += ",\"consecutiveErrorLimit\":" + pick<std::string>(dice, {"0", "1", "4"});
    if (dice.roll() % 4 == 0) fields += R"(,"failureLimit":-1,"consecutiveSuccessLimit":2)";
    return dice.roll() % 3 == 0 ? job_json(name, fields) : metric_json(name, fields);
}

RunSpec random_spec(Dice& dice) {
    std::string metrics = random_metric(dice, 0);
    const int more = static_cast<int>(dice.roll() % 4);
    for (int i = 1; i <= more; ++i)
        metrics += "," + random_metric(dice, i);
    const std::string rules = dice.roll() % 3 == 0 ? R"(,"dryRun":[{"metricName":"m0"}])" : "";
    return spec_of(metrics, rules);
}

Reply random_reply(Dice& dice, const Question& question) {
    using State = JobSeen::State;
    if (dice.roll() % 3 == 0) return error();
    const auto* about_job = std::get_if<JobQuestion>(&question.what);
    if (!about_job) return value(pick(dice, {-1.0, 0.0, 1.0, 1.0, 1.0}));
    if (about_job->act == JobQuestion::Act::Stop) return job(State::Stopped);
    return job(pick(dice, {State::Running, State::Running, State::Succeeded, State::Failed}));
}

// Lets a run go on until it is over; `watch` sees every turn.
template <class React, class Watch>
void play(RunWorld& world, Dice& dice, int turns_max, React react, Watch watch) {
    world.turn();
    for (int i = 0; i < turns_max && !world.last().is_over; ++i) {
        watch(world);
        if (dice.roll() % 8 == 0) world.forget_answer();
        if (dice.roll() % 64 == 0) world.spec().terminate = true;
        if (world.last().question)
            world.answer(react(*world.last().question));
        else if (world.last().wake_at)
            world.wait();
        else
            FAIL() << "nothing will ever happen";
    }
    watch(world);
}

bool has_outcome(const MetricResult& result) {
    return result.successful + result.failed + result.inconclusive > 0;
}

TEST(AnyRun, InWhichEveryMeasurementErredIsNeverSuccessful) {
    Dice dice{1};
    for (int i = 0; i < 400; ++i) {
        RunWorld world{random_spec(dice)};
        play(
            world, dice, 200, [](const Question&) { return error(); },
            [](const RunWorld& at) {
                ASSERT_NE(at.status().phase, Phase::Successful);
                for (const MetricResult& one : at.status().results)
                    ASSERT_NE(one.phase, Phase::Successful) << one.name;
            });
    }
}

TEST(AnyRun, HasCountsThatNeverGoDownAndAddUp) {
    Dice dice{2};
    for (int i = 0; i < 400; ++i) {
        RunWorld world{random_spec(dice)};
        std::map<std::string, MetricResult> before;
        play(
            world, dice, 120, [&](const Question& asked) { return random_reply(dice, asked); },
            [&](const RunWorld& at) {
                for (const MetricResult& now : at.status().results) {
                    const MetricResult& then = before[now.name];
                    ASSERT_GE(now.count, then.count);
                    ASSERT_GE(now.successful, then.successful);
                    ASSERT_GE(now.failed, then.failed);
                    ASSERT_GE(now.inconclusive, then.inconclusive);
                    ASSERT_GE(now.error, then.error);
                    ASSERT_EQ(now.count, now.successful + now.failed + now.inconclusive);
                    if (is_over(then.phase)) ASSERT_EQ(now.phase, then.phase);
                    if (now.phase == Phase::Successful) ASSERT_TRUE(has_outcome(now));
                    before[now.name] = now;
                }
            });
    }
}

TEST(AnyRun, ThatIsEndedComesToAnEnd) {
    Dice dice{3};
    for (int i = 0; i < 200; ++i) {
        RunWorld world{random_spec(dice)};
        play(
            world, dice, 10, [&](const Question& asked) { return random_reply(dice, asked); },
            [](const RunWorld&) {});
        world.spec().terminate = true;
        world.turn();
        for (int stops = 0; stops < 8 && !world.last().is_over; ++stops)
            world.answer(job(JobSeen::State::Stopped));
        EXPECT_TRUE(world.last().is_over);
        EXPECT_FALSE(world.turn().question.has_value());
    }
}

RunStatus random_status(Dice& dice) {
    const auto number = [&] {
        return pick(dice, {0, 0, 1, 2, 7, std::numeric_limits<int>::max()});
    };
    const auto phase = [&] { return static_cast<Phase>(dice.roll() % 6); };
    const auto time = [&] {
        return pick(dice, {Instant{}, noon - 1h, noon, noon + 24h * 365 * 5000});
    };
    RunStatus status;
    status.phase = pick(dice, {Phase::Pending, Phase::Running, Phase::Running, phase()});
    status.started = time();
    for (std::uint64_t i = dice.roll() % 6; i > 0; --i) {
        MetricResult& result = status.results.emplace_back();
        result = {"m" + std::to_string(dice.roll() % 4),
                  phase(),
                  "?",
                  dice.roll() % 2 == 0,
                  number(),
                  number(),
                  number(),
                  number(),
                  number(),
                  number(),
                  number(),
                  {}};
        for (std::uint64_t k = dice.roll() % 3; k > 0; --k)
            result.measurements.push_back({phase(), "", "", time(), time(), time(), {}});
    }
    return status;
}

TEST(AnyRun, TakesATurnFromWhateverItsStatusSays) {
    Dice dice{4};
    for (int i = 0; i < 3000; ++i) {
        const RunSpec spec = random_spec(dice);
        const RunStatus status = random_status(dice);
        const Turn first = take_turn(spec, status, shop_run, std::nullopt, noon);
        const Turn again = take_turn(spec, status, shop_run, std::nullopt, noon);
        EXPECT_EQ(first.status, again.status);
        EXPECT_EQ(first.question, again.question);
        EXPECT_EQ(first.wake_at, again.wake_at);
        EXPECT_EQ(first.is_over, is_over(first.status.phase));
        EXPECT_TRUE(first.is_over || first.question || first.wake_at);
        if (!first.question) continue;
        const MeasurementAnswer answer{first.question->key, random_reply(dice, *first.question),
                                       noon};
        const Turn next = take_turn(spec, first.status, shop_run, answer, noon);
        EXPECT_TRUE(next.is_over || next.question || next.wake_at);
    }
}

}  // namespace
}  // namespace sluice::api::analysis
