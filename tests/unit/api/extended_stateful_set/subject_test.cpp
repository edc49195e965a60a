// What a decision is about, what it rests on, and what is told first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/extended_stateful_set/services.hpp"
#include "tests/unit/api/extended_stateful_set/hand_over.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

using namespace testing;
using engine::Decision;
using engine::Phase;
using engine::Reason;

const engine::Subject x{{&resource, "shop", "x"}, "uid-x"};

TEST(ExtendedSubject, IsTheObjectItself) {
    EXPECT_EQ(upgrading().decided().subject, x);
    EXPECT_EQ(serving().settled().subject, x);
}

// Whatever else is to be done: nobody is to reach a version that does not serve.
TEST(ExtendedSubject, AServiceIsSwitchedBeforeAnythingIsDecidedAboutVersions) {
    Known known = upgrading();
    model::CustomObject door;
    door.meta = {{"shop", "door"}, "uid-door", 3, 0, false};
    door.annotations = {{std::string{serves_key}, "x"}};
    door.spec = R"({"selector":{"app":"x"}})";
    known.seen.naming = {door};
    const Decision decision = known.decided();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].object.ref.resource, &model::services);
    EXPECT_EQ(decision.report.phase, Phase::Rolling);
    EXPECT_EQ(decision.report.reason, Reason::ServiceSwitched);
    EXPECT_EQ(decision.subject, x);
}

TEST(ExtendedSubject, IsToldThatItsVolumesAreUnguarded) {
    HandOver known{0};
    known.seen.environment.guarantee = engine::Guarantee::Detect;
    known.add(1, 0, 3);
    const Decision decision = known.decided();
    EXPECT_EQ(decision.subject, x);
    EXPECT_EQ(decision.report.phase, Phase::Blocked);
    ASSERT_EQ(decision.notices.size(), 1u);
    EXPECT_EQ(decision.notices[0].reason, Reason::VolumesUnguarded);
    EXPECT_EQ(decision.notices[0].message, decision.report.message);
}

TEST(ExtendedSubject, ThatIsGoneLeadsToNothing) {
    engine::Snapshot seen;
    prepare(seen);
    const Decision decision = decide(seen, noon);
    EXPECT_FALSE(decision.subject);
    EXPECT_TRUE(decision.actions.empty());
}

TEST(ExtendedSubject, StandsForAllItsVersions) {
    Known known = upgrading(R"("zones":["a","b"],)");
    known.edit(R"("serviceName")", R"("minReadySeconds":30,"serviceName")");
    known.settled();
    engine::Snapshot seen;
    seen.objects = {known.object};
    prepare(seen);
    EXPECT_EQ(seen.workload.meta.uid, "uid-x");
    EXPECT_EQ(seen.workload.replicas, PodCount{4});
    EXPECT_EQ(seen.workload.min_ready, 30s);
    EXPECT_EQ(seen.workload.current_revision, "v1");
    EXPECT_EQ(seen.workload.update_revision, "v2");
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
