// What is kept of versions, and for how long.
#include "api/extended_stateful_set/revisions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/api/extended_stateful_set/extended.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

using namespace testing;
using engine::Action;
using engine::Decision;
using engine::Reason;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Verb = Action::Verb;
namespace json = boost::json;

// The revision as the server has it, for the object as it is now.
model::CustomObject revision(const model::CustomObject& object, int version) {
    const json::value body = json::parse(revision_body(object, version));
    model::CustomObject one;
    one.meta = {
        {"shop", revision_name("x", version)}, fmt::format("uid-r{}", version), 3, 0, false};
    one.owner = "x";
    one.owner_uid = object.meta.uid;
    one.owner_kind = resource.kind;
    one.spec = json::serialize(body.at("data"));
    return one;
}

struct Keeping : Known {
    Keeping() { all_kept = false; }

    model::Ref ref(int version) const { return {&revisions, "shop", revision_name("x", version)}; }
    void look_at(int version, std::optional<model::CustomObject> found) {
        seen.fetched = {{ref(version), std::move(found)}};
    }
};

// Version 1 serves, and nothing is kept of it.
Keeping serving() {
    Keeping known;
    known.add_version({1}, 2, known.digest());
    known.settled();
    return known;
}

TEST(KeptVersions, AreKeptBeforeTheFirstOfTheirSetsIsMade) {
    Keeping known;
    const Decision decision = known.settled();
    ASSERT_EQ(decision.actions.size(), 2u);
    EXPECT_EQ(decision.actions[0].object.ref, known.ref(1));
    EXPECT_EQ(decision.actions[1].object.ref.resource, &model::statefulsets);
    EXPECT_TRUE(decision.actions[1].follows);
    const json::value body = json::parse(decision.actions[0].body);
    EXPECT_EQ(body.at("revision"), 1);
    EXPECT_EQ(body.at("metadata").at("ownerReferences").at(0).at("uid"), "uid-x");
    EXPECT_EQ(body.at("metadata").at("labels").at("sluice.dev/extendedstatefulset"), "x");
    const json::value& kept = body.at("data").at("spec").at("template");
    EXPECT_EQ(kept.at("spec").at("serviceName"), "x");
    EXPECT_FALSE(kept.at("spec").as_object().contains("replicas"));
}

TEST(KeptVersions, AreNotMadeForAnotherZoneOnceMore) {
    Keeping known;
    known.object.spec.insert(1, R"("zones":["a","b"],)");
    known.settled();
    known.add_version({1, 0}, 2, known.digest());
    const Decision decision = known.settled();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].object.ref.name, "x-z1-v1");
}

TEST(KeptVersions, AreWrittenDownOnceTheyWereSeen) {
    Keeping known = serving();
    Decision decision = known.decided();
    EXPECT_THAT(decision.rests_on, ElementsAre(known.ref(1)));
    known.look_at(1, revision(known.object, 1));
    decision = known.decided();
    ASSERT_TRUE(known.apply_status(decision));
    EXPECT_THAT(known.status().revisions, ElementsAre("x-v1"));
    known.seen.fetched.clear();
    decision = known.decided();
    EXPECT_TRUE(decision.actions.empty() && decision.rests_on.empty()) << "once is enough";
}

TEST(KeptVersions, AreMadeWhereThereWereNone) {
    Keeping known = serving();
    known.look_at(1, std::nullopt);
    const Decision decision = known.decided();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].verb, Verb::Create);
    EXPECT_EQ(decision.actions[0].object.ref, known.ref(1));
}

TEST(KeptVersions, TakeThePlaceOfThoseOfANamesakeThatIsGone) {
    Keeping known = serving();
    model::CustomObject old = revision(known.object, 1);
    old.owner_uid = "uid-before";
    known.look_at(1, old);
    const Decision decision = known.decided();
    ASSERT_EQ(decision.actions.size(), 2u);
    EXPECT_EQ(decision.actions[0].verb, Verb::Delete);
    EXPECT_EQ(decision.actions[0].object.uid, "uid-r1");
    EXPECT_EQ(decision.actions[1].verb, Verb::Create);
    EXPECT_TRUE(decision.actions[1].follows);
}

TEST(KeptVersions, OfANumberThatWasGivenBeforeTheStatusWasLostGiveWay) {
    Keeping known = serving();
    model::CustomObject old = revision(known.object, 1);
    old.spec.replace(old.spec.find("x:1"), 3, "x:0");
    known.look_at(1, old);
    EXPECT_EQ(known.decided().actions.at(0).verb, Verb::Delete);
}

TEST(KeptVersions, LeaveAloneWhatIsSomebodyElses) {
    Keeping known = serving();
    model::CustomObject other = revision(known.object, 1);
    other.owner_kind = "DaemonSet";
    other.owner_uid = "uid-other";
    known.look_at(1, other);
    EXPECT_TRUE(known.decided().actions.empty());
    known.look_at(1, std::nullopt);
    known.seen.fetched[0].refusal = engine::Refusal{403, "may not"};
    EXPECT_TRUE(known.decided().actions.empty());
}

TEST(KeptVersions, OneThatIsRefusedIsTold) {
    Keeping known;
    known.settled();
    known.seen.attempt =
        engine::Attempt{Verb::Create, known.ref(1), {}, engine::Refusal{403, "a policy says so"}};
    known.apply_status(known.decided());
    EXPECT_EQ(known.status().reason, "VersionRefused");
    EXPECT_EQ(known.status().message, "ControllerRevision x-v1 was refused: a policy says so");
}

// Five versions were there; the last one serves alone.
Keeping fifth(int limit) {
    Keeping known;
    known.object.spec.insert(known.object.spec.find(R"("selector")"),
                             fmt::format(R"("revisionHistoryLimit":{},)", limit));
    known.add_version({5}, 2, known.digest());
    known.settled();
    Status status = known.status();
    status.revisions = {"x-v1", "x-v2", "x-v3", "x-v4", "x-v5"};
    known.object.status = write_status(status);
    return known;
}

TEST(KeptVersions, OfThoseThatAreGoneSoManyStay) {
    Keeping known = fifth(3);
    EXPECT_THAT(known.decided().rests_on, ElementsAre(known.ref(1)));
    known.look_at(1, revision(known.object, 1));
    const Decision decision = known.decided();
    ASSERT_EQ(decision.actions.size(), 2u);
    EXPECT_EQ(decision.actions[0].verb, Verb::Delete);
    EXPECT_EQ(decision.actions[0].object.uid, "uid-r1");
    EXPECT_TRUE(decision.actions[1].of_status && decision.actions[1].follows);
    known.apply_status(decision);
    EXPECT_THAT(known.status().revisions, ElementsAre("x-v2", "x-v3", "x-v4", "x-v5"));
    EXPECT_TRUE(known.decided().rests_on.empty());
}

TEST(KeptVersions, OfWhichThereIsNothingAreStruckOut) {
    Keeping known = fifth(3);
    known.look_at(1, std::nullopt);
    Decision decision = known.decided();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_TRUE(decision.actions[0].of_status);
    model::CustomObject other = revision(known.object, 1);
    other.owner_uid = "uid-other";
    known.look_at(1, other);
    decision = known.decided();
    ASSERT_EQ(decision.actions.size(), 1u) << "it is somebody else's";
    EXPECT_TRUE(decision.actions[0].of_status);
}

TEST(KeptVersions, StayWhileTheirSetsAreThere) {
    Keeping known = fifth(0);
    for (int version = 1; version < 5; ++version)
        known.add_version({version}, 0, "old").meta.deleting = true;
    EXPECT_TRUE(known.decided().rests_on.empty());
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
