#include "model/workload_patch.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "base/assert.hpp"
#include "model/decode.hpp"
#include "tests/unit/model/json_patch.hpp"
#include "tests/unit/model/kept.hpp"
#include "tests/unit/model/texts.hpp"

namespace sluice::model {
namespace {

using testing::applied;
using testing::statefulset_text;
using testing::with;
namespace json = boost::json;

StatefulSet observed(const std::string& text = statefulset_text) {
    Decoder decoder{testing::kept()};
    return std::get<StatefulSet>(decoder.object(statefulsets, text).value());
}

StatefulSet observed(const json::value& document) {
    return observed(json::serialize(document));
}

const std::string without_rolling_update =
    with(statefulset_text, R"(, "rollingUpdate": {"partition": 2})", "");
const std::string without_annotations = R"json({
  "metadata": {"name": "web", "namespace": "shop", "uid": "u-1", "generation": 1},
  "spec": {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}}})json";

// One line for each operation: "test /metadata/generation 7".
std::vector<std::string> lines(const WorkloadPatch& patch) {
    std::vector<std::string> texts;
    for (const json::value& value : json::parse(patch.to_json_patch()).as_array()) {
        const json::object& one = value.as_object();
        std::string line{one.at("op").as_string()};
        line += " " + std::string{one.at("path").as_string()};
        if (one.contains("value")) line += " " + json::serialize(one.at("value"));
        texts.push_back(std::move(line));
    }
    return texts;
}

using Lines = std::vector<std::string>;

TEST(WorkloadPatch, RemovesTheBlockThatOnlyThePartitionStandsIn) {
    WorkloadPatch patch{observed()};
    patch.remove_partition();
    EXPECT_TRUE(patch.moves_partition());
    EXPECT_TRUE(patch.lowers_partition());
    EXPECT_EQ(patch.partition_to(), Partition{0});
    const Lines all = lines(patch);
    EXPECT_EQ(all[2], "test /spec/updateStrategy/rollingUpdate/partition 2");
    EXPECT_EQ(all[3], "remove /spec/updateStrategy/rollingUpdate");
    StatefulSet limited = observed();
    limited.limits_unavailable = true;
    EXPECT_EQ(lines(WorkloadPatch{limited}.remove_partition())[3],
              "replace /spec/updateStrategy/rollingUpdate/partition 0");
    EXPECT_TRUE(WorkloadPatch{observed(without_rolling_update)}.remove_partition().empty());
}

TEST(WorkloadPatch, LoweringThePartitionNamesEverythingItRestsOn) {
    WorkloadPatch patch{observed()};
    patch.move_partition(Partition{1}).annotate("sluice.dev/phase", "Rolling");
    EXPECT_EQ(lines(patch), (Lines{R"(test /metadata/uid "123e4567-e89b-12d3-a456-426614174000")",
                                   "test /metadata/generation 7",
                                   "test /spec/updateStrategy/rollingUpdate/partition 2",
                                   "replace /spec/updateStrategy/rollingUpdate/partition 1",
                                   R"(test /metadata/labels/dd-statefulset-pilot "elasticsearch")",
                                   R"(test /metadata/annotations/sluice.dev~1claim "pilot/web")",
                                   R"(test /metadata/annotations/sluice.dev~1fence "4")",
                                   "test /metadata/annotations/sluice.dev~1rollout null",
                                   "test /metadata/annotations/sluice.dev~1paused null",
                                   R"(add /metadata/annotations/sluice.dev~1phase "Rolling")"}));
}

TEST(WorkloadPatch, ScalingNamesTheNumberThatWasSeen) {
    StatefulSet set = observed();
    set.replicas = PodCount{3};
    WorkloadPatch patch{set};
    patch.scale(PodCount{5});
    EXPECT_FALSE(patch.empty());
    EXPECT_FALSE(patch.lowers_partition());
    EXPECT_EQ(lines(patch)[1], "test /metadata/generation 7");
    EXPECT_EQ(lines(patch)[2], "test /spec/replicas 3");
    EXPECT_EQ(lines(patch)[3], "replace /spec/replicas 5");
    EXPECT_TRUE(WorkloadPatch{set}.scale(PodCount{3}).empty());
}

TEST(WorkloadPatch, TakingAnAnnotationAwayMovesNothing) {
    WorkloadPatch patch{observed()};
    patch.unannotate("sluice.dev/claim");
    EXPECT_EQ(lines(patch), (Lines{R"(test /metadata/uid "123e4567-e89b-12d3-a456-426614174000")",
                                   "test /metadata/generation 7",
                                   R"(test /metadata/annotations/sluice.dev~1claim "pilot/web")",
                                   R"(test /metadata/annotations/sluice.dev~1fence "4")",
                                   "test /metadata/annotations/sluice.dev~1rollout null",
                                   "test /metadata/annotations/sluice.dev~1paused null",
                                   "remove /metadata/annotations/sluice.dev~1claim"}));
}

