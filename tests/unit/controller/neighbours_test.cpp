// What an object minds in its namespace is watched from then on, and not before.
#include <gtest/gtest.h>

#include "controller/controller.hpp"

namespace sluice::controller {
namespace {

using model::CustomObject;

constexpr model::Resource cats{"test", "v1", "cats", "Cat"};
constexpr model::Resource birds{"test", "v1", "birds", "Bird"};

bool minds_birds(const CustomObject& cat) {
    return cat.spec == "hungry";
}

engine::Snapshot seen_last;
std::vector<std::string> looked_at;
engine::Decision look(const engine::Snapshot& seen, Instant) {
    seen_last = seen;
    looked_at.push_back(seen.subject.name);
    return {};
}

constexpr api::Watch watches[] = {{&cats, model::Itself{}},
                                  {&birds, model::Neighbours{minds_birds}, {.labels = "!tame"}}};
const api::Api apis[] = {{.name = "cat", .resource = &cats, .watches = watches, .decide = look}};

CustomObject object(const std::string& ns, const std::string& name, std::uint64_t version,
                    const std::string& spec) {
    CustomObject one;
    one.meta = {{ns, name}, "uid-" + name, version, 1, false};
    one.spec = spec;
    return one;
}

// A controller for two namespaces: cats in "a" and "b", then birds in "a" and "b".
struct Garden {
    Garden() {
        seen_last = {};
        Settings settings;
        settings.namespaces = {"a", "b"};
        controller = std::make_unique<Controller>(settings, apis);
        step(PoliciesSeen{false, {}});
        step(synced(cats_in_a));
        step(synced(cats_in_b));
    }
    static constexpr SessionId cats_in_a = 0, birds_in_a = 1, cats_in_b = 2;

    static Input synced(SessionId id, const std::string& version = "10") {
        return EventsArrived{id, {model::Bookmark{version, true}}};
    }
    static Input news(SessionId id, CustomObject one) {
        return EventsArrived{id, {model::WatchEvent{model::Changed{std::move(one)}}}};
    }
    void step(Input input) {
        now = now + 1s;
        for (const Effect& effect : controller->step(std::move(input), now).list)
            if (const auto* watch = std::get_if<StartWatch>(&effect))
                if (watch->scope.resource == &birds) begun.push_back(watch->scope.ns);
    }

    Instant now{1'790'000'000'000};
    std::vector<std::string> begun;  // watches of birds, by namespace
    std::unique_ptr<Controller> controller;
};

TEST(Neighbours, AreNotWatchedAsLongAsNobodyMinds) {
    Garden garden;
    EXPECT_TRUE(garden.controller->is_synced());
    garden.step(Garden::news(Garden::cats_in_a, object("a", "tom", 11, "fed")));
    EXPECT_TRUE(garden.begun.empty());
    EXPECT_EQ(seen_last.objects.size(), 1u);
}

TEST(Neighbours, AreWatchedInTheNamespaceOfWhoMindsAndAwaited) {
    Garden garden;
    garden.step(Garden::news(Garden::cats_in_a, object("a", "tom", 11, "hungry")));
    EXPECT_EQ(garden.begun, std::vector<std::string>{"a"});
    EXPECT_FALSE(garden.controller->is_synced());
    EXPECT_TRUE(seen_last.objects.empty()) << "nothing is decided before they are seen";
    garden.step(Garden::news(Garden::birds_in_a, object("a", "finch", 12, "")));
    garden.step(Garden::synced(Garden::birds_in_a, "12"));
    ASSERT_EQ(seen_last.neighbours.size(), 1u);
    EXPECT_EQ(seen_last.neighbours[0].meta.key.name, "finch");
}

TEST(Neighbours, ConcernWhoeverMindsThem) {
    Garden garden;
    garden.step(Garden::news(Garden::cats_in_a, object("a", "tom", 11, "hungry")));
    garden.step(Garden::synced(Garden::birds_in_a));
    garden.step(Garden::news(Garden::cats_in_a, object("a", "kit", 12, "fed")));
    seen_last = {};
    garden.step(Garden::news(Garden::birds_in_a, object("a", "finch", 13, "")));
    EXPECT_EQ(seen_last.subject.name, "tom");
    EXPECT_EQ(seen_last.neighbours.size(), 1u);
}

TEST(Neighbours, ThatAreSeenAtLastAreNewsInTheirNamespaceOnly) {
    Garden garden;
    garden.step(Garden::news(Garden::cats_in_b, object("b", "kit", 11, "fed")));
    garden.step(Garden::news(Garden::cats_in_a, object("a", "tom", 12, "hungry")));
    looked_at.clear();
    garden.step(Garden::synced(Garden::birds_in_a, "12"));
    EXPECT_EQ(looked_at, std::vector<std::string>{"tom"});
}

}  // namespace
}  // namespace sluice::controller
