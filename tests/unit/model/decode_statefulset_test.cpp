#include <gtest/gtest.h>

#include "model/decode.hpp"
#include "tests/unit/model/kept.hpp"
#include "tests/unit/model/texts.hpp"

namespace sluice::model {
namespace {

using testing::statefulset_text;
using testing::with;

Result<StatefulSet> decode(const std::string& text) {
    Decoder decoder{testing::kept()};
    auto object = decoder.object(statefulsets, text);
    if (!object) return std::unexpected(object.error());
    return std::get<StatefulSet>(std::move(*object));
}

StatefulSet decoded(const std::string& text) {
    auto set = decode(text);
    EXPECT_TRUE(set.has_value()) << (set ? "" : set.error().message) << "\n" << text;
    return set.value_or(StatefulSet{});
}

TEST(DecodeStatefulSet, KeepsEveryFieldThatSteersARollout) {
    const StatefulSet set = decoded(statefulset_text);
    EXPECT_EQ(set.meta.key, (ObjectKey{"shop", "web"}));
    EXPECT_EQ(set.meta.uid, "123e4567-e89b-12d3-a456-426614174000");
    EXPECT_EQ(set.meta.resource_version, 8731u);
    EXPECT_EQ(set.meta.generation, 7);
    EXPECT_FALSE(set.meta.deleting);
    EXPECT_EQ(set.replicas, PodCount{3});
    EXPECT_EQ(set.start, Ordinal{3});
    EXPECT_EQ(set.min_ready, Duration{5s});
    EXPECT_EQ(set.strategy, UpdateStrategy::RollingUpdate);
    EXPECT_EQ(set.partition, Partition{2});
    EXPECT_EQ(set.observed_generation, 6);
    EXPECT_EQ(set.current_revision, "web-6bb");
    EXPECT_EQ(set.update_revision, "web-7cc");
}

TEST(DecodeStatefulSet, DropsLabelsAndAnnotationsOfOthersButKnowsThatThereAreSome) {
    const StatefulSet set = decoded(statefulset_text);
    EXPECT_EQ(set.labels, (Texts{{"dd-statefulset-pilot", "elasticsearch"}}));
    EXPECT_EQ(set.annotations,
              (Texts{{"sluice.dev/claim", "pilot/web"}, {"sluice.dev/fence", "4"}}));
    EXPECT_TRUE(set.has_annotations);
    const StatefulSet strange =
        decoded(R"({"metadata":{"name":"a","uid":"u","annotations":{"x":"y"}}})");
    EXPECT_TRUE(strange.annotations.empty());
    EXPECT_TRUE(strange.has_annotations);
    const StatefulSet steered = decoded(
        R"({"metadata":{"name":"a","uid":"u","annotations":{"sts.plus/phasedRollout":"web",
            "sts.plus/other":"x"}}})");
    EXPECT_EQ(steered.annotations, (Texts{{"sts.plus/phasedRollout", "web"}}));
}

TEST(DecodeStatefulSet, KeepsOfOthersWhatSomebodyReads) {
    Decoder decoder;
    const auto plain = decoder.object(statefulsets, statefulset_text);
    EXPECT_EQ(std::get<StatefulSet>(plain.value()).labels, Texts{});
    Decoder reader{Kept{{"app"}, {"sts.plus/other"}}};
    const auto set = std::get<StatefulSet>(
        reader
            .object(statefulsets,
                    R"({"metadata":{"name":"a","uid":"u","labels":{"app":"web","tier":"db"},
                        "annotations":{"sts.plus/other":"x","sluice.dev/paused":""}}})")
            .value());
    EXPECT_EQ(set.labels, (Texts{{"app", "web"}}));
    EXPECT_EQ(set.annotations, (Texts{{"sluice.dev/paused", ""}, {"sts.plus/other", "x"}}));
}

std::string owned_by(const std::string& entries, const std::string& claim = "sluice.dev/claim") {
    return R"({"metadata":{"name":"a","uid":"u","annotations":{")" + claim +
           R"(":"pilot/a"},"managedFields":[)" + entries + "]}}";
}