TEST(WorkloadPatch, ASetWithoutARollingUpdateBlockGetsOne) {
    WorkloadPatch patch{observed(without_rolling_update)};
    patch.move_partition(closed_partition);
    const auto after = applied(json::parse(without_rolling_update), patch.to_json_patch());
    ASSERT_TRUE(after.has_value());
    EXPECT_EQ(observed(*after).partition, closed_partition);
    EXPECT_FALSE(patch.lowers_partition());
}

TEST(WorkloadPatch, ASetWithoutAnnotationsGetsTheMapFirst) {
    WorkloadPatch patch{observed(without_annotations)};
    patch.move_partition(Partition{3}).annotate("sluice.dev/claim", "pilot/web");
    EXPECT_EQ(lines(patch),
              (Lines{R"(test /metadata/uid "u-1")", "test /metadata/generation 1",
                     "test /spec/updateStrategy/rollingUpdate/partition 0",
                     "replace /spec/updateStrategy/rollingUpdate/partition 3",
                     "test /metadata/annotations null", "add /metadata/annotations {}",
                     R"(add /metadata/annotations/sluice.dev~1claim "pilot/web")"}));
    const auto after = applied(json::parse(without_annotations), patch.to_json_patch());
    ASSERT_TRUE(after.has_value());
    EXPECT_EQ(annotation(observed(*after), "sluice.dev/claim"), "pilot/web");
}

TEST(WorkloadPatch, AnnotationsThatAppearedMeanwhileAreNotWipedOut) {
    WorkloadPatch patch{observed(without_annotations)};
    patch.annotate("sluice.dev/claim", "pilot/web");
    json::value now = json::parse(without_annotations);
    now.as_object()["metadata"].as_object()["annotations"] = {{"team", "shop"}};
    EXPECT_EQ(applied(now, patch.to_json_patch()), std::nullopt);
}

TEST(WorkloadPatch, TildesAndSlashesInKeysAreEscaped) {
    WorkloadPatch patch{observed()};
    patch.annotate("sluice.dev/a~b/c", "x");
    EXPECT_NE(patch.to_json_patch().find(R"("/metadata/annotations/sluice.dev~1a~0b~1c")"),
              std::string::npos);
    const auto after = applied(json::parse(statefulset_text), patch.to_json_patch());
    ASSERT_TRUE(after.has_value());
    EXPECT_EQ(after->at_pointer("/metadata/annotations/sluice.dev~1a~0b~1c"), "x");
}

TEST(WorkloadPatch, ValuesOfAnyTextSurvive) {
    const std::string value =
        "quote \" backslash \\ newline \n tab \t nul \x01 \xc3\xa9 \xf0\x9f\x98\x80";
    WorkloadPatch patch{observed()};
    patch.annotate("sluice.dev/message", value);
    const auto after = applied(json::parse(statefulset_text), patch.to_json_patch());
    ASSERT_TRUE(after.has_value());
    EXPECT_EQ(annotation(observed(*after), "sluice.dev/message"), value);
}

TEST(WorkloadPatch, WhatIsRightAlreadyIsNotWritten) {
    WorkloadPatch patch{observed()};
    patch.move_partition(Partition{2}).annotate("sluice.dev/claim", "pilot/web");
    patch.unannotate("sluice.dev/phase");
    EXPECT_TRUE(patch.empty());
    EXPECT_FALSE(patch.moves_partition());
    EXPECT_FALSE(patch.lowers_partition());
}

TEST(WorkloadPatch, AnAbsentPartitionIsNotTheSameAsZero) {
    WorkloadPatch patch{observed(without_rolling_update)};
    patch.move_partition(Partition{0});
    EXPECT_FALSE(patch.empty());
    EXPECT_FALSE(patch.lowers_partition());
}

TEST(WorkloadPatch, OnlyAMoveDownwardsIsIrreversible) {
    EXPECT_TRUE(WorkloadPatch{observed()}.move_partition(Partition{1}).lowers_partition());
    EXPECT_FALSE(WorkloadPatch{observed()}.move_partition(Partition{3}).lowers_partition());
    EXPECT_FALSE(WorkloadPatch{observed()}.annotate("sluice.dev/phase", "x").lowers_partition());
}

TEST(WorkloadPatch, NothingButThePartitionAndOurAnnotationsChanges) {
    WorkloadPatch patch{observed()};
    patch.move_partition(Partition{1}).annotate("sluice.dev/phase", "Rolling");
    patch.unannotate("sluice.dev/claim");
    auto after = applied(json::parse(statefulset_text), patch.to_json_patch());
    ASSERT_TRUE(after.has_value());
    json::value expected = json::parse(statefulset_text);
    json::object& annotations =
        expected.as_object()["metadata"].as_object()["annotations"].as_object();
    annotations.erase("sluice.dev/claim");
    annotations["sluice.dev/phase"] = "Rolling";
    expected.as_object()["spec"].as_object()["updateStrategy"].as_object()["rollingUpdate"] = {
        {"partition", 1}};
    EXPECT_EQ(*after, expected);
}

TEST(WorkloadPatch, APartitionBelowZeroCannotBeSpelled) {
    EXPECT_THROW(WorkloadPatch{observed()}.move_partition(Partition{-1}), AssertionFailed);
}

