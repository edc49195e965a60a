// The operator dies at every single effect of a rollout, and another takes over with nothing but
// what stands in the cluster. The hook hears the same questions in the same order each time.
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/controller/operators.hpp"

namespace sluice::controller {
namespace {

using namespace testing;

constexpr const char* partition_path = "/spec/updateStrategy/rollingUpdate/partition";

struct Story {
    std::string pods;
    std::vector<std::string> transitions;  // by idempotency key, each once, in order
    int effects = 0;
    bool let_go_unasked = false;
};

// Adoption and a rollout of three pods, with deaths before the given effects.
Story play(const std::set<int>& deaths, bool behind = false) {
    Cluster cluster;
    cluster.add_set(web, 3);
    cluster.live(noon);
    Operator sluice{cluster};
    sluice.crash_at = deaths;
    sluice.dies_behind = behind;
    std::set<std::string> allowed, asked;
    Story story;
    sluice.hook = [&](const api::hooks::Transition& transition) {
        allowed.insert(transition.next ? transition.next->name : "end");
        if (asked.insert(transition.idempotency_key).second)
            story.transitions.push_back((transition.prev ? transition.prev->name : "nil") + " > " +
                                        (transition.next ? transition.next->name : "nil"));
        return true;
    };
    sluice.fate = [&](const Write& patch) {
        for (const int pod : {0, 1, 2}) {
            const std::string lowered =
                fmt::format(R"("replace","path":"{}","value":{}}})", partition_path, pod);
            const bool lets_go = patch.action.body.find(lowered) != std::string::npos;
            if (lets_go && !allowed.contains(fmt::format("web-{}", pod)))
                story.let_go_unasked = true;
        }
        return Fate{};
    };
    sluice.run_for(1min);
    cluster.change_template(web, 1);
    sluice.run_for(5min);
    story.pods = cluster.pods(web);
    story.effects = sluice.effects_done;
    if (cluster.set(web).partition != Partition{3}) story.pods += " and the gate is not at rest";
    return story;
}

const std::vector<std::string> whole{"nil > web-2", "web-2 > web-1", "web-1 > web-0",
                                     "web-0 > nil"};

void expect_good_end(const Story& story, const std::string& what) {
    EXPECT_EQ(story.pods, "B B B") << what;
    EXPECT_EQ(story.transitions, whole) << what;
    EXPECT_FALSE(story.let_go_unasked) << what;
}

TEST(ControllerCrash, WithoutACrashTheHookHearsEachTransitionOnce) {
    expect_good_end(play({}), "no crash");
}

TEST(ControllerCrash, AtAnyEffectTheRolloutStillGoesItsWay) {
    const int effects = play({}).effects;
    ASSERT_GT(effects, 20);
    for (int at = 0; at < effects; ++at) {
        expect_good_end(play({at}), fmt::format("crash before effect {}", at));
        expect_good_end(play({at}, true), fmt::format("crash behind effect {}", at));
    }
}

TEST(ControllerCrash, AtAnyTwoEffectsTheRolloutStillGoesItsWay) {
    const int effects = play({}).effects;
    for (int first = 0; first < effects; ++first) {
        for (int second = first + 1; second < effects + 12; ++second)
            expect_good_end(play({first, second}, second % 2 == 0),
                            fmt::format("crashes at effects {} and {}", first, second));
    }
}

}  // namespace
}  // namespace sluice::controller
