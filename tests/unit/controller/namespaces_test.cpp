// What cannot be seen holds up those who need it, and nobody else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/controller/scene.hpp"

namespace sluice::controller {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Instant noon{1'790'000'000'000};

// A controller for some namespaces, whose server has nothing and forbids what it is told to.
class Watching {
  public:
    explicit Watching(std::vector<std::string> namespaces, std::string forbidden = {})
        : forbidden_(std::move(forbidden)), controller(settings_for(std::move(namespaces))) {
        take(Tick{});
        take(PoliciesSeen{false});
        for (int i = 0; i < 30; ++i) {
            now = now + 1s;
            take(Tick{});
        }
    }

    void take(Input input) {
        std::vector<Input> inbox;
        inbox.push_back(std::move(input));
        while (!inbox.empty()) {
            Input next = std::move(inbox.back());
            inbox.pop_back();
            for (const Effect& effect : controller.step(std::move(next), now).list) {
                if (const auto* list = std::get_if<StartList>(&effect))
                    inbox.push_back(answer(list->session, list->scope));
                if (const auto* watch = std::get_if<StartWatch>(&effect))
                    if (watch->request.initial_events)
                        inbox.push_back(answer(watch->session, watch->scope));
            }
        }
    }

  private:
    static Settings settings_for(std::vector<std::string> namespaces) {
        Settings settings;
        settings.namespaces = std::move(namespaces);
        return settings;
    }
    bool is_forbidden(const runtime::WatchScope& scope) const {
        const bool is_custom = scope.resource && scope.resource->plural == forbidden_;
        return !forbidden_.empty() && (scope.ns == forbidden_ || is_custom);
    }
    Input answer(SessionId id, const runtime::WatchScope& scope) const {
        if (is_forbidden(scope)) return SessionFailed{id, {403, {}, "cannot list: forbidden"}};
        return EventsArrived{id, {model::Bookmark{"10", true}}};
    }

    std::string forbidden_;

  public:
    Instant now = noon;
    Controller controller;
};

TEST(Namespaces, OneThatMayNotBeReadIsNamedAndTheOthersAreServed) {
    Watching all{{"a", "b"}};
    EXPECT_EQ(all.controller.sync_problem(), "");
    EXPECT_TRUE(all.controller.is_synced());
    EXPECT_THAT(all.controller.unseen(), IsEmpty());
    Watching some{{"a", "b"}, "b"};
    EXPECT_EQ(some.controller.sync_problem(), "");
    EXPECT_FALSE(some.controller.is_synced());
    EXPECT_THAT(some.controller.unseen(), SizeIs(10))
        << "sets, pods of both kinds, Services and six custom resources; pods that nobody minds "
           "are "
           "not seen";
    EXPECT_EQ(some.controller.unseen().front(), "namespace b: cannot list: forbidden");
}

TEST(Namespaces, IfNoneMayBeReadNothingIsServed) {
    const Watching none{{"b"}, "b"};
    EXPECT_EQ(none.controller.sync_problem(), "cannot list: forbidden");
}

TEST(Namespaces, AResourceThatMayNotBeReadIsNamedAndTheOtherApisAreServed) {
    const Watching some{{}, "phasedrollouts"};
    EXPECT_EQ(some.controller.sync_problem(), "");
    EXPECT_THAT(some.controller.unseen(), ElementsAre("all namespaces: cannot list: forbidden"));
}

// Whoever comes first in the registry must not be overtaken by whoever is seen first.
TEST(Namespaces, NobodyIsServedAsLongAsItIsNotClearWhetherAllCanBeSeen) {
    Scene scene{{}, test_apis, {{&gates, std::nullopt}}};
    const SessionId of_gates = 2;
    const SessionFailed forbidden{of_gates, {403, {}, "cannot list: forbidden"}};
    scene.show_run();
    scene.desk.take(forbidden);
    EXPECT_THAT(scene.looks, IsEmpty()) << "it may be that the server only cannot stream";
    scene.desk.take(forbidden);
    EXPECT_THAT(scene.looks, SizeIs(1)) << "gates may not be read, and runs do not need them";
    scene.desk.pass(1min);
    scene.desk.take(forbidden);
    EXPECT_THAT(scene.looks, SizeIs(1)) << "no news";
}

}  // namespace
}  // namespace sluice::controller
