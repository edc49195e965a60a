// What a decision wants to look at without a look at its subject: what comes of it, and what is
// remembered of what could not be read, or was done before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/assert.hpp"
#include "tests/unit/controller/scene.hpp"

namespace sluice::controller {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const model::Ref salt{&recipes, "", "salt"}, pepper{&recipes, "", "pepper"};
const model::Ref one{&runs, "shop", "one"}, two{&runs, "shop", "two"};

Decision wanting(const model::Ref& ref, bool alone) {
    Decision decision;
    decision.rests_on = {ref};
    decision.rereads_subject = !alone;
    return decision;
}

// The run "one" wants to look at something alone, and with `next` when it was refused that.
struct Wanting : Scene {
    explicit Wanting(const model::Ref& first, Settings settings = {}) : Scene(std::move(settings)) {
        then = [this, first](const Snapshot& seen) {
            if (seen.subject != one) return Decision{};
            if (seen.fetched.empty()) return wanting(first, true);
            return seen.fetched.size() == 1 && seen.fetched[0].refusal ? next : Decision{};
        };
        show_run();
    }
    void answer(Answer<LiveWorkload> what) {
        const auto reads = desk.done<ReadWorkload>();
        ASSERT_THAT(reads, SizeIs(1));
        desk.take(WorkloadRead{reads[0].ticket, std::move(what)});
    }
    const std::vector<engine::Fetched>& fetched() const { return looks.back().fetched; }
    Decision next;
};

TEST(WantsAlone, ThatCameAndCouldNotBeUnderstoodAreToldApart) {
    runtime::RequestFailure unreadable = refused(0), too_large = refused(0);
    unreadable.unreadable = true;
    too_large.too_large = true;
    for (const auto& [failure, is_unreadable] :
         {std::pair{unreadable, true}, std::pair{too_large, true}, std::pair{refused(0), false}}) {
        Wanting scene{salt};
        scene.answer(std::unexpected(failure));
        EXPECT_EQ(scene.fetched().at(0).refusal.value().unreadable, is_unreadable);
    }
}

TEST(WantsAlone, BringNewsToWhoeverTheyConcern) {
    Wanting scene{two};
    scene.desk.put(runs, object("two"));
    auto read = object("two");
    read.meta.resource_version = 90;
    read.status = "read";
    scene.answer(LiveWorkload{{}, {}, {{&runs, read}}});
    EXPECT_EQ(scene.looks.back().subject, two);
    EXPECT_EQ(scene.looks.back().objects.at(0).status, "read");
}

TEST(WantsAlone, ThatWereRefusedStayRefusedAndAreNotAskedForAgain) {
    Wanting scene{salt};
    scene.next = wanting(pepper, false);
    scene.answer(std::unexpected(refused(403)));
    const auto reads = scene.desk.done<ReadWorkload>();
    ASSERT_THAT(reads, SizeIs(1));
    EXPECT_THAT(reads[0].objects, ElementsAre(pepper, one));
    scene.desk.take(
        WorkloadRead{reads[0].ticket,
                     LiveWorkload{{}, {}, {{&runs, object("one")}, {&recipes, recipe("pepper")}}}});
    ASSERT_THAT(scene.fetched(), SizeIs(2));
    EXPECT_EQ(scene.fetched()[0].ref, salt);
    EXPECT_TRUE(scene.fetched()[0].refusal.has_value());
    EXPECT_EQ(scene.fetched()[1].ref, pepper);
    EXPECT_TRUE(scene.fetched()[1].object.has_value());
}

TEST(WantsAlone, ThatWereRefusedAndAreWantedAgainAreReadAgain) {
    Wanting scene{salt};
    scene.next = wanting(salt, false);
    scene.answer(std::unexpected(refused(403)));
    scene.answer(LiveWorkload{{}, {}, {{&runs, object("one")}, {&recipes, recipe("salt")}}});
    ASSERT_THAT(scene.fetched(), SizeIs(1));
    EXPECT_TRUE(scene.fetched()[0].object.has_value());
    EXPECT_FALSE(scene.fetched()[0].refusal.has_value());
}

TEST(WantsAlone, ThatComeWhenSomebodyElseLeadsLeadToNothing) {
    Settings settings;
    settings.leads_at_once = false;
    Wanting scene{salt, settings};
    scene.desk.take(Leadership{true, {"lease", 1}});
    scene.desk.take(Leadership{false, {"lease", 1}});
    const std::size_t before = scene.looks.size();
    scene.answer(LiveWorkload{{}, {}, {{&recipes, recipe("salt")}}});
    EXPECT_THAT(scene.looks, SizeIs(before));
    EXPECT_TRUE(scene.desk.controller.is_quiet());
}

TEST(WantsAlone, ThatLeadToADefectEndTheTurn) {
    Settings settings;
    settings.survives_defects = true;
    Wanting scene{salt, settings};
    scene.then = [](const Snapshot& seen) {
        SLUICE_ASSERT(seen.fetched.empty());
        return wanting(salt, true);
    };
    scene.answer(LiveWorkload{{}, {}, {{&recipes, recipe("salt")}}});
    EXPECT_EQ(scene.desk.controller.counters().defects, 1u);
    EXPECT_THAT(scene.desk.done<ReadWorkload>(), IsEmpty());
    scene.desk.pass(1s);
    EXPECT_THAT(scene.desk.done<ReadWorkload>(), SizeIs(1)) << "it is begun again";
}

// A run that has just made salt, which nobody watches, and does something else at the next look.
struct Made : Scene {
    explicit Made(Decision next) {
        then = [this, next = std::move(next)](const Snapshot&) {
            if (looks.size() == 2) return next;
            Decision decision;
            if (looks.size() == 1)
                decision.actions.push_back(
                    {.verb = Action::Verb::Create, .object = {salt, ""}, .body = "body"});
            return decision;
        };
        show_run();
        desk.take(Written{desk.creations().at(0).ticket, object("salt")});
    }
};

TEST(Attempts, AreForgottenWhenSomethingElseIsWritten) {
    Made scene{writing(Action::Verb::Patch)};
    ASSERT_TRUE(scene.looks.back().attempt.has_value());
    scene.desk.take(Written{scene.desk.patches_of_objects().at(0).ticket, object("one")});
    ASSERT_THAT(scene.looks, SizeIs(3));
    EXPECT_FALSE(scene.looks[2].attempt.has_value());
}

TEST(Attempts, AreForgottenWhenTheTurnIsGivenUp) {
    Decision next = writing(Action::Verb::Patch);
    next.needs_live = true;
    Made scene{next};
    ASSERT_TRUE(scene.looks.back().attempt.has_value());
    scene.desk.take(
        WorkloadRead{scene.desk.done<ReadWorkload>().at(0).ticket, std::unexpected(refused(500))});
    scene.desk.pass(1s);
    ASSERT_THAT(scene.looks, SizeIs(3));
    EXPECT_FALSE(scene.looks[2].attempt.has_value());
}

}  // namespace
}  // namespace sluice::controller
