#include "api/extended_stateful_set/volumes.hpp"

#include <gtest/gtest.h>

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
        return claim_changes(known.object, spec.volumes, model, claim);
    };
    EXPECT_EQ(changes("2Gi"), "");
    EXPECT_EQ(changes("2048Mi"), "");
    EXPECT_EQ(changes("3Gi"), "");
    EXPECT_NE(changes("1Gi").find(R"("value":"2Gi")"), std::string::npos);
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
