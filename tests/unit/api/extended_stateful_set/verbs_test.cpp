// What people ask of an ExtendedStatefulSet, and what becomes of it.
#include <gmock/gmock.h>

#include "api/extended_stateful_set/decide.hpp"
#include "api/extended_stateful_set/revisions.hpp"
#include "tests/unit/api/extended_stateful_set/extended.hpp"
#include "tests/unit/api/steered.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

using namespace api::testing;
using ::testing::HasSubstr;
using testing::noon;

// The spec of an object with this image; `set`: more of the spec of the template, `more`: of its
// own.
std::string spec_of(const std::string& image, const std::string& set = "",
                    const std::string& more = "") {
    return R"({"template":{"spec":{"selector":{"matchLabels":{"app":"x"}},)" + set +
           R"("template":{"spec":{"containers":[{"name":"x","image":")" + image + R"("}]}}}})" +
           more + "}";
}

Steered ledger(const std::string& spec, int update, int current, int previous) {
    Steered one =
        steered(dialect, custom("x", spec,
                                fmt::format(R"({{"updateVersion":{},"currentVersion":{},)"
                                            R"("previousVersion":{},"observedGeneration":1}})",
                                            update, current, previous)));
    const auto read = read_spec(one.object);
    if (!read) return one;
    Status status = read_status(one.object);
    status.digest = digest_of(one.object, *read);
    one.object.status = write_status(status);
    return one;
}

// What an object with this spec had kept of this version.
model::CustomObject kept(const Steered& one, int version, const std::string& spec) {
    model::CustomObject object = one.object;
    object.spec = spec;
    model::CustomObject revision;
    revision.meta.key = {"shop", revision_name("x", version)};
    revision.owner = "x";
    revision.owner_uid = one.object.meta.uid;
    revision.owner_kind = resource.kind;
    revision.spec = json::serialize(json::parse(revision_body(object, version)).at("data"));
    return revision;
}

Reply undo(const Steered& one) {
    return reply(dialect, Verb::Undo, one, noon);
}

std::string containers(const std::string& image) {
    return R"("containers":[{"name":"x","image":")" + image + R"("}])";
}

TEST(ExtendedVerbs, UndoPutsTheVersionBeforeBackAndLeavesNothingOfTheOther) {
    Steered one = ledger(spec_of("b", R"("replicas":5,"minReadySeconds":3,)"), 2, 2, 1);
    one.history = {kept(one, 1, spec_of("a", R"("replicas":2,"serviceName":"s",)"))};
    EXPECT_EQ(written(undo(one)),
              R"(object {"spec":{"template":{"spec":{"minReadySeconds":null,"serviceName":"s",)"
              R"("template":{"spec":{)" +
                  containers("a") + "}}}}}}");
}

TEST(ExtendedVerbs, UndoLeavesNumbersAndClaimsAsTheyAre) {
    const auto claim = [](const std::string& size) {
        return R"("volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"accessModes":)"
               R"(["ReadWriteOnce"],"resources":{"requests":{"storage":")" +
               size + R"("}}}}],)";
    };
    const std::string keep =
        R"("persistentVolumeClaimRetentionPolicy":{"whenScaled":"Delete"},"replicas":4,)";
    Steered one = ledger(spec_of("b", claim("2Gi") + keep), 2, 2, 1);
    one.history = {kept(one, 1, spec_of("a", claim("1Gi") + R"("replicas":1,)"))};
    EXPECT_EQ(written(undo(one)), R"(object {"spec":{"template":{"spec":{"template":{"spec":{)" +
                                      containers("a") + "}}}}}}");
}

TEST(ExtendedVerbs, UndoPutsZonesBackUnderWhateverNameTheyHad) {
    Steered one = ledger(spec_of("a", "", R"(,"zones":["c"],"zoneNodeLabel":"rack")"), 2, 2, 1);
    one.history = {kept(one, 1, spec_of("a", "", R"(,"az":["a","b"])"))};
    EXPECT_EQ(written(undo(one)),
              R"(object {"spec":{"zones":null,"zoneNodeLabel":null,"az":["a","b"]}})");
}