std::string manager(const std::string& name, const std::string& operation,
                    const std::string& strategy) {
    return R"({"manager":")" + name + R"(","operation":")" + operation +
           R"(","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{}},"f:spec":{
               "f:replicas":{},"f:updateStrategy":)" +
           strategy + "}}}";
}

TEST(DecodeStatefulSet, KnowsWhoControlsIt) {
    const std::string owned = with(
        statefulset_text, R"("namespace": "shop",)",
        R"("namespace": "shop", "ownerReferences": [{"kind": "Team", "name": "a", "uid": "u-1"},
           {"kind": "Shelf", "name": "b", "uid": "u-2", "controller": true}],)");
    const StatefulSet set = decoded(owned);
    EXPECT_EQ(set.owner, "b");
    EXPECT_EQ(set.owner_uid, "u-2");
    EXPECT_EQ(set.owner_kind, "Shelf");
    EXPECT_EQ(decoded(statefulset_text).owner, "");
}

TEST(DecodeStatefulSet, KnowsWhoElseSaysWhatThePartitionIs) {
    const std::string partition = R"({"f:rollingUpdate":{".":{},"f:partition":{}}})";
    const std::string ours = manager("sluice", "Update", partition);
    const std::string person = manager("kubectl-patch", "Update", partition);
    const std::string tool = manager("argocd-controller", "Apply", partition);
    const std::string strategy = manager("helm", "Apply", R"({"f:type":{}})");
    EXPECT_EQ(decoded(owned_by(ours)).partition_owner, "");
    EXPECT_EQ(decoded(owned_by(ours + "," + person)).partition_owner, "kubectl-patch");
    EXPECT_EQ(decoded(owned_by(tool + "," + person)).partition_owner, "argocd-controller");
    EXPECT_EQ(decoded(owned_by(person + "," + tool)).partition_owner, "argocd-controller");
    EXPECT_EQ(decoded(owned_by(strategy + "," + ours)).partition_owner, "");
    EXPECT_EQ(decoded(owned_by(person, "sluice.dev/phase")).partition_owner, "");
}

TEST(DecodeStatefulSet, TheTemplateHashChangesWithTheTemplateAndWithNothingElse) {
    const std::uint64_t hash = decoded(statefulset_text).template_hash;
    EXPECT_EQ(decoded(with(statefulset_text, "\"replicas\": 3", "\"replicas\": 4")).template_hash,
              hash);
    EXPECT_EQ(
        decoded(with(statefulset_text, "\"generation\": 7", "\"generation\": 8")).template_hash,
        hash);
    EXPECT_NE(decoded(with(statefulset_text, "nginx:1.27", "nginx:1.28")).template_hash, hash);
    EXPECT_NE(decoded(with(statefulset_text, "\"terminationGracePeriodSeconds\": 30",
                           "\"terminationGracePeriodSeconds\": 31"))
                  .template_hash,
              hash);
}

TEST(DecodeStatefulSet, WhatIsMissingHasTheMeaningThatKubernetesGivesIt) {
    const StatefulSet set = decoded(R"({"metadata":{"name":"web","uid":"u"}})");
    EXPECT_EQ(set.replicas, PodCount{1});
    EXPECT_EQ(set.start, Ordinal{0});
    EXPECT_EQ(set.min_ready, Duration{0});
    EXPECT_EQ(set.partition, std::nullopt);
    EXPECT_EQ(effective_partition(set), Partition{0});
    EXPECT_FALSE(set.has_annotations);
    EXPECT_FALSE(has_current_status(set));
}

TEST(DecodeStatefulSet, ARollingUpdateWithoutAPartitionIsWideOpen) {
    const std::string text =
        with(statefulset_text, R"({"partition": 2})", R"({"maxUnavailable": 1})");
    EXPECT_EQ(decoded(text).partition, Partition{0});
    EXPECT_TRUE(decoded(text).limits_unavailable);
    EXPECT_FALSE(decoded(statefulset_text).limits_unavailable);
    const std::string absent = with(statefulset_text, R"(, "rollingUpdate": {"partition": 2})", "");
    EXPECT_EQ(decoded(absent).partition, std::nullopt);
    const std::string null = with(statefulset_text, R"({"partition": 2})", "null");
    EXPECT_EQ(decoded(null).partition, std::nullopt);
}

