// What the controller makes of the answers to its reads, writes and questions, one at a time.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/controller/scene.hpp"

namespace sluice::controller {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Decision creating_after_a_read(const Snapshot&) {
    Decision decision = writing(Action::Verb::Create);
    decision.needs_live = true;
    return decision;
}

TEST(Answers, ThatNobodyWaitsForChangeNothing) {
    Scene scene;
    scene.show_run();
    const std::size_t before = scene.looks.size();
    scene.desk.take(WorkloadRead{999, LiveWorkload{}});
    scene.desk.take(WorkloadRead{999, std::unexpected(refused(500))});
    scene.desk.take(Written{999, web_set(5)});
    scene.desk.take(Written{999, object("one")});
    scene.desk.take(Written{999, std::nullopt});
    scene.desk.take(Answered{999, engine::answer_of(engine::HookAnswer{true})});
    scene.desk.pass(1min);
    EXPECT_EQ(scene.looks.size(), before);
    EXPECT_TRUE(scene.desk.controller.is_quiet());
}

TEST(Answers, OneThatWasToBeMadeAndIsThereIsNotReadAbout) {
    Scene scene;
    scene.then = [](const Snapshot&) { return writing(Action::Verb::Create); };
    scene.show_run();
    const auto made = scene.desk.creations();
    scene.desk.take(Written{made.at(0).ticket, std::unexpected(refused(409))});
    scene.desk.pass(1min);
    EXPECT_THAT(scene.desk.done<ReadWorkload>(), IsEmpty());
    EXPECT_THAT(scene.desk.creations(), SizeIs(1));
}

TEST(Answers, EveryOtherWriteThatFailsIsReadAbout) {
    struct Row {
        Action::Verb verb;
        int status;
    };
    for (const Row& row : {Row{Action::Verb::Create, 500}, Row{Action::Verb::Create, 0},
                           Row{Action::Verb::Patch, 409}, Row{Action::Verb::Patch, 422},
                           Row{Action::Verb::Delete, 409}}) {
        Scene scene;
        scene.then = [&](const Snapshot&) { return writing(row.verb); };
        scene.show_run();
        scene.confirm();
        scene.desk.take(
            Written{scene.desk.done<Write>().at(0).ticket, std::unexpected(refused(row.status))});
        EXPECT_TRUE(scene.desk.controller.is_quiet());
        EXPECT_EQ(scene.desk.controller.counters().conflicts,
                  row.status >= 400 && row.status < 500);
        scene.desk.pass(1min);
        EXPECT_THAT(scene.desk.done<ReadWorkload>(), SizeIs(1)) << row.status;
    }
}

TEST(Answers, APatchThatFailsIsReadAboutThoughSomethingIsToBeMadeBehindIt) {
    Scene scene;
    scene.then = [](const Snapshot& seen) {
        Decision decision = moving(seen, Partition{3});
        decision.actions.push_back(write_of(Action::Verb::Create));
        return decision;
    };
    scene.show_set(web_set(20));
    scene.show_gate();
    const auto patches = scene.desk.patches_of_sets();
    ASSERT_THAT(patches, SizeIs(1));
    scene.desk.take(Written{patches[0].ticket, std::unexpected(refused(409))});
    scene.desk.pass(1min);
    EXPECT_THAT(scene.desk.done<ReadWorkload>(), SizeIs(1));
}

TEST(Answers, AfterOneReadTheCacheIsBelievedAgain) {
    Scene scene;
    int version = 0;
    scene.then = [&](const Snapshot&) {
        return version < 3 ? writing(Action::Verb::Patch) : Decision{};
    };
    scene.show_run();
    scene.desk.take(
        Written{scene.desk.patches_of_objects().at(0).ticket, std::unexpected(refused(500))});
    scene.desk.pass(1min);
    const auto reads = scene.desk.done<ReadWorkload>();
    ASSERT_THAT(reads, SizeIs(1));
    scene.desk.take(WorkloadRead{reads[0].ticket, LiveWorkload{{}, {}, {{&runs, object("one")}}}});
    for (; version < 3; ++version)
        scene.desk.take(Written{scene.desk.patches_of_objects().at(0).ticket, object("one")});
    EXPECT_THAT(scene.desk.done<ReadWorkload>(), IsEmpty());
    EXPECT_EQ(scene.desk.controller.counters().object_writes, 3u);
}

void expect_read_is_known(const std::vector<std::string>& namespaces) {
    Settings settings;
    settings.namespaces = namespaces;
    Scene scene{settings};
    scene.show_set(web_set(20));
    scene.then = [](const Snapshot& seen) {
        Decision decision;
        decision.needs_live = seen.workload.replicas.value == 3;
        if (decision.needs_live) decision.actions.push_back(write_of(Action::Verb::Create));
        return decision;
    };
    scene.show_gate();
    const auto reads = scene.desk.done<ReadWorkload>();
    ASSERT_THAT(reads, SizeIs(1));
    auto set = web_set(30);
    set.replicas = PodCount{5};
    auto gate = object("gentle", "web");
    gate.meta.resource_version = 30;
    gate.status = "read";
    scene.desk.take(WorkloadRead{reads[0].ticket, LiveWorkload{set, {}, {{&gates, gate}}}});
    const auto known = scene.desk.controller.store().find({&model::statefulsets, "shop", "web"});
    EXPECT_EQ(std::get<model::StatefulSet>(known.value()).replicas, PodCount{5});
    set.meta.resource_version = 31;
    scene.show_set(set);
    EXPECT_EQ(scene.looks.back().objects.at(0).status, "read");
}

TEST(Answers, WhatWasReadIsKnownFromThenOn) {
    expect_read_is_known({});
    expect_read_is_known({"shop"});
}

TEST(Answers, WhatWasReadAndIsNotKnownAnyMoreStaysUnknown) {
    Scene scene;
    scene.show_run();
    scene.then = creating_after_a_read;
    scene.show_run();
    const auto reads = scene.desk.done<ReadWorkload>();
    scene.desk.remove(runs, object("one"));
    auto one = object("one");
    one.meta.resource_version = 90;
    scene.desk.take(WorkloadRead{reads.at(0).ticket, LiveWorkload{{}, {}, {{&runs, one}}}});
    EXPECT_EQ(scene.desk.controller.store().size(runs), 0u);
}

TEST(Answers, OfWhatWasReadTheOldestComesFirst) {
    Scene scene;
    scene.show_set(web_set(20));
    scene.then = [](const Snapshot& seen) {
        return seen.objects.size() < 2 ? moving(seen, Partition{3}) : Decision{};
    };
    scene.show_gate();
    scene.desk.take(
        Written{scene.desk.patches_of_sets().at(0).ticket, std::unexpected(refused(500))});
    scene.desk.pass(1min);
    auto young = object("young", "web");
    young.created = scene.desk.now;
    auto old = object("old", "web");
    old.created = scene.desk.now - 1h;
    auto elsewhere = object("elsewhere", "db");
    scene.desk.take(WorkloadRead{
        scene.desk.done<ReadWorkload>().at(0).ticket,
        LiveWorkload{web_set(20), {}, {{&gates, young}, {&gates, old}, {&gates, elsewhere}}}});
    std::vector<std::string> names;
    for (const auto& one : scene.looks.back().objects)
        names.push_back(one.meta.key.name);
    EXPECT_THAT(names, ElementsAre("old", "young"));
}

TEST(Answers, ThatComeWhenSomebodyElseLeadsLeadToNothing) {
    Settings settings;
    settings.leads_at_once = false;
    Scene scene{settings};
    scene.desk.take(Leadership{true, {"lease", 1}});
    scene.then = creating_after_a_read;
    scene.show_run();
    const auto reads = scene.desk.done<ReadWorkload>();
    ASSERT_THAT(reads, SizeIs(1));
    scene.desk.take(Leadership{false, {"lease", 1}});
    scene.desk.take(WorkloadRead{reads[0].ticket, LiveWorkload{{}, {}, {{&runs, object("one")}}}});
    EXPECT_THAT(scene.desk.creations(), IsEmpty());
    EXPECT_TRUE(scene.desk.controller.is_quiet());
}

TEST(Answers, AWorldThatChangesFromReadToReadIsNotReadInALoop) {
    Scene scene;
    int turn = 0;
    scene.then = [&](const Snapshot& seen) { return moving(seen, Partition{2 + ++turn % 3}); };
    scene.show_set(web_set(20, Partition{9}));
    scene.show_gate();
    const auto reads = scene.desk.done<ReadWorkload>();
    ASSERT_THAT(reads, SizeIs(1));
    scene.desk.take(WorkloadRead{
        reads[0].ticket,
        LiveWorkload{web_set(20, Partition{9}), {}, {{&gates, object("gentle", "web")}}}});
    EXPECT_THAT(scene.desk.done<ReadWorkload>(), IsEmpty());
    EXPECT_THAT(scene.desk.patches_of_sets(), IsEmpty());
    scene.desk.pass(1s);
    EXPECT_THAT(scene.desk.done<ReadWorkload>(), SizeIs(1)) << "a moment later";
}

TEST(Answers, ALateAnswerDoesNotBringBackWhatWasDeleted) {
    Scene scene;
    scene.then = [](const Snapshot& seen) {
        return seen.workload.meta.uid.empty() ? Decision{} : moving(seen, Partition{3});
    };
    scene.show_set(web_set(20));
    scene.show_gate();
    const auto patches = scene.desk.patches_of_sets();
    ASSERT_THAT(patches, SizeIs(1));
    scene.desk.take(EventsArrived{of_sets, {model::Deleted{web_set(21)}}});
    scene.desk.take(Written{patches[0].ticket, web_set(22, Partition{3})});
    EXPECT_EQ(scene.desk.controller.store().find({&model::statefulsets, "shop", "web"}),
              std::nullopt);
}

TEST(Answers, APartitionThatComesBackChangedIsLeftAloneForAMinute) {
    Scene scene;
    std::optional<Partition> wanted = Partition{3};
    scene.then = [&](const Snapshot& seen) {
        const bool rests = !wanted || seen.contested_until || seen.workload.partition == wanted;
        return rests ? Decision{} : moving(seen, *wanted);
    };
    scene.show_set(web_set(20));
    scene.show_gate();
    scene.desk.take(Written{scene.desk.patches_of_sets().at(0).ticket, web_set(30, Partition{1})});
    EXPECT_EQ(scene.looks.back().contested_until, scene.desk.now + 60s);
    scene.then = [](const Snapshot& seen) {
        return seen.workload.partition == Partition{4} ? Decision{} : moving(seen, Partition{4});
    };
    scene.show_gate();
    scene.desk.take(Written{scene.desk.patches_of_sets().at(0).ticket, web_set(40, Partition{4})});
    EXPECT_EQ(scene.looks.back().contested_until, std::nullopt) << "the next one came through";
    EXPECT_EQ(scene.desk.controller.counters().workload_writes, 2u);
}

TEST(Answers, AfterAStepTheEvidenceForItIsForgotten) {
    Scene scene;
    bool takes_step = false;
    scene.then = [&](const Snapshot& seen) {
        if (seen.evidence.empty()) {
            Decision decision;
            decision.probe = engine::Probe{"key", engine::question_of(engine::MetricQuery{})};
            return decision;
        }
        Decision decision = moving(seen, Partition{takes_step ? 5 : 4});
        decision.takes_step = takes_step;
        return decision;
    };
    scene.show_set(web_set(20));
    scene.show_gate();
    scene.desk.take(
        Answered{scene.desk.done<Ask>().at(0).ticket, engine::answer_of(engine::MetricAnswer{})});
    takes_step = true;
    scene.desk.take(Written{scene.desk.patches_of_sets().at(0).ticket, web_set(30, Partition{4})});
    ASSERT_FALSE(scene.looks.back().evidence.empty());
    EXPECT_EQ(scene.desk.controller.counters().steps, 0u);
    scene.desk.take(Written{scene.desk.patches_of_sets().at(0).ticket, web_set(40, Partition{5})});
    EXPECT_TRUE(scene.looks.back().evidence.empty());
    EXPECT_EQ(scene.desk.controller.counters().steps, 1u);
}

TEST(Answers, ToldIsWhatWasWrittenAndAboutWhom) {
    Scene scene;
    bool done = false;
    scene.then = [&](const Snapshot&) {
        if (done) return Decision{};
        Decision decision;
        decision.actions.push_back(removing("web-1", "uid-1"));
        decision.notices = {{engine::Reason::RollingBack, "one pod returns"}};
        return decision;
    };
    scene.show_set(web_set(20));
    scene.show_gate();
    const auto reads = scene.desk.done<ReadWorkload>();
    scene.desk.take(WorkloadRead{
        reads.at(0).ticket, LiveWorkload{web_set(20), {}, {{&gates, object("gentle", "web")}}}});
    const auto deleted = scene.desk.deletions_of_pods();
    ASSERT_THAT(deleted, SizeIs(1));
    EXPECT_EQ(deleted[0].action.object.ref, (model::Ref{&model::pods, "shop", "web-1"}));
    EXPECT_EQ(deleted[0].action.object.uid, "uid-1");
    EXPECT_THAT(scene.desk.done<PostEvent>(), IsEmpty()) << "not before it is through";
    done = true;
    const std::size_t before = scene.looks.size();
    scene.desk.take(Written{deleted[0].ticket, std::nullopt});
    const auto told = scene.desk.done<PostEvent>();
    ASSERT_THAT(told, SizeIs(1));
    EXPECT_EQ(told[0].about.ref.name, "web");
    EXPECT_EQ(told[0].note, "one pod returns");
    EXPECT_EQ(scene.desk.controller.counters().pods_deleted, 1u);
    EXPECT_THAT(scene.desk.controller.counters().events, SizeIs(1));
    EXPECT_GT(scene.looks.size(), before) << "and the workload is looked at again";
}

TEST(Answers, WhatARunWritesAboutItselfIsToldOfThatVeryRun) {
    Scene scene;
    scene.then = [](const Snapshot&) {
        Decision decision = writing(Action::Verb::Patch);
        decision.notices = {{engine::Reason::RolloutStarted, "here we go"}};
        return decision;
    };
    scene.show_run();
    scene.desk.take(Written{scene.desk.patches_of_objects().at(0).ticket, object("one")});
    const auto told = scene.desk.done<PostEvent>();
    ASSERT_THAT(told, SizeIs(1));
    EXPECT_EQ(told[0].about, (engine::Subject{{&runs, "shop", "one"}, "uid-one"}));
}

TEST(Answers, WhatWasMadeOrDeletedIsLookedForAfterFiveSecondsIfTheWatchIsSilent) {
    for (const auto verb : {Action::Verb::Create, Action::Verb::Delete}) {
        Scene scene;
        scene.then = [&](const Snapshot&) { return writing(verb); };
        scene.show_run();
        scene.confirm();
        scene.then = [](const Snapshot&) { return Decision{}; };
        const Ticket ticket = scene.desk.done<Write>().at(0).ticket;
        if (verb == Action::Verb::Create)
            scene.desk.take(Written{ticket, object("one")});
        else
            scene.desk.take(Written{ticket, std::nullopt});
        EXPECT_EQ(scene.desk.controller.counters().objects_created, verb == Action::Verb::Create);
        EXPECT_EQ(scene.desk.controller.counters().objects_deleted, verb == Action::Verb::Delete);
        const std::size_t before = scene.looks.size();
        scene.desk.pass(4'999ms);
        EXPECT_EQ(scene.looks.size(), before);
        scene.desk.pass(1ms);
        EXPECT_EQ(scene.looks.size(), before + 1);
    }
}

TEST(Answers, APodThatCouldNotBeDeletedIsReadAbout) {
    Scene scene;
    scene.then = [](const Snapshot&) {
        Decision decision;
        decision.actions.push_back(removing("web-1", "uid-1"));
        return decision;
    };
    scene.show_set(web_set(20));
    scene.show_gate();
    const LiveWorkload live{web_set(20), {}, {{&gates, object("gentle", "web")}}};
    scene.desk.take(WorkloadRead{scene.desk.done<ReadWorkload>().at(0).ticket, live});
    scene.desk.take(
        Written{scene.desk.deletions_of_pods().at(0).ticket, std::unexpected(refused(404))});
    EXPECT_EQ(scene.desk.controller.counters().pods_deleted, 0u);
    EXPECT_THAT(scene.desk.done<ReadWorkload>(), IsEmpty()) << "not at once";
    scene.desk.pass(1s);
    EXPECT_THAT(scene.desk.done<ReadWorkload>(), SizeIs(1));
}

TEST(Answers, AWriteThatEndsARolloutIsCountedWithHowLongItTook) {
    Scene scene;
    scene.then = [](const Snapshot&) {
        Decision decision = writing(Action::Verb::Patch);
        decision.ended = engine::Ended{"completed", 5min};
        return decision;
    };
    scene.show_run();
    EXPECT_THAT(scene.desk.done<RolloutEnded>(), IsEmpty());
    scene.desk.take(Written{scene.desk.patches_of_objects().at(0).ticket, object("one")});
    const auto ended = scene.desk.done<RolloutEnded>();
    ASSERT_THAT(ended, SizeIs(1));
    EXPECT_EQ(ended[0].api, "run");
    EXPECT_EQ(ended[0].outcome, "completed");
    EXPECT_EQ(ended[0].took, 5min);
}

TEST(Answers, APatchThatCameThroughForgivesTheFailuresBeforeIt) {
    Scene scene;
    int to = 3;
    scene.then = [&](const Snapshot& seen) { return moving(seen, Partition{to}); };
    scene.show_set(web_set(20));
    scene.show_gate();
    const auto patch_ticket = [&] {
        for (const ReadWorkload& read : scene.desk.done<ReadWorkload>())
            scene.desk.take(WorkloadRead{
                read.ticket, LiveWorkload{web_set(20), {}, {{&gates, object("gentle", "web")}}}});
        return scene.desk.patches_of_sets().at(0).ticket;
    };
    for (int time = 0; time < 8; ++time) {
        scene.desk.take(Written{patch_ticket(), std::unexpected(refused(500))});
        scene.desk.pass(2min);
    }
    const Ticket last = patch_ticket();
    to = 4;
    scene.desk.take(Written{last, web_set(30, Partition{3})});
    scene.desk.take(Written{patch_ticket(), std::unexpected(refused(500))});
    scene.desk.pass(500ms);
    EXPECT_THAT(scene.desk.done<ReadWorkload>(), SizeIs(1)) << "as after the first failure";
}

TEST(Answers, ASuccessForgivesTheFailuresBeforeIt) {
    Scene scene;
    scene.then = [](const Snapshot&) { return writing(Action::Verb::Create); };
    scene.show_run();
    const auto fail = [&] {
        scene.desk.take(
            Written{scene.desk.creations().at(0).ticket, std::unexpected(refused(409))});
    };
    for (int time = 0; time < 8; ++time) {
        fail();
        scene.desk.pass(2min);
    }
    scene.desk.take(Written{scene.desk.creations().at(0).ticket, object("one")});
    scene.desk.pass(5s);
    fail();
    scene.desk.pass(500ms);
    EXPECT_THAT(scene.desk.creations(), SizeIs(1)) << "as after the first failure";
}

}  // namespace
}  // namespace sluice::controller
