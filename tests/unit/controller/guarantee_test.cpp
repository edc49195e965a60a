// What is said of the admission policies, and when they are looked at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/controller/scene.hpp"

namespace sluice::controller {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// What was said of the guarantee since it was last asked for.
std::vector<std::string> said(Desk& desk) {
    std::vector<std::string> lines;
    for (const Log& line : desk.done<Log>())
        if (line.text.starts_with("guarantee: ")) lines.push_back(line.text);
    return lines;
}

TEST(Guarantee, IsToldWhenItIsKnownAndWheneverItChanges) {
    Desk desk;
    EXPECT_THAT(said(desk), ElementsAre(StartsWith("guarantee: Detect.")));
    desk.take(PoliciesSeen{false});
    EXPECT_THAT(said(desk), IsEmpty());
    desk.take(PoliciesSeen{true});
    EXPECT_THAT(said(desk), ElementsAre(StartsWith("guarantee: Prevent.")));
    desk.take(PoliciesSeen{true});
    desk.take(PoliciesSeen{std::nullopt});
    EXPECT_THAT(said(desk), IsEmpty());
    desk.take(PoliciesSeen{false});
    EXPECT_THAT(said(desk), ElementsAre(StartsWith("guarantee: Detect.")));
}

TEST(Guarantee, IsToldAgainWhenSomethingElseIsMissing) {
    Desk desk;
    EXPECT_THAT(said(desk), ElementsAre(EndsWith("Kubernetes 1.36.")));
    desk.take(PoliciesSeen{false, {"the gate is open"}});
    EXPECT_THAT(said(desk), ElementsAre(EndsWith("Kubernetes 1.36. the gate is open")));
    desk.take(PoliciesSeen{false, {"the gate is open"}});
    EXPECT_THAT(said(desk), IsEmpty());
}

TEST(Guarantee, NamesNoMoreThanThreeOfWhatIsMissing) {
    Desk desk;
    desk.take(PoliciesSeen{false, {"one", "two", "three"}});
    EXPECT_THAT(said(desk).back(), EndsWith(" one; two; three"));
    desk.take(PoliciesSeen{false, {"one", "two", "three", "four", "five"}});
    EXPECT_THAT(said(desk), ElementsAre(EndsWith(" one; two; three; and 2 more")));
}

TEST(Guarantee, IsLookedAtByTheVeryTickThatWasAskedForIt) {
    Controller controller{Settings{}, test_apis};
    const Instant start{1'790'000'000'000};
    const auto checks_at = [&](Instant now) {
        const Effects effects = controller.step(Tick{}, now);
        return std::ranges::count_if(effects.list, [](const Effect& one) {
            return std::holds_alternative<CheckPolicies>(one);
        });
    };
    EXPECT_EQ(checks_at(start), 1);
    EXPECT_EQ(checks_at(start + 5min - 1ms), 0);
    EXPECT_EQ(checks_at(start + 5min), 1);
}

}  // namespace
}  // namespace sluice::controller
