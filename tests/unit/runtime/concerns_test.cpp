// Whom a change concerns, by what is watched.
#include <gtest/gtest.h>

#include "runtime/store.hpp"

namespace sluice::runtime {
namespace {

using model::CustomObject;
using model::Ref;

constexpr model::Resource gates{"test", "v1", "gates", "Gate"};
constexpr model::Resource runs{"test", "v1", "runs", "Run"};

// The spec of a gate is nothing but the name of its set.
Ref target_of(const CustomObject& gate) {
    return {&model::statefulsets, gate.meta.key.ns, gate.spec};
}

// What a gate names beside it: everything behind a colon.
std::vector<Ref> named_by(const CustomObject& gate) {
    const std::size_t colon = gate.spec.find(':');
    if (colon == std::string::npos) return {};
    return {{&model::secret_contents, gate.meta.key.ns, gate.spec.substr(colon + 1)}};
}

constexpr model::Watch of_users[] = {{&gates, model::Itself{}},
                                     {&model::secret_contents, model::Users{&gates, named_by}}};
const WatchScope all_secrets{&model::secret_contents, "shop"};

constexpr model::Watch of_gates[] = {{&model::statefulsets, model::Itself{}},
                                     {&gates, model::Named{target_of}},
                                     {&runs, model::Owner{&gates}},
                                     {&model::config_maps, model::Everybody{}, {.name = "words"}}};
constexpr model::Watch of_runs[] = {{&runs, model::Itself{}}};
constexpr model::Watch of_others[] = {
    {&model::config_maps, model::Everybody{}, {.name = "others"}}};

const WatchScope all_sets{&model::statefulsets, ""}, all_gates{&gates, ""}, all_runs{&runs, ""};
const WatchScope words{&model::config_maps, "sluice-system", {.name = "words"}};
const WatchScope other_words{&model::config_maps, "sluice-system", {.name = "others"}};

CustomObject object(const std::string& name, std::uint64_t version, const std::string& spec = {}) {
    CustomObject one;
    one.meta = {{"shop", name}, "uid-" + name, version, 1, false};
    one.spec = spec;
    return one;
}

CustomObject run_of(const std::string& owner, std::uint64_t version) {
    CustomObject one = object("run", version);
    one.owner = owner;
    one.owner_uid = "uid-" + owner;
    return one;
}

model::ConfigMap map_named(const std::string& name, std::uint64_t version) {
    model::ConfigMap map;
    map.meta = {{"sluice-system", name}, "uid-" + name, version, 1, false};
    return map;
}

model::StatefulSet set(const std::string& name, std::uint64_t version) {
    model::StatefulSet one;
    one.meta = {{"shop", name}, "uid-" + name, version, 1, false};
    return one;
}

const Ref web{&model::statefulsets, "shop", "web"}, db{&model::statefulsets, "shop", "db"};
const Ref run{&runs, "shop", "run"};

struct Concerns : ::testing::Test {
    Touched put(const WatchScope& scope, const model::Object& object) {
        return store.concerned(scope, store.at(scope).put(object));
    }
    Store store{{of_gates, of_runs, of_others}, 1u << 20};
};

TEST_F(Concerns, WhatIsOwnedConcernsWhomItsOwnerConcernsAndItself) {
    EXPECT_EQ(put(all_runs, run_of("gate", 1)), Touched{run}) << "nobody knows the owner";
    EXPECT_EQ(put(all_gates, object("gate", 2, "web")), Touched{web});
    EXPECT_EQ(put(all_runs, run_of("gate", 3)), (Touched{run, web}));
    put(all_gates, object("other", 4, "db"));
    EXPECT_EQ(put(all_runs, run_of("other", 5)), (Touched{db, run, web}));
    EXPECT_EQ(store.concerned(all_runs, store.at(all_runs).remove(run_of("other", 5))),
              (Touched{db, run}));
}

TEST_F(Concerns, AnOwnerThatNamesNobodyConcernsNobody) {
    put(all_gates, object("gate", 1, ""));
    EXPECT_EQ(put(all_runs, run_of("gate", 2)), Touched{run});
}

TEST_F(Concerns, SettingsConcernEverybodyOfTheirApiAndNobodyElse) {
    put(all_gates, object("gate", 1, "web"));
    put(all_sets, set("db", 2));
    put(all_runs, run_of("gate", 3));
    EXPECT_EQ(put(words, map_named("words", 4)), (Touched{db, web}));
    EXPECT_EQ(put(words, map_named("words", 4)), Touched{}) << "no news";
    EXPECT_EQ(put(other_words, map_named("others", 5)), Touched{});
    EXPECT_EQ(store.everybody(), (Touched{db, run, web}));
}

TEST_F(Concerns, AListSaysNothingAboutWhatAnotherWatchSelects) {
    put(words, map_named("words", 4));
    put(other_words, map_named("others", 5));
    store.at(words).begin_list("");
    store.at(words).drop_unlisted("", 10);
    EXPECT_EQ(store.find({&model::config_maps, "sluice-system", "words"}), std::nullopt);
    EXPECT_TRUE(store.find({&model::config_maps, "sluice-system", "others"}).has_value());
    EXPECT_EQ(store.size(model::config_maps), 1u);
}

TEST_F(Concerns, AnAnswerRenewsWhatIsKnownAndBringsNothingBack) {
    EXPECT_EQ(store.refresh(model::statefulsets, set("web", 5)), Touched{});
    EXPECT_EQ(store.size(model::statefulsets), 0u);
    put(all_sets, set("web", 5));
    EXPECT_EQ(store.refresh(model::statefulsets, set("web", 5)), Touched{}) << "no news";
    EXPECT_EQ(store.refresh(model::statefulsets, set("web", 6)), Touched{web});
    EXPECT_EQ(store.at(all_sets).version_of(set("web", 1)), 6u);
    EXPECT_EQ(store.refresh(model::pods, model::Pod{}), Touched{}) << "nobody watches pods";
}

TEST_F(Concerns, ObjectsAreAboutWhatTheyNameOrAboutThemselves) {
    put(all_gates, object("gate", 1, "web"));
    put(all_runs, run_of("gate", 2));
    EXPECT_EQ(store.objects(&gates)->about(web).size(), 1u);
    EXPECT_EQ(store.objects(&gates)->about(db).size(), 0u);
    EXPECT_EQ(store.objects(&runs)->about(run).size(), 1u);
    EXPECT_EQ(store.objects(&runs)->about({&gates, "shop", "run"}).size(), 0u) << "a namesake";
    EXPECT_EQ(store.objects(&model::statefulsets), nullptr);
    EXPECT_EQ(store.objects(nullptr), nullptr);
}

// A shelf owns sets, and they own pods.
constexpr model::Resource shelves{"test", "v1", "shelves", "Shelf"};
constexpr model::Watch of_shelves[] = {{&shelves, model::Itself{}},
                                       {&model::statefulsets, model::Owner{&shelves}},
                                       {&model::pods, model::Owner{&model::statefulsets}}};

struct Shelves : ::testing::Test {
    Touched put(const WatchScope& scope, const model::Object& object) {
        return store.concerned(scope, store.at(scope).put(object));
    }
    Touched remove(const WatchScope& scope, const model::Object& object) {
        return store.concerned(scope, store.at(scope).remove(object));
    }
    static model::StatefulSet owned(const std::string& name, std::uint64_t version,
                                    const std::string& owner = "shelf") {
        model::StatefulSet one = set(name, version);
        one.owner = owner;
        one.owner_uid = "uid-" + owner;
        one.owner_kind = "Shelf";
        return one;
    }
    std::vector<std::string> sets_of(const std::string& owner) const {
        std::vector<std::string> names;
        for (const auto& one : store.owned_by<model::StatefulSet>(
                 model::statefulsets, {{"shop", owner}, "uid-" + owner, 1, 1, false}))
            names.push_back(one.meta.key.name);
        return names;
    }

