#include "api/extended_stateful_set/volumes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "model/json_text.hpp"
#include "tests/unit/api/extended_stateful_set/extended.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

std::string claim_of_size(const std::string& size, const std::string& mode = "ReadWriteOnce") {
    return fmt::format(
        R"({{"metadata":{{"name":"data","labels":{{"tier":"data"}}}},"spec":{{"accessModes":["{}"],)"
        R"("resources":{{"requests":{{"storage":"{}"}}}}}}}})",
        mode, size);
}

std::string with_claim(const std::string& claim, const std::string& more = "") {
    std::string spec = testing::small_spec;
    return spec.insert(spec.find(R"("replicas")"),
                       fmt::format(R"("volumeClaimTemplates":[{}],{})", claim, more));
}

Spec read(const std::string& text) {
    testing::Known known;
    known.object.spec = text;
    const auto spec = read_spec(known.object);
    EXPECT_TRUE(spec.has_value()) << (spec ? "" : to_text(spec.error()));
    return spec.value_or(Spec{});
}

std::string faults_of(const std::string& text) {
    testing::Known known;
    known.object.spec = text;
    const auto spec = read_spec(known.object);
    return spec ? "" : to_text(spec.error());
}

TEST(Volumes, AreHandedOverUnlessTheyCanBeShared) {
    EXPECT_FALSE(read(testing::small_spec).hands_over());
    EXPECT_TRUE(read(with_claim(claim_of_size("1Gi"))).hands_over());
    EXPECT_TRUE(read(with_claim(claim_of_size("1Gi", "ReadWriteOncePod"))).hands_over());
    EXPECT_FALSE(read(with_claim(claim_of_size("1Gi", "ReadWriteMany"))).hands_over());
}

TEST(Volumes, WhatIsWrongHasItsPath) {
    const std::string path = "spec.template.spec.volumeClaimTemplates[0].spec";
    EXPECT_NE(faults_of(with_claim(claim_of_size("much"))).find(path), std::string::npos);
    EXPECT_NE(faults_of(with_claim(claim_of_size("1Gi", "Any"))).find(path), std::string::npos);
    EXPECT_NE(faults_of(with_claim(claim_of_size("1Gi") + "," + claim_of_size("2Gi")))
                  .find("volumeClaimTemplates[1].metadata"),
              std::string::npos);
}

TEST(Volumes, TheirSizeIsNoPartOfAVersionAndNoPartOfWhoTheyAre) {
    testing::Known known;
    known.object.spec = with_claim(claim_of_size("1Gi"));
    const std::string digest = known.digest();
    const std::string identity = read(known.object.spec).volumes.identity();
    const std::string shape = read(known.object.spec).volumes.shape();
    known.object.spec = with_claim(claim_of_size("2Gi"));
    EXPECT_EQ(known.digest(), digest);
    EXPECT_EQ(read(known.object.spec).volumes.identity(), identity);
    EXPECT_NE(read(known.object.spec).volumes.shape(), shape);
    known.object.spec = with_claim(claim_of_size("1Gi", "ReadWriteMany"));
    EXPECT_NE(read(known.object.spec).volumes.identity(), identity);
    known.object.spec = testing::small_spec;
    EXPECT_NE(known.digest(), digest);
    EXPECT_EQ(read(known.object.spec).volumes.identity(), "");
}

TEST(Volumes, AClaimIsCalledByItsOrdinalAndZone) {
    EXPECT_EQ(claim_name("web", "data", std::nullopt, "2"), "data-web-2");
    EXPECT_EQ(claim_name("web", "data", 1, "2"), "data-web-z1-2");
}

TEST(Volumes, AClaimIsOwnedOnlyWhereItIsToGoWithItsObject) {
    testing::Known known;
    const Spec keeps = read(with_claim(claim_of_size("1Gi")));
    const auto& model = keeps.volumes.templates.front();
    const std::string kept = claim_body(known.object, keeps.volumes, model, 1, 2);
    EXPECT_EQ(kept.find("ownerReferences"), std::string::npos);
    EXPECT_NE(kept.find(R"("sluice.dev/extendedstatefulset":"x")"), std::string::npos);
    EXPECT_NE(kept.find(R"("sluice.dev/ordinal":"2")"), std::string::npos);
    EXPECT_NE(kept.find(R"("fissile.cloudfoundry.org/az-index":"1")"), std::string::npos);
    EXPECT_NE(kept.find(R"("tier":"data")"), std::string::npos);
    const Spec deletes =
        read(with_claim(claim_of_size("1Gi"),
                        R"("persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Delete"},)"));
    const std::string goes = claim_body(known.object, deletes.volumes, model, 1, 2);
    EXPECT_NE(goes.find(R"("uid":"uid-x")"), std::string::npos);
}

