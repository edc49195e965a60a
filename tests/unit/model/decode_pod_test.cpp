#include <gtest/gtest.h>

#include "model/decode.hpp"
#include "tests/unit/model/texts.hpp"

namespace sluice::model {
namespace {

using testing::config_map_text;
using testing::pod_text;
using testing::with;

Pod decoded(const std::string& text) {
    Decoder decoder;
    const auto object = decoder.object(pods, text);
    EXPECT_TRUE(object.has_value()) << text;
    return object ? std::get<Pod>(*object) : Pod{};
}

Pod named(const std::string& name) {
    Pod pod;
    pod.meta.key = {"shop", name};
    return pod;
}

TEST(DecodePod, KeepsOwnerRevisionAndReadiness) {
    const Pod pod = decoded(pod_text);
    EXPECT_EQ(pod.meta.key, (ObjectKey{"shop", "web-4"}));
    EXPECT_EQ(pod.meta.uid, "223e4567-e89b-12d3-a456-426614174004");
    EXPECT_EQ(pod.owner_uid, "123e4567-e89b-12d3-a456-426614174000");
    EXPECT_EQ(pod.revision, "web-7cc");
    EXPECT_TRUE(pod.ready);
    EXPECT_EQ(pod.ready_since, parse_rfc3339("2026-01-31T12:00:10Z"));
}

TEST(DecodePod, AnythingButTrueIsNotReady) {
    for (const char* status : {"\"False\"", "\"Unknown\"", "\"true\"", "\"\""}) {
        const std::string text = with(pod_text, R"("type": "Ready", "status": "True")",
                                      std::string{R"("type": "Ready", "status": )"} + status);
        EXPECT_FALSE(decoded(text).ready) << status;
    }
    EXPECT_FALSE(decoded(with(pod_text, "\"Ready\"", "\"ContainersReady\"")).ready);
}

TEST(DecodePod, APodThatWasNeverReadyHasNoConditionsYet) {
    const Pod pod =
        decoded(R"({"metadata":{"name":"web-0","uid":"u"},"status":{"conditions":null}})");
    EXPECT_FALSE(pod.ready);
    EXPECT_EQ(pod.ready_since, Instant{});
    EXPECT_TRUE(pod.owner_uid.empty());
}

TEST(DecodePod, WasNeverReadyIfItHasNotTurnedSinceItsStart) {
    const auto pod = [](const std::string& status) {
        return decoded(R"({"metadata":{"name":"web-0","uid":"u"},"status":)" + status + "}");
    };
    const auto turned = [&](const char* ready, const char* at, const char* start) {
        return pod(std::string{R"({"conditions":[{"type":"Ready","status":")"} + ready +
                   R"(","lastTransitionTime":)" + at + R"(}],"startTime":)" + start + "}")
            .never_ready;
    };
    constexpr const char* noon = R"("2026-01-31T12:00:00Z")";
    EXPECT_TRUE(turned("False", noon, noon));
    EXPECT_TRUE(turned("False", R"("2026-01-31T12:00:01Z")", noon)) << "whole seconds";
    EXPECT_FALSE(turned("False", R"("2026-01-31T12:00:02Z")", noon)) << "it was, and is no more";
    EXPECT_FALSE(turned("True", noon, noon));
    EXPECT_FALSE(turned("False", noon, "null")) << "nobody knows";
    EXPECT_FALSE(turned("False", "null", noon)) << "nobody knows";
    EXPECT_TRUE(pod("{}").never_ready) << "no node has taken it up";
    EXPECT_EQ(decoded(R"({"metadata":{"name":"web-0","uid":"u",)"
                      R"("creationTimestamp":"2026-01-31T12:00:00Z"}})")
                  .ready_since,
              parse_rfc3339("2026-01-31T12:00:00Z"));
    EXPECT_TRUE(pod(R"({"conditions":[{"type":"PodScheduled","status":"False"}]})").never_ready);
}

TEST(DecodePod, ATransitionTimeThatCannotBeReadIsTheBeginningOfTime) {
    const std::string text = with(pod_text, "2026-01-31T12:00:10Z", "yesterday");
    EXPECT_EQ(decoded(text).ready_since, Instant{});
    EXPECT_TRUE(decoded(text).ready);
}

TEST(DecodePod, OnlyAControllerIsTheOwner) {
    EXPECT_TRUE(
        decoded(with(pod_text, "\"controller\": true", "\"controller\": false")).owner_uid.empty());
    EXPECT_EQ(decoded(pod_text).owner_kind, "StatefulSet");
    EXPECT_EQ(
        decoded(with(pod_text, R"("kind": "StatefulSet")", R"("kind": "ReplicaSet")")).owner_kind,
        "ReplicaSet");
    const std::string two =
        with(pod_text, R"({"apiVersion": "apps/v1", "kind")",
             R"({"kind": "Node", "uid": "n"}, {"apiVersion": "apps/v1", "kind")");
    EXPECT_EQ(decoded(two).owner_uid, "123e4567-e89b-12d3-a456-426614174000");
}