// Each row moves the world on between the look and the write.
struct Change {
    const char* name;
    std::function<void(json::object& metadata, json::object& spec)> make;
};

json::object& annotations_of(json::object& metadata) {
    return metadata["annotations"].as_object();
}

json::object& labels_of(json::object& metadata) {
    return metadata["labels"].as_object();
}

json::object& rolling_update_of(json::object& spec) {
    return spec["updateStrategy"].as_object()["rollingUpdate"].as_object();
}

const Change refused[] = {
    {"another object of the same name", [](auto& meta, auto&) { meta["uid"] = "another"; }},
    {"any change of the spec", [](auto& meta, auto&) { meta["generation"] = 8; }},
    {"a raised partition",
     [](auto&, auto& spec) { rolling_update_of(spec)["partition"] = 1'000'000; }},
    {"a lowered partition", [](auto&, auto& spec) { rolling_update_of(spec)["partition"] = 0; }},
    {"a rolling update that is gone",
     [](auto&, auto& spec) { spec["updateStrategy"].as_object().erase("rollingUpdate"); }},
    {"another claim", [](auto& meta, auto&) { annotations_of(meta)["sluice.dev/claim"] = "x/y"; }},
    {"no claim", [](auto& meta, auto&) { annotations_of(meta).erase("sluice.dev/claim"); }},
    {"a newer leader's fence",
     [](auto& meta, auto&) { annotations_of(meta)["sluice.dev/fence"] = "5"; }},
    {"somebody's memory",
     [](auto& meta, auto&) { annotations_of(meta)["sluice.dev/rollout"] = "{}"; }},
    {"a pause", [](auto& meta, auto&) { annotations_of(meta)["sluice.dev/paused"] = "true"; }},
    {"a label that is gone",
     [](auto& meta, auto&) { labels_of(meta).erase("dd-statefulset-pilot"); }},
    {"another hook", [](auto& meta, auto&) { labels_of(meta)["dd-statefulset-pilot"] = "noop"; }},
    {"no annotations at all", [](auto& meta, auto&) { meta.erase("annotations"); }},
};
const Change harmless[] = {
    {"nothing", [](auto&, auto&) {}},
    {"another resourceVersion", [](auto& meta, auto&) { meta["resourceVersion"] = "9999"; }},
    {"somebody else's label", [](auto& meta, auto&) { labels_of(meta)["team"] = "shop"; }},
    {"somebody else's annotation",
     [](auto& meta, auto&) { annotations_of(meta)["team"] = "shop"; }},
    {"a report of ours",
     [](auto& meta, auto&) { annotations_of(meta)["sluice.dev/phase"] = "Held"; }},
};

std::optional<json::value> written_after(const Change& change) {
    WorkloadPatch patch{observed()};
    patch.move_partition(Partition{1}).annotate("sluice.dev/phase", "Rolling");
    json::value now = json::parse(statefulset_text);
    change.make(now.as_object()["metadata"].as_object(), now.as_object()["spec"].as_object());
    return applied(std::move(now), patch.to_json_patch());
}

TEST(WorkloadPatch, FailsWhenTheWorldHasMovedOn) {
    for (const Change& change : refused)
        EXPECT_EQ(written_after(change), std::nullopt) << change.name;
}

TEST(WorkloadPatch, AReportMayBeWrittenThoughTheLabelIsGone) {
    WorkloadPatch patch{observed()};
    patch.unannotate("sluice.dev/claim");
    json::value now = json::parse(statefulset_text);
    labels_of(now.as_object()["metadata"].as_object()).clear();
    EXPECT_TRUE(applied(now, patch.to_json_patch()).has_value());
}

TEST(WorkloadPatch, StatusChurnAndOtherPeoplesAnnotationsDoNotStarveIt) {
    for (const Change& change : harmless) {
        const auto after = written_after(change);
        ASSERT_TRUE(after.has_value()) << change.name;
        EXPECT_EQ(observed(*after).partition, Partition{1}) << change.name;
    }
}

TEST(WorkloadPatch, CannotBeAppliedTwice) {
    WorkloadPatch patch{observed()};
    patch.move_partition(Partition{1});
    const auto once = applied(json::parse(statefulset_text), patch.to_json_patch());
    ASSERT_TRUE(once.has_value());
    EXPECT_EQ(applied(*once, patch.to_json_patch()), std::nullopt);
}

TEST(WorkloadPatch, AnnotatesPodsBesideWhatIsThere) {
    WorkloadPatch patch{observed(without_annotations)};
    patch.annotate_pods("a/b", "c");
    EXPECT_FALSE(patch.empty());
    const Lines all = lines(patch);
    EXPECT_EQ(all[2], "add /spec/template/metadata/annotations {}");
    EXPECT_EQ(all[3], "add /spec/template/metadata/annotations/a~1b \"c\"");
    StatefulSet annotated = observed(without_annotations);
    annotated.annotates_pods = true;
    WorkloadPatch other{annotated};
    other.annotate_pods("a/b", "c");
    EXPECT_EQ(lines(other)[2], "add /spec/template/metadata/annotations/a~1b \"c\"");
}

}  // namespace
}  // namespace sluice::model
