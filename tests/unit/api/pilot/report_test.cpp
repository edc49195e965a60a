// What a person reads on the StatefulSet, and how often it is written.
#include "engine/report.hpp"

#include <gtest/gtest.h>

#include "tests/unit/api/pilot/situation.hpp"

namespace sluice::api::pilot {
namespace {

using namespace testing;

model::Texts annotations_after(const Snapshot& look, Instant now = noon) {
    const Decision decision = decide(look, now);
    return patch_in(decision) ? after(look, decision).workload.annotations
                              : look.workload.annotations;
}

TEST(PilotReport, SaysPhaseReasonMessageUnblockAndSinceWhen) {
    const model::Texts texts = annotations_after(answered(open_at(3, 2), false, "backup running"));
    EXPECT_EQ(texts.at(key::phase), "Rolling");
    EXPECT_EQ(texts.at(key::reason), "HookRefused");
    EXPECT_EQ(texts.at(key::message),
              "Hook careful refused between web-2 and web-1: backup running");
    EXPECT_EQ(
        texts.at(key::unblock),
        "it is asked again by itself; to stop asking: kubectl -n shop annotate statefulset web "
        "sluice.dev/paused=true");
    EXPECT_EQ(texts.at(key::since), to_rfc3339(noon));
    EXPECT_EQ(texts.at(key::guarantee), "Detect");
}

TEST(PilotReport, SinceStaysWhilePhaseAndReasonStay) {
    Snapshot look = answered(open_at(3, 2), false, "backup running");
    look = after(look, decide(look, noon));
    look.evidence.at(0).answer =
        engine::answer_of(engine::HookAnswer{false, "backup still running"});
    look.evidence.at(0).at = noon + 30s;
    const model::Texts texts = annotations_after(look, noon + 30s);
    EXPECT_EQ(texts.at(key::message),
              "Hook careful refused between web-2 and web-1: backup still running");
    EXPECT_EQ(texts.at(key::since), to_rfc3339(noon));
}

TEST(PilotReport, TheSameWordsAreNotWrittenTwice) {
    for (const Snapshot& look :
         {answered(open_at(3, 2), false, "backup"), resting(3), open_at(3, 0)}) {
        Snapshot now = look;
        const Decision first = decide(now, noon);
        if (patch_in(first)) now = after(now, first);
        const Decision second = decide(now, noon + 1s);
        EXPECT_FALSE(patch_in(second)) << line(second);
        EXPECT_TRUE(second.notices.empty()) << line(second);
    }
}

TEST(PilotReport, AGuaranteeThatIsNoLongerTrueIsWrittenDownAlsoWhileNothingHappens) {
    Snapshot look = resting(3);
    look.environment.guarantee = engine::Guarantee::Prevent;
    EXPECT_EQ(annotations_after(look).at(key::guarantee), "Prevent");
    look = allowed(open_at(3, 2));
    look.environment.guarantee = engine::Guarantee::Prevent;
    EXPECT_EQ(annotations_after(look).at(key::guarantee), "Prevent");
}

TEST(PilotReport, AMessageOfAStrangerIsCutAtACharacterNotInside) {
    std::string snowmen;
    for (int i = 0; i < 500; ++i)
        snowmen += "\xe2\x98\x83";
    const std::string message =
        annotations_after(answered(waiting(3), false, snowmen)).at(key::message);
    EXPECT_LE(message.size(), 403u);
    EXPECT_TRUE(message.ends_with("\xe2\x98\x83..."));
}

TEST(PilotReport, WhenAllIsWellThereIsNothingToUnblock) {
    Snapshot look = answered(open_at(3, 2), false, "backup");
    look = after(look, decide(look, noon));
    ASSERT_TRUE(look.workload.annotations.contains(key::unblock));
    look.workload.partition = Partition{3};
    look.workload.update_revision = "web-A";
    look.pods[2] = pod(2, "A");
    const model::Texts texts = annotations_after(look);
    EXPECT_EQ(texts.at(key::phase), "Idle");
    EXPECT_FALSE(texts.contains(key::unblock));
}

TEST(PilotReport, EveryCommandNamesTheNamespaceAndTheSet) {
    const model::StatefulSet set = seen(3).workload;
    EXPECT_EQ(engine::unblock_text(Reason::Paused, set),
              "kubectl -n shop annotate statefulset web sluice.dev/paused-");
    EXPECT_EQ(engine::unblock_text(Reason::ScaledToZero, set),
              "kubectl -n shop scale statefulset web --replicas=N");
    EXPECT_EQ(engine::unblock_text(Reason::OnDelete, set),
              "kubectl -n shop patch statefulset web --type merge -p "
              "'{\"spec\":{\"updateStrategy\":{\"type\":\"RollingUpdate\"}}}'");
    EXPECT_EQ(engine::unblock_text(Reason::GateBypassed, set),
              engine::entry(Reason::GateBypassed).unblock);
}

TEST(PilotReport, NamesWithBracesAreOnlyNames) {
    model::StatefulSet set = seen(3).workload;
    set.meta.key = {"{0}", "{name}"};
    EXPECT_EQ(engine::unblock_text(Reason::Paused, set),
              "kubectl -n {0} annotate statefulset {name} sluice.dev/paused-");
}

}  // namespace
}  // namespace sluice::api::pilot
