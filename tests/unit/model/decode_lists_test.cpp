#include <gtest/gtest.h>

#include "model/decode.hpp"
#include "tests/unit/model/texts.hpp"

namespace sluice::model {
namespace {

using testing::config_map_text;
using testing::pod_text;
using testing::rollout_text;
using testing::statefulset_text;
using testing::watch_line;

std::string list_of(const std::string& items, const std::string& metadata) {
    return R"({"kind":"List","apiVersion":"v1","metadata":)" + metadata + R"(,"items":)" + items +
           "}";
}

TEST(DecodeList, APageBringsItsObjectsItsVersionAndWhereToGoOn) {
    Decoder decoder;
    const auto page = decoder.list(
        pods, list_of("[" + pod_text + "," + pod_text + "]",
                      R"({"resourceVersion":"9000","continue":"tok/en=","remainingItemCount":5})"));
    ASSERT_TRUE(page.has_value());
    EXPECT_EQ(page->items.size(), 2u);
    EXPECT_EQ(meta_of(page->items[1]).key.name, "web-4");
    EXPECT_EQ(page->resource_version, "9000");
    EXPECT_EQ(page->next, "tok/en=");
}

TEST(DecodeList, TheLastPageLeadsNowhere) {
    Decoder decoder;
    for (const char* items : {"[]", "null"}) {
        const auto page =
            decoder.list(statefulsets, list_of(items, R"({"resourceVersion":"9","continue":""})"));
        ASSERT_TRUE(page.has_value());
        EXPECT_TRUE(page->items.empty());
        EXPECT_EQ(page->next, "");
    }
    EXPECT_TRUE(decoder.list(statefulsets, R"({"items":[]})").has_value());
}

TEST(DecodeList, OneBrokenItemSpoilsThePage) {
    Decoder decoder;
    const std::string good = config_map_text;
    for (const char* bad : {"{}", "null", "7", R"({"metadata":{"name":"x"}})"})
        EXPECT_FALSE(decoder
                         .list(config_maps,
                               list_of("[" + good + "," + bad + "]", R"({"resourceVersion":"9"})"))
                         .has_value())
            << bad;
}

TEST(DecodeList, ACustomObjectThatCannotBeReadIsLeftOutAndHidesNoOther) {
    Decoder decoder;
    const std::string huge = testing::with(rollout_text, R"({"phase": "Updated"})",
                                           "{\"a\": \"" + std::string(70'000, 'x') + "\"}");
    for (const std::string& bad :
         {std::string{"{}"}, std::string{"null"}, std::string{"7"}, std::string{"[[{}]]"},
          std::string{R"({"metadata":{"name":"x","uid":"y"},"spec":[]})"}, huge}) {
        const auto page = decoder.list(
            testing::rollouts, list_of("[" + rollout_text + "," + bad + "," + rollout_text + "]",
                                       R"({"resourceVersion":"9"})"));
        ASSERT_TRUE(page.has_value()) << bad.substr(0, 80);
        EXPECT_EQ(page->items.size(), 2u);
        ASSERT_EQ(page->left_out.size(), 1u);
        EXPECT_EQ(page->left_out[0].key.name, bad == huge ? "web" : bad.size() > 20 ? "x" : "");
        EXPECT_EQ(page->resource_version, "9");
        EXPECT_EQ(std::get<CustomObject>(page->items[1]), decode_custom_object(rollout_text));
    }
}

TEST(DecodeList, WhatIsNoListIsAnError) {
    Decoder decoder;
    for (const char* text :
         {"", " ", "null", "[]", "7", "\"x\"", R"({"items":{}})", R"({"items":7})",
          R"({"metadata":7})", R"({"metadata":{"continue":7}})"})
        EXPECT_FALSE(decoder.list(pods, text).has_value()) << text;
}

TEST(DecodeWatch, AddedAndModifiedSayWhatTheObjectIsNow) {
    Decoder decoder;
    for (const char* type : {"ADDED", "MODIFIED"}) {
        const auto event = decoder.watch_event(pods, watch_line(type, pod_text));
        ASSERT_TRUE(event.has_value()) << type;
        ASSERT_TRUE(std::holds_alternative<Changed>(*event)) << type;
        EXPECT_EQ(meta_of(std::get<Changed>(*event).object).key.name, "web-4");
    }
}

TEST(DecodeWatch, CustomObjectsComeAsTheyAre) {
    Decoder decoder;
    const auto changed = decoder.watch_event(testing::rollouts, watch_line("ADDED", rollout_text));
    ASSERT_TRUE(changed.has_value());
    EXPECT_EQ(std::get<CustomObject>(std::get<Changed>(*changed).object),
              decode_custom_object(rollout_text));
    const auto deleted =
        decoder.watch_event(testing::rollouts, watch_line("DELETED", rollout_text));
    ASSERT_TRUE(deleted && std::holds_alternative<Deleted>(*deleted));
    EXPECT_EQ(to_text(meta_of(std::get<Deleted>(*deleted).object).key), "shop/web");
    EXPECT_FALSE(decoder.watch_event(testing::rollouts,
                                     watch_line("ADDED", R"({"metadata":{"name":"x"}})")));
    const auto bookmark = decoder.watch_event(
        testing::rollouts, watch_line("BOOKMARK", R"({"metadata":{"resourceVersion":"12"}})"));
    ASSERT_TRUE(bookmark && std::holds_alternative<Bookmark>(*bookmark));
}

TEST(DecodeWatch, DeletedBringsTheLastStateOfTheObject) {
    Decoder decoder;
    const auto event = decoder.watch_event(statefulsets, watch_line("DELETED", statefulset_text));
    ASSERT_TRUE(event && std::holds_alternative<Deleted>(*event));
    EXPECT_EQ(meta_of(std::get<Deleted>(*event).object).resource_version, 8731u);
}

Bookmark bookmark_with(const std::string& metadata) {
    Decoder decoder;
    const auto event = decoder.watch_event(
        pods, watch_line("BOOKMARK", R"({"kind":"Pod","metadata":{"resourceVersion":"12746",)" +
                                         metadata + R"(},"spec":{"containers":null}})"));
    EXPECT_TRUE(event && std::holds_alternative<Bookmark>(*event)) << metadata;
    return event ? std::get<Bookmark>(*event) : Bookmark{};
}

TEST(DecodeWatch, ABookmarkCarriesAVersionAndPerhapsTheEndOfTheInitialEvents) {
    const Bookmark plain = bookmark_with(R"("creationTimestamp":null)");
    EXPECT_EQ(plain.resource_version, "12746");
    EXPECT_FALSE(plain.initial_events_end);
    const Bookmark end = bookmark_with(R"("annotations":{"k8s.io/initial-events-end":"true"})");
    EXPECT_EQ(end.resource_version, "12746");
    EXPECT_TRUE(end.initial_events_end);
    EXPECT_FALSE(
        bookmark_with(R"("annotations":{"k8s.io/initial-events-end":"false"})").initial_events_end);
    EXPECT_FALSE(bookmark_with(R"("annotations":{"x":"true"})").initial_events_end);
}

TEST(DecodeWatch, AnErrorEventSaysWhyTheWatchIsOver) {
    Decoder decoder;
    const auto event = decoder.watch_event(
        pods, watch_line("ERROR",
                         R"json({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",
                                "message":"too old resource version: 1 (9000)","reason":"Expired",
                                "code":410})json"));
    ASSERT_TRUE(event && std::holds_alternative<WatchFailed>(*event));
    EXPECT_EQ(std::get<WatchFailed>(*event).code, 410);
    EXPECT_EQ(std::get<WatchFailed>(*event).message, "too old resource version: 1 (9000)");
}

TEST(DecodeWatch, TheMessageOfAnErrorIsBounded) {
    Decoder decoder;
    const std::string long_text(100'000, 'x');
    const auto event = decoder.watch_event(
        pods, watch_line("ERROR", R"({"code":500,"message":")" + long_text + "\"}"));
    ASSERT_TRUE(event.has_value());
    EXPECT_LE(std::get<WatchFailed>(*event).message.size(), 256u);
}

TEST(DecodeWatch, ATypeThatNobodyKnowsIsAnErrorAndNotAChange) {
    Decoder decoder;
    for (const char* type : {"", "added", "PATCHED", "BOOKMARK "})
        EXPECT_FALSE(decoder.watch_event(pods, watch_line(type, pod_text)).has_value()) << type;
    EXPECT_FALSE(decoder.watch_event(pods, R"({"type":"ADDED"})").has_value());
    EXPECT_FALSE(decoder.watch_event(pods, R"({"object":)" + pod_text + "}").has_value());
    EXPECT_FALSE(decoder.watch_event(pods, R"({"type":"ADDED","object":null})").has_value());
}

TEST(DecodeWatch, OfAnEventThatCannotBeReadTheKeyIsSaid) {
    Decoder decoder;
    const std::string huge = testing::with(rollout_text, R"({"phase": "Updated"})",
                                           "{\"a\": \"" + std::string(70'000, 'x') + "\"}");
    const auto key_of = [&](const std::string& line) {
        const WatchEvent event = decoder.watch_event_or_key(testing::rollouts, line);
        const auto* left_out = std::get_if<LeftOut>(&event);
        EXPECT_TRUE(left_out && !left_out->why.empty());
        return left_out ? to_text(left_out->key) : "";
    };
    EXPECT_EQ(key_of(watch_line("MODIFIED", huge)), "shop/web");
    EXPECT_EQ(key_of(watch_line("ADDED", R"({"metadata":{"name":"x","namespace":"y"},"spec":7})")),
              "y/x");
    for (const char* nameless : {"{}", "7", R"({"metadata":{"name":7}})"})
        EXPECT_EQ(key_of(watch_line("ADDED", nameless)), to_text(ObjectKey{})) << nameless;
    EXPECT_TRUE(std::holds_alternative<Changed>(
        decoder.watch_event_or_key(testing::rollouts, watch_line("ADDED", rollout_text))));
}

TEST(DecodeWatch, OneDecoderReadsManyTextsOneAfterTheOther) {
    Decoder decoder;
    EXPECT_TRUE(decoder.object(statefulsets, statefulset_text).has_value());
    EXPECT_FALSE(decoder.object(statefulsets, "{").has_value());
    EXPECT_TRUE(decoder.watch_event(pods, watch_line("ADDED", pod_text)).has_value());
    Decoder moved{std::move(decoder)};
    EXPECT_TRUE(moved.object(config_maps, config_map_text).has_value());
}

}  // namespace
}  // namespace sluice::model