    Store store{{of_shelves}, 1u << 20};
    const WatchScope all_pods{&model::pods, ""};
    const Ref shelf{&shelves, "shop", "shelf"}, other{&shelves, "shop", "other"};
};

TEST_F(Shelves, HearOfTheirSetsAndOfTheirPods) {
    model::Pod pod;
    pod.meta = {{"shop", "web-0"}, "uid-web-0", 2, 1, false};
    pod.owner = "web";
    pod.owner_uid = "uid-web";
    pod.owner_kind = "StatefulSet";
    EXPECT_EQ(put(all_pods, pod), Touched{}) << "nobody knows the set";
    EXPECT_EQ(put(all_sets, owned("web", 3)), Touched{shelf});
    pod.meta.resource_version = 4;
    EXPECT_EQ(put(all_pods, pod), Touched{shelf});
    EXPECT_EQ(remove(all_sets, owned("web", 3)), Touched{shelf});
}

TEST_F(Shelves, KnowTheirSetsAndNobodyElses) {
    put(all_sets, owned("web-1", 1));
    put(all_sets, owned("web-2", 2));
    put(all_sets, set("db", 3));
    EXPECT_EQ(sets_of("shelf"), (std::vector<std::string>{"web-1", "web-2"}));
    EXPECT_EQ(put(all_sets, owned("web-1", 4, "other")), (Touched{other, shelf}));
    EXPECT_EQ(sets_of("shelf"), std::vector<std::string>{"web-2"});
    EXPECT_EQ(sets_of("other"), std::vector<std::string>{"web-1"});
    EXPECT_EQ(put(all_sets, set("web-1", 5)), Touched{other}) << "it was let go";
    EXPECT_TRUE(sets_of("other").empty());
    store.at(all_sets).begin_list("");
    EXPECT_EQ(store.concerned(all_sets, store.at(all_sets).drop_unlisted("", 9)), Touched{shelf});
    EXPECT_TRUE(sets_of("shelf").empty());
}

TEST_F(Shelves, HearNothingOfSetsOfAnotherKind) {
    model::StatefulSet foreign = owned("web", 1);
    foreign.owner_kind = "Rack";
    model::Pod pod;
    pod.meta = {{"shop", "web-0"}, "uid-web-0", 2, 1, false};
    pod.owner = "web";
    pod.owner_uid = "uid-web";
    pod.owner_kind = "StatefulSet";
    put(all_sets, foreign);
    EXPECT_EQ(put(all_pods, pod), Touched{});
}

TEST(ConcernsOfWhatIsNamed, AreThoseWhoNameItNow) {
    Store store{{of_users}, 1u << 20};
    const auto put = [&](const WatchScope& scope, const model::Object& one) {
        return store.concerned(scope, store.at(scope).put(one));
    };
    const Ref gate{&gates, "shop", "gate"}, other{&gates, "shop", "other"};
    EXPECT_EQ(put(all_secrets, object("token", 1)), Touched{});
    put(all_gates, object("gate", 2, "web:token"));
    put(all_gates, object("other", 3, "web:token"));
    EXPECT_EQ(put(all_secrets, object("token", 4)), (Touched{gate, other}));
    EXPECT_EQ(put(all_secrets, object("another", 5)), Touched{});
    put(all_gates, object("other", 6, "web:another"));
    EXPECT_EQ(put(all_secrets, object("token", 7)), Touched{gate});
    EXPECT_EQ(put(all_secrets, object("another", 8)), Touched{other});
    store.at(all_gates).remove(object("gate", 2));
    EXPECT_EQ(store.concerned(all_secrets, store.at(all_secrets).remove(object("token", 7))),
              Touched{});
    EXPECT_EQ(store.find({&model::secret_contents, "shop", "token"}), std::nullopt);
    EXPECT_NE(store.find({&model::secret_contents, "shop", "another"}), std::nullopt);
    CustomObject owned = object("another", 9);
    owned.status = R"([{"name":"gate"}])";  // of Form::Content: its owners
    put(all_secrets, owned);
    const auto kept = store.find({&model::secret_contents, "shop", "another"});
    EXPECT_EQ(std::get<CustomObject>(kept.value()).status, owned.status);
}

}  // namespace
}  // namespace sluice::runtime