TEST(Volumes, AClaimOnlyEverGrows) {
    testing::Known known;
    const Spec spec = read(with_claim(claim_of_size("2Gi")));
    const auto& model = spec.volumes.templates.front();
    model::CustomObject claim;
    const auto changes = [&](const std::string& size) {
        claim.spec = fmt::format(R"({{"resources":{{"requests":{{"storage":"{}"}}}}}})", size);
        return size_change(model, claim);
    };
    EXPECT_EQ(changes("2Gi"), "");
    EXPECT_EQ(changes("2048Mi"), "");
    EXPECT_EQ(changes("3Gi"), "");
    EXPECT_NE(changes("1Gi").find(R"("value":"2Gi")"), std::string::npos);
}

// Two ordinals are wanted; there may be claims of three.
struct Claimed : testing::Known {
    explicit Claimed(const std::string& policy) {
        object.spec = with_claim(claim_of_size("1Gi", "ReadWriteMany"),
                                 R"("persistentVolumeClaimRetentionPolicy":{)" + policy + "},");
        seen.environment.guarantee = engine::Guarantee::Prevent;
        add_version({1}, 2, digest());
    }
    // Until something else is to be done than to read and to write down.
    engine::Decision settle() {
        for (int i = 0; i < 20; ++i) {
            engine::Decision decision = decided();
            seen.fetched.clear();
            for (const model::Ref& ref : decision.rests_on)
                seen.fetched.push_back({ref, at(ref.name)});
            if (decision.noted) seen.evidence = {*decision.noted};
            const bool writes_down = apply_status(decision);
            const bool acts = std::ranges::any_of(
                decision.actions, [](const engine::Action& one) { return !one.of_status; });
            if (acts || (decision.rests_on.empty() && !writes_down)) return decision;
        }
        return {};
    }
    std::optional<model::CustomObject> at(const std::string& name) const {
        const auto found = there.find(name);
        return found == there.end() ? std::nullopt : std::optional{found->second};
    }
    model::CustomObject& add_claim(int ordinal) {
        model::CustomObject claim;
        const std::string name = fmt::format("data-x-{}", ordinal);
        claim.meta = {{"shop", name}, "uid-" + name, 5, 1, false};
        claim.labels = {{std::string{owner_label}, "x"}};
        claim.spec =
            R"({"accessModes":["ReadWriteMany"],"resources":{"requests":{"storage":"1Gi"}}})";
        return there[name] = claim;
    }
    void own(int ordinal, const std::string& uid = "uid-x") {
        model::CustomObject& claim = add_claim(ordinal);
        std::tie(claim.owner, claim.owner_uid, claim.owner_kind) =
            std::tuple{"x", uid, "ExtendedStatefulSet"};
    }
    void change(const std::string& from, const std::string& to) {
        object.spec.replace(object.spec.find(from), from.size(), to);
        ++object.meta.generation;
    }

    std::map<std::string, model::CustomObject> there = {};
};

std::string patched(const engine::Decision& decision) {
    return decision.actions.empty()
               ? "nothing"
               : decision.actions[0].object.ref.name + " " + decision.actions[0].body;
}

TEST(Claims, AreLetGoAlsoWhereOneMayNotGrow) {
    Claimed known{R"("whenDeleted":"Delete")"};
    for (const int ordinal : {0, 1})
        known.own(ordinal);
    known.settle();
    known.change(R"("storage":"1Gi")", R"("storage":"2Gi")");
    known.change(R"("whenDeleted":"Delete")", R"("whenDeleted":"Retain")");
    for (const int ordinal : {0, 1}) {
        const std::string patch = patched(known.settle());
        EXPECT_NE(patch.find(fmt::format("data-x-{} ", ordinal)), std::string::npos) << patch;
        EXPECT_NE(patch.find("/metadata/ownerReferences/0"), std::string::npos) << patch;
        EXPECT_EQ(patch.find("/spec"), std::string::npos) << patch;
        known.add_claim(ordinal);
    }
    const engine::Decision growing = known.settle();
    EXPECT_NE(patched(growing).find("2Gi"), std::string::npos);
    known.seen.attempt = engine::Attempt{engine::Action::Verb::Patch,
                                         growing.actions[0].object.ref,
                                         {},
                                         engine::Refusal{403, "its class cannot grow"}};
    known.settle();
    EXPECT_EQ(known.status().claims.adjusted, 2) << "all of them were looked at";
    EXPECT_NE(known.status().claims.refusal.find("cannot grow"), std::string::npos);
}

