#include "sim/demo/story.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "api/registry.hpp"
#include "sim/demo/chronicle.hpp"
#include "sim/demo/stage.hpp"

namespace sluice::sim::demo {
namespace {

#ifdef SLUICE_SANITIZED  // make test-deep plays all of them, without
constexpr std::uint64_t seeds = 3;
#else
constexpr std::uint64_t seeds = 20;
#endif
// Half a minute of a viewer's time at three times the speed of life.
constexpr Duration length_most = 110s;

std::vector<Scene> played(const Story& story, std::uint64_t seed) {
    Stage stage{story, seed};
    std::vector<Scene> scenes{stage.scene()};
    while (!stage.is_over())
        scenes.push_back(stage.next());
    EXPECT_TRUE(stage.ended_well());
    return scenes;
}

std::string told(const std::vector<Scene>& scenes) {
    std::string text;
    for (std::size_t i = 1; i < scenes.size(); ++i)
        for (const std::string& line : news(scenes[i - 1], scenes[i]))
            text += line + "\n";
    return text;
}

TEST(DemoStories, ExistTwiceForEveryApiThatSteersWorkloads) {
    for (const api::Api& api : api::apis()) {
        if (!api.steers_workloads()) continue;
        EXPECT_NE(find_story(api.name, false), nullptr) << api.name;
        EXPECT_NE(find_story(api.name, true), nullptr) << api.name;
    }
    EXPECT_EQ(find_story("mars", false), nullptr);
}

TEST(DemoStories, EndWellWithEverySeed) {
    for (const Story& story : stories())
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            const Scene last = played(story, seed).back();
            ASSERT_TRUE(last.summary) << story.title << ", seed " << seed;
            EXPECT_TRUE(last.summary->violations.empty());
            EXPECT_EQ(last.set.reason, story.ends);
            EXPECT_EQ(count_ready(last), last.set.replicas);
            EXPECT_LE(last.now - last.begun, length_most) << story.title << ", seed " << seed;
        }
}

TEST(DemoStories, TakeOnePodAtATime) {
    for (const Story& story : stories())
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            const Scene last = played(story, seed).back();
            EXPECT_EQ(last.summary->serving_least, last.set.replicas - story.away_most);
        }
}

TEST(DemoStories, AreTheSameWithTheSameSeedAndOtherwiseNot) {
    for (const Story& story : stories()) {
        const std::string text = told(played(story, 1));
        EXPECT_EQ(told(played(story, 1)), text);
        EXPECT_NE(told(played(story, 2)), text);
    }
}

TEST(DemoStories, BeginWithASetThatRestsAndIsSteered) {
    for (const Story& story : stories()) {
        const Scene scene = Stage{story, 1}.scene();
        EXPECT_TRUE(scene.set.phase == "Idle" || scene.set.phase == "Updated" ||
                    scene.set.phase == "Healthy" || scene.set.phase == "Ready");
        EXPECT_EQ(scene.set.guarantee, "Prevent");
        EXPECT_EQ(count_ready(scene), scene.set.replicas);
        EXPECT_FALSE(is_pending(scene));
    }
}

TEST(PilotStory, IsRefusedTwiceBeforeTheSecondPod) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const auto scenes = played(*find_story("pilot", false), seed);
        EXPECT_EQ(scenes.back().summary->refusals, 2);
        EXPECT_EQ(scenes.back().summary->transitions, 4);
        EXPECT_EQ(scenes.back().summary->steps, 3);
        for (const Scene& scene : scenes)
            if (scene.set.reason == "HookRefused") {
                EXPECT_EQ(scene.set.partition, 2);
                EXPECT_NE(scene.set.message.find("shards are relocating"), std::string::npos);
            }
    }
}

TEST(PilotStory, KeepsTheGateShutForAStranger) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const auto scenes = played(*find_story("pilot", false), seed);
        const auto tried = std::ranges::find_if(
            scenes, [](const Scene& one) { return one.action && !one.action->answer.empty(); });
        ASSERT_NE(tried, scenes.end());
        EXPECT_TRUE(tried->action->answer.starts_with("Warning: Sluice steers this StatefulSet."));
        EXPECT_EQ(tried->set.partition, 2);
        EXPECT_TRUE(tried->set.refused.starts_with("partition 0, by deploy-bot"));
        EXPECT_EQ(tried->set.reason, "HookRefused");
    }
}

TEST(PilotFailureStory, IsHeldWhileTheOthersServeTheOldVersion) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        Duration held{0};
        for (const Scene& scene : played(*find_story("pilot", true), seed)) {
            EXPECT_GE(count_ready(scene), 2);
            EXPECT_NE(scene.pods[1].image, "app:1.1");
            EXPECT_NE(scene.pods[2].image, "app:1.1");
            if (scene.pods[0].image == "app:1.1" && !scene.pods[0].ready) held += Stage::beat;
        }
        EXPECT_GE(held, 20s) << "seed " << seed;
    }
}

TEST(PilotFailureStory, NeedsNobodyWhoDeletesTheStuckPod) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const std::vector<Scene> scenes = played(*find_story("pilot", true), seed);
        EXPECT_TRUE(std::ranges::none_of(scenes, [](const Scene& scene) {
            return scene.action && scene.action->command.contains("delete");
        }));
        EXPECT_TRUE(told(scenes).contains("StuckPodReplaced: Pod db-2"));
    }
}

TEST(DemoChronicle, TellsTheStoryInPlainLines) {
    const std::string text = told(played(*find_story("pilot", false), 1));
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    for (const char* line :
         {"$ kubectl -n shop set image statefulset/db app=app:1.1",
          "gate closed: all 3 pods are behind it (partition 1000000)",
          "gate closed: 1 through, 2 behind it (partition 2)", "HookRefused: Hook shard-check",
          "kept back: partition 0, by deploy-bot", "db-0 is gone", "to unblock: it is asked again",
          "gate open: all 3 pods are through (partition 0)", "Idle, RolloutCompleted"})
        EXPECT_NE(text.find(line), std::string::npos) << line;
}

TEST(DemoChronicle, SaysNothingWhereNothingHappened) {
    const Scene scene = Stage{*find_story("pilot", false), 1}.scene();
    EXPECT_TRUE(news(scene, scene).empty());
}

}  // namespace
}  // namespace sluice::sim::demo