TEST(DecodePod, KeepsWhatTellsOneMemberFromAnother) {
    const Pod pod = decoded(
        R"({"metadata":{"name":"db-a","uid":"u","creationTimestamp":"2026-01-31T12:00:00Z",)"
        R"("labels":{"topology.kubernetes.io/zone":"z1"},)"
        R"("annotations":{"sluice.dev/goes-first":"true"},)"
        R"("ownerReferences":[{"kind":"Cluster","name":"db","uid":"o","controller":true}]},)"
        R"("spec":{"nodeName":"n1"},"status":{"phase":"Failed"}})");
    EXPECT_EQ(pod.owner, "db");
    EXPECT_EQ(pod.owner_kind, "Cluster");
    EXPECT_EQ(pod.zone, "z1");
    EXPECT_EQ(pod.node, "n1");
    EXPECT_EQ(pod.created, parse_rfc3339("2026-01-31T12:00:00Z"));
    EXPECT_TRUE(pod.goes_first);
    EXPECT_TRUE(pod.ended);
    EXPECT_FALSE(pod.running);
}

TEST(DecodePod, IsNotReadyBeforeTheRestartsThatWereAskedFor) {
    const auto pod = [](const char* awaited) {
        return decoded(std::string{R"({"metadata":{"name":"db-a","uid":"u","annotations":{)"} +
                       R"("sluice.dev/restarts":")" + awaited +
                       R"("}},"status":{"conditions":[{"type":"Ready","status":"True"}],)"
                       R"("containerStatuses":[{"restartCount":1},{"restartCount":2}]}})");
    };
    EXPECT_EQ(pod("3").restarts, 3);
    EXPECT_TRUE(pod("3").ready);
    EXPECT_FALSE(pod("4").ready);
    EXPECT_TRUE(pod("soon").ready) << "who writes nonsense asks for nothing";
}

TEST(DecodePod, APodWithoutARevisionLabelRunsNoRevision) {
    EXPECT_EQ(decoded(with(pod_text, "controller-revision-hash", "other")).revision, "");
}

TEST(PodName, TheOrdinalIsTheNumberBehindTheLastDash) {
    EXPECT_EQ(ordinal_of(named("web-4")), Ordinal{4});
    EXPECT_EQ(ordinal_of(named("my-web-2147483647")), Ordinal{2147483647});
    for (const char* name : {"web", "web-", "web-x", "web-4x", "web-2147483648", "", "-", "web- 4"})
        EXPECT_EQ(ordinal_of(named(name)), std::nullopt) << name;
}

TEST(PodAvailability, ReadyForLongEnoughAndNotOnItsWayOut) {
    Pod pod = decoded(pod_text);
    const Instant ready = pod.ready_since;
    EXPECT_TRUE(is_available(pod, 5s, ready + 5s));
    EXPECT_FALSE(is_available(pod, 5s, ready + 4999ms));
    pod.meta.deleting = true;
    EXPECT_FALSE(is_available(pod, 0s, ready + 1h));
    pod.meta.deleting = false;
    pod.ready = false;
    EXPECT_FALSE(is_available(pod, 0s, ready + 1h));
}

TEST(DecodeConfigMap, KeepsItsTexts) {
    Decoder decoder;
    const auto object = decoder.object(config_maps, config_map_text);
    ASSERT_TRUE(object.has_value());
    const auto& map = std::get<ConfigMap>(*object);
    EXPECT_EQ(map.meta.key, (ObjectKey{"sluice-system", "sluice-hooks"}));
    EXPECT_EQ(map.data, (Texts{{"careful", "url: https://careful.example/hook\n"}, {"empty", ""}}));
}

TEST(DecodeConfigMap, WithoutDataIsEmpty) {
    Decoder decoder;
    for (const char* text : {R"({"metadata":{"name":"sluice-hooks","uid":"u"}})",
                             R"({"metadata":{"name":"sluice-hooks","uid":"u"},"data":null})"}) {
        const auto object = decoder.object(config_maps, text);
        ASSERT_TRUE(object.has_value());
        EXPECT_TRUE(std::get<ConfigMap>(*object).data.empty());
    }
    EXPECT_FALSE(
        decoder
            .object(config_maps, R"({"metadata":{"name":"sluice-hooks","uid":"u"},"data":{"a":1}})")
            .has_value());
}

}  // namespace
}  // namespace sluice::model
