#include "api/stateful_cluster/spec.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/api/stateful_cluster/cluster.hpp"

namespace sluice::api::stateful_cluster {
namespace {

using ::testing::HasSubstr;

model::CustomObject with(const std::string& more) {
    testing::Known known;
    known.object.spec = R"({"selector":{"matchLabels":{"app":"db"}},)"
                        R"("template":{"metadata":{"labels":{"app":"db"}},"spec":{}})" +
                        (more.empty() ? "" : "," + more) + "}";
    return known.object;
}

TEST(ClusterSpec, WhatIsNotSaidIsWhatAPersonWouldExpect) {
    const Spec spec = *read_spec(with(""));
    EXPECT_EQ(spec.replicas, PodCount{1});
    EXPECT_EQ(spec.order, Order::OrderedReady);
    EXPECT_EQ(spec.strategy, Strategy::RollingUpdate);
    EXPECT_EQ(spec.max_unavailable, PodCount{1});
    EXPECT_EQ(spec.claim_policy, ClaimPolicy::Keep);
    EXPECT_EQ(spec.retention.when_deleted, Retention::Retain);
    EXPECT_EQ(spec.retention.when_scaled, Retention::Retain);
    EXPECT_EQ(spec.retention.when_failed, Retention::Retain);
    EXPECT_EQ(spec.failure_tolerance, 300s);
    EXPECT_EQ(spec.startup_deadline, 1800s);
    EXPECT_EQ(spec.revisions_max, 10);
    EXPECT_EQ(spec.selector, "app=db");
}

TEST(ClusterSpec, APercentageIsOfTheReplicasAndNeverNone) {
    const auto unavailable = [](const char* said) {
        return read_spec(
            with(R"("replicas":10,"updateStrategy":{"rollingUpdate":{"maxUnavailable":)" +
                 std::string{said} + "}}"));
    };
    EXPECT_EQ(unavailable("3")->max_unavailable, PodCount{3});
    EXPECT_EQ(unavailable(R"("25%")")->max_unavailable, PodCount{2});
    EXPECT_EQ(unavailable(R"("5%")")->max_unavailable, PodCount{1});
    for (const char* wrong : {R"("0%")", R"("101%")", R"("x%")", R"("3")", "0"})
        EXPECT_FALSE(unavailable(wrong).has_value()) << wrong;
}

TEST(ClusterSpec, EveryFaultHasItsPath) {
    const std::pair<const char*, const char*> rows[] = {
        {R"("replicas":101)", "spec.replicas"},
        {R"("podManagementPolicy":"Sometimes")", "spec.podManagementPolicy"},
        {R"("updateStrategy":{"type":"Never"})", "spec.updateStrategy.type"},
        {R"("updateStrategy":{"claimPolicy":"Old"})", "spec.updateStrategy.claimPolicy"},
        {R"("updateStrategy":{"rollingUpdate":{"partition":-1}})",
         "spec.updateStrategy.rollingUpdate.partition"},
        {R"("persistentVolumeClaimRetentionPolicy":{"whenFailed":"Lose"})",
         "spec.persistentVolumeClaimRetentionPolicy.whenFailed"},
        {R"("volumeClaimTemplates":[{"metadata":{"name":"data"}}])",
         "spec.volumeClaimTemplates[0].spec"},
        {R"("failureToleranceSeconds":-1)", "spec.failureToleranceSeconds"},
        {R"("updateStrategy":{"type":"OnDelete","gates":{"hook":"noop"}})",
         "spec.updateStrategy.gates: guard rolling updates"},
        {R"("updateStrategy":{"gates":{"hook":"-no-"}})", "spec.updateStrategy.gates.hook"},
        {R"("updateStrategy":{"gates":{"pause":{"seconds":0}}})",
         "spec.updateStrategy.gates.pause.seconds"},
        {R"("updateStrategy":{"gates":{"check":{"query":{"expr":"up"}}}})",
         "spec.updateStrategy.gates.check.query.url"},
        {R"("selector":{"matchLabels":{"app":"other"}})", "spec.template"},
    };
    for (const auto& [more, path] : rows) {
        const auto spec = read_spec(with(more));
        ASSERT_FALSE(spec.has_value()) << more;
        EXPECT_THAT(to_text(spec.error()), HasSubstr(path));
    }
}

// So many labels with so long values.
model::CustomObject labelled(int labels, std::size_t length) {
    model::CustomObject object = with("");
    std::string wanted;
    for (int i = 0; i < labels; ++i)
        wanted += fmt::format(R"({}"label-{}":"{}")", i ? "," : "", i, std::string(length, 'a'));
    object.spec = fmt::format(
        R"({{"selector":{{"matchLabels":{{{}}}}},"template":{{"spec":{{}}}}}})", wanted);
    return object;
}

TEST(ClusterSpec, ASelectorIsAsLongAsItsLabelsAndNotWithoutBounds) {
    EXPECT_GT(read_spec(labelled(64, 63))->selector.size(), 4096u);
    model::CustomObject object = labelled(64, 63);
    const std::string key = std::string(250, 'a') + "/" + std::string(60, 'b');
    for (int i = 0; i < 64; ++i)
        object.spec.replace(object.spec.find(fmt::format("\"label-{}\"", i)) + 1, 5, key);
    const auto spec = read_spec(object);
    ASSERT_FALSE(spec.has_value());
    EXPECT_THAT(to_text(spec.error()), HasSubstr("spec.selector: has more than 16384"));
}

TEST(ClusterSpec, ANameThatIsTooLongForItsPodsIsAFault) {
    model::CustomObject object = with("");
    object.meta.key.name = std::string(46, 'a');
    EXPECT_TRUE(read_spec(object).has_value());
    object.meta.key.name += 'a';
    const auto spec = read_spec(object);
    ASSERT_FALSE(spec.has_value());
    EXPECT_THAT(to_text(spec.error()), HasSubstr("metadata.name"));
}

TEST(ClusterRevision, TheSameTemplateOfTheSameClusterIsTheSameRevision) {
    model::CustomObject object = with("");
    const std::string one = revision_of(object, "{}");
    EXPECT_EQ(revision_of(object, "{}"), one);
    EXPECT_NE(revision_of(object, "{ }"), one);
    object.meta.uid = "uid-of-a-namesake";
    EXPECT_NE(revision_of(object, "{}"), one);
}

}  // namespace
}  // namespace sluice::api::stateful_cluster