TEST(ExtendedVerbs, UndoDoesNotMoveClaimsToOtherZones) {
    const std::string claim =
        R"("volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"accessModes":)"
        R"(["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}],)";
    Steered one = ledger(spec_of("b", claim), 2, 2, 1);
    Status status = read_status(one.object);
    status.claims.templates = "of now";
    one.object.status = write_status(status);
    one.history = {kept(one, 1, spec_of("a", "", R"(,"zones":["a"])"))};
    EXPECT_THAT(refusal(undo(one)), HasSubstr("it had other zones, and there are claims"));
}

TEST(ExtendedVerbs, UndoGoesBackToWhatServesWhileAnotherVersionIsOnItsWayOrHasFailed) {
    Steered one = ledger(spec_of("c"), 3, 1, 0);
    one.history = {kept(one, 2, spec_of("b")), kept(one, 1, spec_of("a")),
                   kept(one, 3, spec_of("c"))};
    EXPECT_THAT(written(undo(one)), HasSubstr(containers("a")));
}

TEST(ExtendedVerbs, UndoPassesOverAVersionThatNeverServed) {
    Steered one = ledger(spec_of("c"), 3, 3, 1);
    one.history = {kept(one, 1, spec_of("a")), kept(one, 2, spec_of("b"))};
    EXPECT_THAT(written(undo(one)), HasSubstr(containers("a")));
    one = ledger(spec_of("c"), 3, 3, 0);  // the status was lost, and says nothing of it
    one.history = {kept(one, 1, spec_of("a")), kept(one, 2, spec_of("b"))};
    EXPECT_THAT(written(undo(one)), HasSubstr(containers("b")));
}

TEST(ExtendedVerbs, UndoGoesToTheVersionThatIsNamed) {
    Steered one = ledger(spec_of("c"), 3, 3, 2);
    one.history = {kept(one, 1, spec_of("a")), kept(one, 2, spec_of("b")),
                   kept(one, 3, spec_of("c"))};
    for (const char* word : {"v1", "1"}) {
        one.revision = word;
        EXPECT_THAT(written(undo(one)), HasSubstr(containers("a")));
    }
    one.revision = "v9";
    EXPECT_EQ(refusal(undo(one)), "extendedstatefulset/x keeps no version v9. It keeps: v2, v1.");
    one.revision = "x-v1";
    EXPECT_THAT(refusal(undo(one)), HasSubstr("keeps no version x-v1."));
    one.revision = "v3";
    EXPECT_EQ(refusal(undo(one)),
              "extendedstatefulset/x has the template of v3 already, or is on the way to it.");
}

TEST(ExtendedVerbs, UndoIsRefusedWhereThereIsNothingToGoBackTo) {
    Steered one = ledger(spec_of("a"), 1, 1, 0);
    one.history = {kept(one, 1, spec_of("a"))};
    EXPECT_EQ(refusal(undo(one)), "extendedstatefulset/x keeps no earlier version.");
    one = ledger(spec_of("b"), 2, 2, 1);
    EXPECT_EQ(refusal(undo(one)), "extendedstatefulset/x keeps no version v1. It keeps: none.");
    one.history = {kept(one, 1, spec_of("a"))};
    one.history[0].owner_uid = "uid-of-a-namesake";
    EXPECT_THAT(refusal(undo(one)), HasSubstr("keeps no version v1"));
    one.object.meta.generation = 2;
    EXPECT_THAT(refusal(undo(one)), HasSubstr("has not seen the last change"));
}

TEST(ExtendedVerbs, AnExplanationTellsOfEarlierVersions) {
    Steered one = ledger(spec_of("c"), 3, 3, 2);
    one.history = {kept(one, 1, spec_of("a")), kept(one, 2, spec_of("b")),
                   kept(one, 3, spec_of("c"))};
    EXPECT_THAT(dialect.facts(one, noon), ::testing::Contains(Fact{"earlier", "v2, v1"}));
}

TEST(ExtendedVerbs, ARetryWantsARestartThatWasAborted) {
    Steered one = ledger(spec_of("x:1"), 1, 1, 0);
    Status status = read_status(one.object);
    status.reason = "Aborted";
    one.object.status = write_status(status);
    one.object.annotations["sluice.dev/abort"] = "digest";
    const Reply wanted = reply(dialect, Verb::Retry, one, noon);
    ASSERT_TRUE(wanted) << wanted.error().why;
    EXPECT_EQ(json::serialize(wanted->writes.at(0).fields),
              R"({"metadata":{"annotations":{"sluice.dev/abort":null}}})");
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
