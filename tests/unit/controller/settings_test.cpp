// What is declared for an API in its ConfigMap: read when it is seen, gone when it is gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/controller/desk.hpp"

namespace sluice::controller {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::SizeIs;

model::ConfigMap words(std::uint64_t version, std::map<std::string, std::string> data) {
    model::ConfigMap map;
    map.meta.key = {"sluice-system", "gate-words"};
    map.meta.uid = "map";
    map.meta.resource_version = version;
    map.data = std::move(data);
    return map;
}

// What each look at a gate saw of its settings.
struct Watcher {
    Watcher() {
        gate_decides = [this](const engine::Snapshot& seen, Instant) {
            said.push_back(static_cast<const Word&>(*seen.settings).text);
            return engine::Decision{};
        };
        model::CustomObject gate = object("one");
        gate.spec = "web";
        desk.put(gates, gate);
        said.clear();
    }
    void see(model::ConfigMap map) {
        desk.take(EventsArrived{desk.settings_session, {model::Changed{std::move(map)}}});
    }

    Desk desk;
    std::vector<std::string> said;
};

TEST(Settings, AreReadWhenTheyAreSeenAndEverybodyIsLookedAtAgain) {
    Watcher watcher;
    watcher.see(words(20, {{"word", "slowly"}}));
    EXPECT_THAT(watcher.said, ElementsAre("slowly"));
    const auto taken = watcher.desk.done<SettingsTaken>();
    ASSERT_THAT(taken, SizeIs(1));
    EXPECT_EQ(static_cast<const Word&>(*taken[0].settings).text, "slowly");
}

TEST(Settings, OlderNewsAreNone) {
    Watcher watcher;
    watcher.see(words(20, {{"word", "slowly"}}));
    watcher.see(words(19, {{"word", "fast"}}));
    EXPECT_THAT(watcher.said, ElementsAre("slowly"));
}

TEST(Settings, AreEmptyAgainWhenTheConfigMapIsGone) {
    Watcher watcher;
    watcher.see(words(20, {{"word", "slowly"}}));
    watcher.desk.take(EventsArrived{watcher.desk.settings_session,
                                    {model::Deleted{words(21, {{"word", "slowly"}})}}});
    EXPECT_THAT(watcher.said, ElementsAre("slowly", ""));
}

TEST(Settings, WhatIsWrongInThemIsLogged) {
    Watcher watcher;
    watcher.desk.done<Log>();
    watcher.see(words(20, {{"nonsense", ""}}));
    const auto logged = watcher.desk.done<Log>();
    ASSERT_THAT(logged, SizeIs(1));
    EXPECT_EQ(logged[0].level, Log::Level::Warning);
    EXPECT_EQ(logged[0].text, "data.nonsense: is not known");
}

// Runs that go by the same words as gates.
constexpr api::Watch watches_of_runs[] = {
    {&runs, model::Itself{}}, {&model::config_maps, model::Everybody{}, {.name = "gate-words"}}};
const api::Api two_of_a_kind[] = {test_apis[0],
                                  {.name = "run",
                                   .resource = &runs,
                                   .watches = watches_of_runs,
                                   .decide = decide_run,
                                   .declared = {read_word}}};

TEST(Settings, OfTwoApisThatDeclareTheSameAreReadAndToldOfOnce) {
    Desk desk{{}, two_of_a_kind};
    std::vector<std::string> said;
    gate_decides = run_decides = [&](const engine::Snapshot& seen, Instant) {
        said.push_back(static_cast<const Word&>(*seen.settings).text);
        return engine::Decision{};
    };
    desk.put(gates, object("gentle", "web"));
    desk.put(runs, object("one"));
    said.clear();
    desk.done<Log>();
    const auto map = words(20, {{"word", "slowly"}, {"nonsense", ""}});
    desk.take(EventsArrived{desk.settings_session, {model::Changed{map}}});
    EXPECT_THAT(said, ElementsAre("slowly", "slowly"));
    EXPECT_THAT(desk.done<Log>(), SizeIs(1));
    EXPECT_THAT(desk.done<SettingsTaken>(), SizeIs(1));
    desk.take(EventsArrived{desk.settings_session, {model::Deleted{map}}});
    EXPECT_THAT(said, ElementsAre("slowly", "slowly", "", ""));
}

}  // namespace
}  // namespace sluice::controller
