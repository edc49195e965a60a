// An assertion that fails while one object is decided about holds that object and nobody else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/assert.hpp"
#include "tests/unit/controller/desk.hpp"

namespace sluice::controller {
namespace {

using namespace testing;
using engine::Decision;
using engine::Reason;
using engine::Snapshot;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Settings surviving() {
    Settings settings;
    settings.survives_defects = true;
    return settings;
}

// Decides about everything but the run "bad".
Decision ask_unless_bad(const Snapshot& seen, Instant) {
    const std::string& name = seen.objects.at(0).meta.key.name;
    SLUICE_ASSERT(name != "bad");
    Decision decision;
    decision.probe = engine::Probe{name, std::make_shared<const engine::Question>()};
    return decision;
}

TEST(Defects, HoldTheObjectThatMetThemAndNobodyElse) {
    Desk desk{surviving()};
    run_decides = ask_unless_bad;
    desk.put(runs, object("bad"));
    desk.put(runs, object("good"));
    EXPECT_THAT(desk.done<Ask>(), SizeIs(1));
    EXPECT_EQ(desk.controller.counters().defects, 1u);
    const std::pair<std::string, Reason> counted{"run", Reason::InternalError};
    EXPECT_EQ(desk.controller.counters().decisions.at(counted), 1u);
    EXPECT_TRUE(desk.controller.is_quiet());
}

TEST(Defects, AreToldWithThePlaceOnce) {
    Desk desk{surviving()};
    run_decides = ask_unless_bad;
    desk.put(runs, object("bad"));
    desk.pass(10min);
    EXPECT_GT(desk.controller.counters().defects, 5u) << "it is tried again";
    EXPECT_LT(desk.controller.counters().defects, 40u) << "but not all the time";
    const auto told = desk.done<PostEvent>();
    ASSERT_THAT(told, SizeIs(1));
    EXPECT_EQ(told[0].reason, Reason::InternalError);
    EXPECT_EQ(told[0].about.ref, (model::Ref{&runs, "shop", "bad"}));
    EXPECT_EQ(told[0].about.uid, "uid-bad");
    EXPECT_THAT(told[0].note, HasSubstr("name != \"bad\" (tests/unit/controller/"));
    const auto logged = desk.done<Log>();
    EXPECT_TRUE(std::ranges::any_of(logged, [](const Log& line) {
        return line.text.find("defects_test.cpp:") != line.text.npos;
    }));
}

TEST(Defects, AreOverWhenTheObjectCanBeDecidedAboutAgain) {
    Desk desk{surviving()};
    run_decides = ask_unless_bad;
    desk.put(runs, object("bad"));
    run_decides = [](const Snapshot&, Instant) {
        Decision decision;
        decision.probe = engine::Probe{"now", std::make_shared<const engine::Question>()};
        return decision;
    };
    desk.put(runs, object("bad"));
    desk.pass(61s);
    EXPECT_THAT(desk.done<Ask>(), SizeIs(1));
}

TEST(Defects, AfterALiveLookEndTheTurnToo) {
    Desk desk{surviving()};
    const auto one = object("one");
    int looks = 0;
    run_decides = [&](const Snapshot&, Instant) {
        SLUICE_ASSERT(++looks != 2);
        Decision decision;
        decision.probe = engine::Probe{"it", std::make_shared<const engine::Question>()};
        decision.needs_live = true;
        return decision;
    };
    desk.put(runs, one);
    const auto reads = desk.done<ReadWorkload>();
    ASSERT_THAT(reads, SizeIs(1));
    desk.take(WorkloadRead{reads[0].ticket, LiveWorkload{{}, {}, {{&runs, one}}}});
    EXPECT_THAT(desk.done<Ask>(), IsEmpty());
    EXPECT_TRUE(desk.controller.is_quiet());
    desk.pass(1s);
    EXPECT_THAT(desk.done<ReadWorkload>(), SizeIs(1)) << "it is begun again";
}

TEST(Defects, HoldTheRolloutThatWasUnderWay) {
    Desk desk{surviving()};
    bool is_broken = false;
    std::optional<Reason> waiting_for;
    gate_decides = [&](const Snapshot& seen, Instant) {
        SLUICE_ASSERT(!is_broken);
        waiting_for = seen.waiting_for;
        Decision decision;
        decision.report.phase = engine::Phase::Rolling;
        return decision;
    };
    using Phases = std::map<engine::Phase, int>;
    desk.put(gates, object("gentle", "web"));
    EXPECT_EQ(desk.controller.rollouts_by_phase(), (Phases{{engine::Phase::Rolling, 1}}));
    is_broken = true;
    desk.put(gates, object("gentle", "web"));
    EXPECT_EQ(desk.controller.rollouts_by_phase(), (Phases{{engine::Phase::Held, 1}}));
    is_broken = false;
    desk.pass(1s);
    EXPECT_EQ(waiting_for, Reason::InternalError);
}

TEST(Defects, ReachWhoeverRunsTheControllerIfNobodyAskedToSurviveThem) {
    Desk desk;
    run_decides = ask_unless_bad;
    EXPECT_THROW(desk.put(runs, object("bad")), AssertionFailed);
    EXPECT_EQ(desk.controller.counters().defects, 0u);
}

TEST(DefectsDeathTest, EndTheProcessWhereNobodyAskedToSurviveThem) {
    EXPECT_DEATH(
        []() noexcept {
            Desk desk;
            run_decides = ask_unless_bad;
            desk.put(runs, object("bad"));
        }(),
        "assertion failed: name != \"bad\" .tests/unit/controller/defects_test.cpp");
}

}  // namespace
}  // namespace sluice::controller