TEST(DecodeStatefulSet, AStrategyThatNobodyHasSeenYetIsUnknown) {
    EXPECT_EQ(decoded(with(statefulset_text, "\"RollingUpdate\"", "\"OnDelete\"")).strategy,
              UpdateStrategy::OnDelete);
    EXPECT_EQ(decoded(with(statefulset_text, "\"RollingUpdate\"", "\"Surprise\"")).strategy,
              UpdateStrategy::Unknown);
}

TEST(DecodeStatefulSet, ADeletionTimestampMeansThatTheSetIsGoing) {
    const std::string going =
        with(statefulset_text, "\"generation\": 7",
             R"("generation": 7, "deletionTimestamp": "2026-01-31T12:00:00Z")");
    EXPECT_TRUE(decoded(going).meta.deleting);
    const std::string null = with(statefulset_text, "\"generation\": 7",
                                  R"("generation": 7, "deletionTimestamp": null)");
    EXPECT_FALSE(decoded(null).meta.deleting);
}

TEST(DecodeStatefulSet, NullMapsAndBlocksAreEmptyOnes) {
    const StatefulSet set = decoded(
        R"({"metadata":{"name":"web","uid":"u","labels":null,"annotations":null},
            "spec":{"updateStrategy":null,"ordinals":null},"status":null})");
    EXPECT_TRUE(set.labels.empty());
    EXPECT_FALSE(set.has_annotations);
    EXPECT_EQ(set.partition, std::nullopt);
}

TEST(DecodeStatefulSet, AnObjectWithoutANameOrAUidIsAnError) {
    for (const char* text :
         {R"({})", R"({"metadata":null})", R"({"metadata":{"name":"web"}})",
          R"({"metadata":{"uid":"u"}})", R"({"metadata":{"name":"","uid":"u"}})"})
        EXPECT_FALSE(decode(text).has_value()) << text;
}

TEST(DecodeStatefulSet, AValueOfTheWrongTypeIsAnErrorAndNotAGuess) {
    const std::pair<const char*, const char*> wrong[] = {
        {"\"replicas\": 3", "\"replicas\": \"3\""},
        {"\"replicas\": 3", "\"replicas\": 3.5"},
        {"\"replicas\": 3", "\"replicas\": [3]"},
        {"\"name\": \"web\"", "\"name\": 12"},
        {"\"generation\": 7", "\"generation\": \"7\""},
        {R"({"partition": 2})", R"({"partition": "2"})"},
        {R"({"partition": 2})", R"({"partition": true})"},
        {R"({"partition": 2})", "7"},
        {R"("dd-statefulset-pilot": "elasticsearch")", R"("dd-statefulset-pilot": {"a": 1})"},
        {R"({"start": 3})", "[3]"},
        {"\"updateRevision\": \"web-7cc\"", "\"updateRevision\": null"},
    };
    for (const auto& [piece, other] : wrong) {
        const auto set = decode(with(statefulset_text, piece, other));
        ASSERT_FALSE(set.has_value()) << other;
        EXPECT_EQ(set.error().kind, ErrorKind::Malformed);
    }
}

TEST(DecodeStatefulSet, ANumberThatKubernetesCannotHoldIsAnError) {
    for (const char* number : {"2147483648", "-2147483649", "9223372036854775808",
                               "99999999999999999999999999", "1e3", "-", "03"})
        EXPECT_FALSE(decode(with(statefulset_text, "\"replicas\": 3",
                                 std::string{"\"replicas\": "} + number))
                         .has_value())
            << number;
    const auto most =
        decoded(with(statefulset_text, R"({"partition": 2})", R"({"partition": 2147483647})"));
    EXPECT_EQ(most.partition, Partition{2147483647});
}

TEST(DecodeStatefulSet, AStatusThatSpeaksOfAnOlderSpecIsNotCurrent) {
    EXPECT_FALSE(has_current_status(decoded(statefulset_text)));
    EXPECT_TRUE(has_current_status(
        decoded(with(statefulset_text, "\"observedGeneration\": 6", "\"observedGeneration\": 7"))));
}

}  // namespace
}  // namespace sluice::model