TEST(Claims, OfPodsThatWereScaledAwayAreLetGoToo) {
    Claimed known{R"("whenDeleted":"Delete")"};
    for (const int ordinal : {0, 1})
        known.own(ordinal);
    known.settle();
    known.change(R"("replicas":2)", R"("replicas":1)");
    known.seen.sets[0].replicas = PodCount{1};
    known.seen.pods.pop_back();
    known.settle();
    known.change(R"("whenDeleted":"Delete")", R"("whenDeleted":"Retain")");
    EXPECT_NE(patched(known.settle()).find("data-x-0 "), std::string::npos);
    known.add_claim(0);
    EXPECT_NE(patched(known.settle()).find("data-x-1 "), std::string::npos);
}

TEST(Claims, OfAnObjectThatIsGoneAreNotTakenForThoseOfItsNamesake) {
    Claimed known{R"("whenDeleted":"Delete")"};
    known.own(0, "uid-of-another");
    known.add_claim(1);
    known.settle();
    EXPECT_EQ(known.status().claims.made, 0);
    EXPECT_EQ(known.status().reason, "ClaimBlocked");
    EXPECT_NE(known.status().message.find("data-x-0 goes with another"), std::string::npos);
}

TEST(Claims, ThatSomebodyDeletedAreMadeAnewForPodsThatCannotStart) {
    Claimed known{R"("whenDeleted":"Retain")"};
    for (const int ordinal : {0, 1})
        known.add_claim(ordinal);
    known.settle();
    ASSERT_EQ(known.status().claims.made, 2);
    known.there.erase("data-x-1");
    EXPECT_EQ(patched(known.settle()), "nothing") << "its pod runs";
    known.seen.pods[1].running = known.seen.pods[1].ready = false;
    EXPECT_EQ(patched(known.settle()), "nothing") << "it may still start";
    known.now = known.now + 1min;
    const engine::Decision decision = known.settle();
    EXPECT_EQ(decision.actions.at(0).verb, engine::Action::Verb::Create);
    EXPECT_EQ(decision.actions.at(0).object.ref.name, "data-x-1");
}

// Who restores a volume deletes claim and pod, and applies the claim again.
TEST(Claims, ThatSomebodyIsRestoringAreLeftToThemForAWhile) {
    Claimed known{R"("whenDeleted":"Retain")"};
    for (const int ordinal : {0, 1})
        known.add_claim(ordinal);
    known.seen.pods[1].running = false;
    known.settle();
    known.now = known.now + 2min;
    known.settle();
    known.seen.pods[1].running = true;
    known.settle();
    known.now = known.now + 1h;
    known.there.erase("data-x-1");
    known.seen.pods[1].meta.uid = "uid-of-the-next-one";
    known.seen.pods[1].running = known.seen.pods[1].ready = false;
    EXPECT_EQ(patched(known.settle()), "nothing") << "that pods started before is no matter";
    known.now = known.now + 59s;
    EXPECT_EQ(patched(known.settle()), "nothing");
    known.now = known.now + 1s;
    EXPECT_EQ(known.settle().actions.at(0).verb, engine::Action::Verb::Create);
}

// Nothing is known of what the server did not show.
TEST(Claims, ThatCannotBeReadAreReadAgainAndNothingIsWrittenOfThem) {
    Claimed known{R"("whenDeleted":"Delete")"};
    for (const int ordinal : {0, 1})
        known.own(ordinal);
    known.settle();
    known.change(R"("whenDeleted":"Delete")", R"("whenDeleted":"Retain")");
    engine::Decision decision = known.decided();
    while (known.apply_status(decision))
        decision = known.decided();
    ASSERT_FALSE(decision.rests_on.empty());
    for (const model::Ref& ref : decision.rests_on)
        known.seen.fetched.push_back({ref, std::nullopt, engine::Refusal{403, "forbidden"}});
    const engine::Decision again = known.decided();
    EXPECT_EQ(again.rests_on, decision.rests_on);
    EXPECT_EQ(patched(again), "nothing");
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
