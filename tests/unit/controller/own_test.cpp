// What an API may want beside patches: questions of its own, objects that it makes and deletes,
// those that its objects own, and a look at others before it decides.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/controller/desk.hpp"

namespace sluice::controller {
namespace {

using namespace testing;
using engine::Action;
using engine::Decision;
using engine::Snapshot;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Said final : engine::Answer {};

engine::Probe asking(const std::string& key) {
    return {key, std::make_shared<const engine::Question>()};
}

Action write_of(Action::Verb verb, const model::CustomObject& about) {
    return {.verb = verb, .object = {ref_to(runs, about.meta.key), about.meta.uid}, .body = "body"};
}

runtime::RequestFailure refused(int status) {
    return {status, {}, "refused"};
}

TEST(OwnQuestions, AnAnswerIsKeptWithItsKeyAndTheTimeItCame) {
    Desk desk;
    std::vector<Snapshot> looks;
    run_decides = [&](const Snapshot& seen, Instant) {
        looks.push_back(seen);
        Decision decision;
        if (seen.evidence.empty()) decision.probe = asking("first");
        return decision;
    };
    desk.put(runs, object("one"));
    const auto asked = desk.done<Ask>();
    ASSERT_THAT(asked, SizeIs(1));
    EXPECT_EQ(asked[0].ns, "shop");
    EXPECT_NE(asked[0].question, nullptr);
    desk.now = desk.now + 1500ms;
    const auto said = std::make_shared<const Said>();
    desk.take(Answered{asked[0].ticket, said});
    ASSERT_THAT(looks.back().evidence, SizeIs(1));
    EXPECT_EQ(looks.back().evidence[0].key, "first");
    EXPECT_EQ(looks.back().evidence[0].answer, said);
    EXPECT_EQ(looks.back().evidence[0].at, Instant{1'790'000'001'500});
    EXPECT_THAT(desk.done<Ask>(), IsEmpty());
}

TEST(OwnQuestions, AnAnswerOutlivesTheWriteThatSaysWhatItWas) {
    Desk desk;
    bool is_written = false;
    engine::AllEvidence last;
    const auto one = object("one");
    run_decides = [&](const Snapshot& seen, Instant) {
        Decision decision;
        last = seen.evidence;
        if (last.empty())
            decision.probe = asking("first");
        else if (!is_written)
            decision.actions.push_back(write_of(Action::Verb::Patch, one));
        return decision;
    };
    desk.put(runs, one);
    desk.take(Answered{desk.done<Ask>().at(0).ticket, std::make_shared<const Said>()});
    const auto patches = desk.patches_of_objects();
    ASSERT_THAT(patches, SizeIs(1));
    is_written = true;
    desk.take(Written{patches[0].ticket, one});
    ASSERT_THAT(last, SizeIs(1));
    EXPECT_EQ(last[0].key, "first");
}

TEST(OwnQuestions, AreTakenBackWhenAnotherIsToBeAskedOrNobodyAsks) {
    Desk desk;
    std::string key = "first";
    run_decides = [&](const Snapshot&, Instant) {
        Decision decision;
        decision.probe = asking(key);
        return decision;
    };
    desk.put(runs, object("one"));
    const auto first = desk.done<Ask>();
    desk.put(runs, object("one"));
    EXPECT_THAT(desk.done<Ask>(), IsEmpty()) << "it is being asked";
    key = "second";
    desk.put(runs, object("one"));
    EXPECT_EQ(desk.done<CancelQuestion>().at(0).ticket, first.at(0).ticket);
    const auto second = desk.done<Ask>();
    ASSERT_THAT(second, SizeIs(1));
    desk.remove(runs, object("one"));
    EXPECT_EQ(desk.done<CancelQuestion>().at(0).ticket, second[0].ticket);
    desk.take(Answered{first[0].ticket, std::make_shared<const Said>()});
    desk.take(Answered{second[0].ticket, std::make_shared<const Said>()});
    EXPECT_THAT(desk.done<Ask>(), IsEmpty());
}

TEST(OwnQuestions, ThatMustRestOnALiveLookAreAskedAfterOneAndOnce) {
    Desk desk;
    const auto one = object("one");
    run_decides = [&](const Snapshot&, Instant) {
        Decision decision;
        decision.probe = asking("make a Job");
        decision.needs_live = true;
        return decision;
    };
    desk.put(runs, one);
    EXPECT_THAT(desk.done<Ask>(), IsEmpty());
    const auto reads = desk.done<ReadWorkload>();
    ASSERT_THAT(reads, SizeIs(1));
    desk.take(WorkloadRead{reads[0].ticket, LiveWorkload{{}, {}, {{&runs, one}}}});
    EXPECT_THAT(desk.done<Ask>(), SizeIs(1));
    desk.put(runs, one);
    EXPECT_THAT(desk.done<ReadWorkload>(), IsEmpty()) << "it is being asked";
    desk.put(runs, object("two"));
    desk.take(WorkloadRead{desk.done<ReadWorkload>().at(0).ticket, LiveWorkload{}});
    EXPECT_THAT(desk.done<Ask>(), IsEmpty()) << "the second one is gone";
}

TEST(OwnObjects, OneThatWasMadeIsWaitedForAndNotMadeAgain) {
    Desk desk;
    const auto gate = object("gentle", "web");
    const auto run = owned("gentle-1", gate);
    std::vector<std::size_t> counts;
    gate_decides = [&](const Snapshot& seen, Instant) {
        counts.push_back(seen.owned.size());
        Decision decision;
        if (seen.owned.empty()) decision.actions.push_back(write_of(Action::Verb::Create, run));
        return decision;
    };
    desk.put(gates, gate);
    const auto made = desk.creations();
    ASSERT_THAT(made, SizeIs(1));
    EXPECT_EQ(made[0].action.object.ref.resource, &runs);
    EXPECT_EQ(made[0].action.object.ref.ns, "shop");
    EXPECT_EQ(made[0].action.body, "body");
    desk.take(Written{made[0].ticket, run});
    EXPECT_EQ(desk.controller.counters().objects_created, 1u);
    desk.pass(1s);
    EXPECT_THAT(desk.creations(), IsEmpty()) << "the watch has not brought it yet";
    desk.put(runs, run);
    EXPECT_EQ(counts.back(), 1u) << "the run brings the workload of its owner back";
    desk.pass(1min);
    EXPECT_THAT(desk.creations(), IsEmpty());
}

TEST(OwnObjects, OneThatIsThereAlreadyIsNoFailureToReadAbout) {
    Desk desk;
    const auto gate = object("gentle", "web");
    gate_decides = [&](const Snapshot&, Instant) {
        Decision decision;
        decision.actions.push_back(write_of(Action::Verb::Create, owned("gentle-1", gate)));
        return decision;
    };
    desk.put(gates, gate);
    int tries = 0;
    for (const Instant end = desk.now + 10min; desk.now < end; desk.pass(1s))
        for (const Write& one : desk.creations()) {
            ++tries;
            desk.take(Written{one.ticket, std::unexpected(refused(409))});
        }
    EXPECT_THAT(desk.done<ReadWorkload>(), IsEmpty());
    EXPECT_GE(tries, 5);
    EXPECT_LE(tries, 30) << "less and less often";
    EXPECT_EQ(desk.controller.counters().objects_created, 0u);
}

// A patch, and two creations that follow on it.
Decision chain(const model::CustomObject& one) {
    Decision decision;
    decision.actions.push_back(write_of(Action::Verb::Patch, one));
    for (const char* name : {"made-1", "made-2"}) {
        decision.actions.push_back(write_of(Action::Verb::Create, object(name)));
        decision.actions.back().follows = true;
    }
    return decision;
}

TEST(OwnObjects, WhatFollowsIsDoneOneAfterTheOtherWithoutALookBetween) {
    Desk desk;
    const auto one = object("one");
    int looks = 0;
    run_decides = [&](const Snapshot&, Instant) { return ++looks == 1 ? chain(one) : Decision{}; };
    desk.put(runs, one);
    EXPECT_THAT(desk.creations(), IsEmpty());
    desk.take(Written{desk.patches_of_objects().at(0).ticket, one});
    auto made = desk.creations();
    ASSERT_THAT(made, SizeIs(1));
    EXPECT_EQ(made[0].action.object.ref.name, "made-1");
    runtime::RequestFailure exists = refused(409);
    exists.exists = true;
    desk.take(Written{made[0].ticket, std::unexpected(exists)});
    made = desk.creations();
    ASSERT_THAT(made, SizeIs(1)) << "what is there already is as good as made";
    EXPECT_EQ(made[0].action.object.ref.name, "made-2");
    EXPECT_EQ(looks, 1);
    desk.take(Written{made[0].ticket, object("made-2")});
    desk.pass(10s);
    EXPECT_GT(looks, 1);
}

TEST(OwnObjects, WhatFollowsIsNotDoneIfWhatItFollowsFailed) {
    for (const int status : {0, 403, 409, 500}) {
        Desk desk;
        const auto one = object("one");
        std::optional<engine::Attempt> told;
        int looks = 0;
        run_decides = [&](const Snapshot& seen, Instant) {
            if (seen.attempt) told = seen.attempt;
            return ++looks == 1 ? chain(one) : Decision{};
        };
        desk.put(runs, one);
        desk.take(Written{desk.patches_of_objects().at(0).ticket, one});
        desk.take(Written{desk.creations().at(0).ticket, std::unexpected(refused(status))});
        EXPECT_THAT(desk.creations(), IsEmpty()) << status;
        desk.pass(10s);
        EXPECT_GT(looks, 1) << status;
        ASSERT_TRUE(told && told->refusal) << status;
        EXPECT_EQ(told->ref.name, "made-1");
        EXPECT_EQ(told->refusal->status, status);
    }
}

TEST(OwnObjects, OneIsDeletedByItsUidAndNotTwice) {
    Desk desk;
    const auto one = object("one");
    run_decides = [&](const Snapshot&, Instant) {
        Decision decision;
        decision.actions.push_back(write_of(Action::Verb::Delete, one));
        return decision;
    };
    desk.put(runs, one);
    EXPECT_THAT(desk.deletions(), IsEmpty()) << "what cannot be undone is looked at first";
    const auto reads = desk.done<ReadWorkload>();
    ASSERT_THAT(reads, SizeIs(1));
    EXPECT_THAT(reads[0].objects, ::testing::ElementsAre(ref_to(runs, one.meta.key)));
    desk.take(WorkloadRead{reads[0].ticket, LiveWorkload{{}, {}, {{&runs, one}}}});
    const auto gone = desk.deletions();
    ASSERT_THAT(gone, SizeIs(1));
    EXPECT_EQ(to_text(gone[0].action.object.ref), "shop/one");
    EXPECT_EQ(gone[0].action.object.uid, "uid-one");
    desk.take(Written{gone[0].ticket, std::nullopt});
    desk.pass(1s);
    EXPECT_THAT(desk.deletions(), IsEmpty()) << "the watch has not said so yet";
    desk.remove(runs, one);
    desk.pass(1min);
    EXPECT_THAT(desk.deletions(), IsEmpty());
    EXPECT_EQ(desk.controller.counters().objects_deleted, 1u);
    EXPECT_EQ(desk.controller.counters().pods_deleted, 0u);
}

TEST(OwnObjects, OneThatIsNotToGoAnyMoreWhenItIsReadStays) {
    Desk desk;
    auto one = object("one", "old");
    run_decides = [&](const Snapshot& seen, Instant) {
        Decision decision;
        if (seen.objects.at(0).spec == "old")
            decision.actions.push_back(write_of(Action::Verb::Delete, one));
        return decision;
    };
    desk.put(runs, one);
    const auto reads = desk.done<ReadWorkload>();
    one.spec = "wanted again";
    one.meta.resource_version = 90;
    desk.take(WorkloadRead{reads.at(0).ticket, LiveWorkload{{}, {}, {{&runs, one}}}});
    desk.pass(1min);
    EXPECT_THAT(desk.deletions(), IsEmpty());
}

TEST(OwnObjects, AfterAWriteOfUnknownOutcomeTheObjectIsReadFirst) {
    Desk desk;
    const auto one = object("one");
    bool is_live = false;
    run_decides = [&](const Snapshot& seen, Instant) {
        Decision decision;
        is_live = seen.objects.at(0).status == "live";
        if (!is_live) decision.actions.push_back(write_of(Action::Verb::Patch, one));
        return decision;
    };
    desk.put(runs, one);
    desk.take(Written{desk.patches_of_objects().at(0).ticket, std::unexpected(refused(0))});
    desk.pass(1min);
    EXPECT_THAT(desk.patches_of_objects(), IsEmpty());
    const auto reads = desk.done<ReadWorkload>();
    ASSERT_THAT(reads, SizeIs(1));
    EXPECT_EQ(reads[0].subject, (model::Ref{&runs, "shop", "one"}));
    EXPECT_EQ(reads[0].objects, (std::vector<model::Ref>{{&runs, "shop", "one"}}));
    auto now = one;
    now.status = "live";
    desk.take(WorkloadRead{reads[0].ticket, LiveWorkload{{}, {}, {{&runs, now}}}});
    EXPECT_TRUE(is_live);
    EXPECT_THAT(desk.patches_of_objects(), IsEmpty());
}

TEST(OwnedObjects, BringTheWorkloadOfTheirOwnerBackHoweverTheyChange) {
    Desk desk;
    const auto gate = object("gentle", "web");
    std::vector<std::string> looks;
    gate_decides = [&](const Snapshot& seen, Instant) {
        std::string names;
        for (const auto& run : seen.owned)
            names += run.meta.key.name + " ";
        looks.push_back(names);
        return Decision{};
    };
    desk.put(gates, gate);
    const auto run = owned("gentle-1", gate);
    desk.put(runs, run);
    desk.put(runs, owned("gentle-2", object("gentle", "web", "a-namesake")));
    desk.put(runs, object("alone"));
    desk.put(runs, run);
    desk.remove(runs, run);
    EXPECT_EQ(looks, (std::vector<std::string>{"", "gentle-1 ", "gentle-1 ", "gentle-1 ", ""}));
}

TEST(OwnedObjects, AreSeenByTheirOwnerThoughTheirApiIsNotServed) {
    Settings settings;
    settings.apis = {"gate"};
    Desk desk{settings};
    std::vector<std::size_t> looks;
    gate_decides = [&](const Snapshot& seen, Instant) {
        looks.push_back(seen.owned.size());
        return Decision{};
    };
    const auto gate = object("gentle", "web");
    desk.put(gates, gate);
    desk.put(runs, owned("gentle-1", gate));
    EXPECT_EQ(looks, (std::vector<std::size_t>{0, 1}));
}

// Wants one recipe more with each look, so many in all; then it writes what it found.
struct Curious {
    explicit Curious(int many) {
        gate_decides = [this, many](const Snapshot& seen, Instant) {
            looks.push_back(seen);
            Decision decision;
            const std::size_t known = seen.fetched.size();
            if (known < static_cast<std::size_t>(many))
                decision.rests_on = {{&recipes, "", fmt::format("recipe-{}", known)}};
            else
                decision.actions.push_back(write_of(Action::Verb::Create, object("made")));
            return decision;
        };
    }
    std::vector<Snapshot> looks;
};

// Answers each read with those of the objects that are there, as long as there are reads.
int answer_reads(Desk& desk, const std::vector<LiveObject>& there) {
    int rounds = 0;
    for (auto reads = desk.done<ReadWorkload>(); !reads.empty(); reads = desk.done<ReadWorkload>())
        for (const ReadWorkload& read : reads) {
            ++rounds;
            LiveWorkload live;
            for (const LiveObject& one : there)
                for (const model::Ref& ref : read.objects)
                    if (ref.resource == one.resource && ref.name == one.object.meta.key.name)
                        live.objects.push_back(one);
            desk.take(WorkloadRead{read.ticket, live});
        }
    return rounds;
}

TEST(Wants, AreReadAndTheDecisionIsMadeAgainWithAllThatWasFound) {
    Desk desk;
    Curious curious{2};
    const auto gate = object("gentle", "web");
    desk.put(gates, gate);
    EXPECT_THAT(desk.creations(), IsEmpty());
    EXPECT_EQ(answer_reads(desk, {{&gates, gate}, {&recipes, recipe("recipe-1")}}), 2);
    const auto& found = curious.looks.back().fetched;
    ASSERT_THAT(found, SizeIs(2));
    EXPECT_EQ(found[0].ref.name, "recipe-0");
    EXPECT_FALSE(found[0].object.has_value()) << "there is none";
    EXPECT_EQ(found[1].ref.resource, &recipes);
    ASSERT_TRUE(found[1].object.has_value());
    EXPECT_EQ(found[1].object->meta.uid, "uid-recipe-1");
    EXPECT_THAT(curious.looks.back().objects, SizeIs(1)) << "of a workload that does not exist";
    EXPECT_THAT(desk.creations(), SizeIs(1));
}

TEST(Wants, AreForgottenWhenTheTurnIsOver) {
    Desk desk;
    Curious curious{1};
    const auto gate = object("gentle", "web");
    desk.put(gates, gate);
    answer_reads(desk, {{&gates, gate}});
    desk.take(Written{desk.creations().at(0).ticket, object("made")});
    curious.looks.clear();
    desk.put(gates, gate);
    ASSERT_THAT(curious.looks, SizeIs(1));
    EXPECT_THAT(curious.looks[0].fetched, IsEmpty());
}

TEST(Wants, ThatNeverEndAreGivenUpAfterEightRoundsAndTriedLater) {
    Desk desk;
    const Curious curious{1000};
    const auto gate = object("gentle", "web");
    desk.put(gates, gate);
    desk.done<Log>();
    EXPECT_EQ(answer_reads(desk, {{&gates, gate}}), 8);
    const auto lines = desk.done<Log>();
    ASSERT_THAT(lines, SizeIs(1));
    EXPECT_THAT(lines[0].text, HasSubstr("after 8 rounds it wants 9"));
    desk.pass(2min);
    EXPECT_EQ(answer_reads(desk, {{&gates, gate}}), 8) << "anew, from the start";
}

TEST(Wants, OfARunAreReadWithoutAnySet) {
    Desk desk;
    const auto one = object("one");
    std::optional<bool> found;
    run_decides = [&](const Snapshot& seen, Instant) {
        Decision decision;
        if (seen.fetched.empty())
            decision.rests_on = {{&recipes, "", "salt"}};
        else
            found = seen.fetched[0].object.has_value();
        return decision;
    };
    desk.put(runs, one);
    const auto reads = desk.done<ReadWorkload>();
    ASSERT_THAT(reads, SizeIs(1));
    EXPECT_EQ(reads[0].objects,
              (std::vector<model::Ref>{{&recipes, "", "salt"}, {&runs, "shop", "one"}}));
    desk.take(WorkloadRead{reads[0].ticket,
                           LiveWorkload{{}, {}, {{&runs, one}, {&recipes, recipe("salt")}}}});
    EXPECT_EQ(found, true);
}

// A run that wants to look at salt, again and again, without a look at itself.
struct Poller {
    Poller() {
        run_decides = [this](const Snapshot& seen, Instant now) {
            looks.push_back(seen);
            Decision decision;
            if (seen.fetched.empty() && seen.evidence.empty()) {
                decision.rests_on = {{&recipes, "", "salt"}};
                decision.rereads_subject = false;
            } else if (!seen.fetched.empty()) {
                decision.noted = engine::Evidence{"salt", std::make_shared<const Said>(), now};
            }
            return decision;
        };
    }
    std::vector<Snapshot> looks;
};

TEST(Wants, OfWhoKnowsItselfWellEnoughAreReadAloneAndWhatTheyCameToIsKept) {
    Desk desk;
    const Poller poller;
    desk.put(runs, object("one"));
    const auto reads = desk.done<ReadWorkload>();
    ASSERT_THAT(reads, SizeIs(1));
    EXPECT_EQ(reads[0].objects, (std::vector<model::Ref>{{&recipes, "", "salt"}}));
    desk.take(WorkloadRead{reads[0].ticket, LiveWorkload{{}, {}, {{&recipes, recipe("salt")}}}});
    EXPECT_TRUE(poller.looks.back().fetched.at(0).object.has_value());
    EXPECT_THAT(poller.looks.back().objects, SizeIs(1)) << "as it is known";
    desk.put(runs, object("one"));
    EXPECT_THAT(poller.looks.back().fetched, IsEmpty());
    ASSERT_THAT(poller.looks.back().evidence, SizeIs(1));
    EXPECT_EQ(poller.looks.back().evidence[0].key, "salt");
}

TEST(Wants, ThatCouldNotBeReadAloneAreToldSo) {
    Desk desk;
    const Poller poller;
    desk.put(runs, object("one"));
    desk.take(WorkloadRead{desk.done<ReadWorkload>().at(0).ticket, std::unexpected(refused(403))});
    const auto& found = poller.looks.back().fetched;
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_FALSE(found[0].object.has_value());
    ASSERT_TRUE(found[0].refusal.has_value());
    EXPECT_EQ(found[0].refusal->status, 403);
    EXPECT_EQ(found[0].refusal->why, "refused");
}

// A run that makes salt, which nobody watches, once.
struct Maker {
    Maker() {
        run_decides = [this](const Snapshot& seen, Instant) {
            attempts.push_back(seen.attempt);
            Decision decision;
            if (attempts.size() == 1)
                decision.actions.push_back({.verb = Action::Verb::Create,
                                            .object = {{&recipes, "", "salt"}, ""},
                                            .body = "body"});
            return decision;
        };
    }
    std::vector<std::optional<engine::Attempt>> attempts;
};

TEST(Attempts, AreShownOnceWithWhatWasMade) {
    Desk desk;
    const Maker maker;
    desk.put(runs, object("one"));
    desk.take(Written{desk.creations().at(0).ticket, object("salt")});
    ASSERT_THAT(maker.attempts, SizeIs(2)) << "at once: no watch will bring it";
    EXPECT_EQ(maker.attempts[1]->ref, (model::Ref{&recipes, "", "salt"}));
    EXPECT_EQ(maker.attempts[1]->object->meta.key.name, "salt");
    EXPECT_EQ(desk.controller.counters().objects_created, 1u);
    desk.put(runs, object("one"));
    EXPECT_FALSE(maker.attempts.back().has_value());
}

TEST(Attempts, ThatFailedAreShownWithWhatTheServerSaid) {
    Desk desk;
    const Maker maker;
    desk.put(runs, object("one"));
    runtime::RequestFailure forbidden{403, {}, "cannot create recipes: no"};
    forbidden.said = "no";
    desk.take(Written{desk.creations().at(0).ticket, std::unexpected(forbidden)});
    desk.pass(2s);
    ASSERT_THAT(maker.attempts, SizeIs(2));
    EXPECT_EQ(maker.attempts[1]->refusal->status, 403);
    EXPECT_EQ(maker.attempts[1]->refusal->why, "no");
}

TEST(Wants, AReadThatFailsIsTriedAgainLater) {
    Desk desk;
    const Curious curious{1};
    const auto gate = object("gentle", "web");
    desk.put(gates, gate);
    desk.take(WorkloadRead{desk.done<ReadWorkload>().at(0).ticket, std::unexpected(refused(500))});
    EXPECT_THAT(desk.creations(), IsEmpty());
    desk.pass(1min);
    EXPECT_EQ(answer_reads(desk, {{&gates, gate}}), 1);
    EXPECT_THAT(desk.creations(), SizeIs(1));
}

}  // namespace
}  // namespace sluice::controller
