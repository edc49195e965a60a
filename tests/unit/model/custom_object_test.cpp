#include "model/custom_object.hpp"

#include <gtest/gtest.h>

#include "base/dice.hpp"
#include "tests/unit/model/texts.hpp"

namespace sluice::model {
namespace {

using testing::rollout_text;

std::string with(std::string text, std::string_view what, std::string_view instead) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), instead);
}

TEST(CustomObject, KeepsNamesAnnotationsOfOursAndTheTextsOfSpecAndStatus) {
    const auto object = decode_custom_object(rollout_text);
    ASSERT_TRUE(object.has_value()) << object.error().message;
    EXPECT_EQ(to_text(object->meta.key), "shop/web");
    EXPECT_EQ(object->meta.generation, 7);
    EXPECT_FALSE(object->meta.deleting);
    EXPECT_EQ(object->created, parse_rfc3339("2026-01-31T12:00:00Z"));
    EXPECT_EQ(object->annotations, (Texts{{"sluice.dev/retry", "1"}}));
    EXPECT_TRUE(has_finalizer(*object, "sts.plus/finalizer"));
    EXPECT_FALSE(has_finalizer(*object, "sts.plus"));
    EXPECT_EQ(
        object->spec,
        R"({"targetRef": "web", "check": {"query": {"expr": "up{job=\"a\"}", "url": "prom"}}})");
    EXPECT_EQ(object->status, R"({"phase": "Updated"})");
}

TEST(CustomObject, MayLackEverythingButNameAndUid) {
    const auto object = decode_custom_object(R"({"metadata":{"name":"a","uid":"b"}})");
    ASSERT_TRUE(object.has_value());
    EXPECT_EQ(object->spec + object->status, "");
    for (const char* text : {R"({"metadata":{"name":"a"}})", R"({"metadata":{"uid":"b"}})", "{}",
                             "[]", "7", "null", ""})
        EXPECT_FALSE(decode_custom_object(text).has_value()) << text;
}

TEST(CustomObject, NullsAreNothing) {
    const auto object = decode_custom_object(
        R"({"metadata":{"name":"a","uid":"b","finalizers":null,"annotations":null,)"
        R"("creationTimestamp":null},"spec":null,"status":null})");
    ASSERT_TRUE(object.has_value());
    CustomObject bare;
    bare.meta.key.name = "a";
    bare.meta.uid = "b";
    EXPECT_EQ(*object, bare);
}

std::string with_owners(const std::string& owners) {
    return R"({"metadata":{"name":"a","uid":"b","ownerReferences":)" + owners + "}}";
}

TEST(CustomObject, KnowsWhoControlsIt) {
    const auto object = decode_custom_object(with_owners(
        R"([{"kind":"Team","name":"shop","uid":"u1","controller":false},)"
        R"({"apiVersion":"v1","kind":"Gate","name":"gentle","uid":"u2","controller":true},)"
        R"({"kind":"Team","name":"other","uid":"u3"}])"));
    ASSERT_TRUE(object.has_value()) << object.error().message;
    EXPECT_EQ(object->owner, "gentle");
    EXPECT_EQ(object->owner_uid, "u2");
}

TEST(CustomObject, MayHaveOwnersAndNobodyWhoControlsIt) {
    for (const char* owners : {"null", "[]", R"([{"name":"shop","uid":"u1"}])",
                               R"([{"name":"shop","uid":"u1","controller":null}])"}) {
        const auto object = decode_custom_object(with_owners(owners));
        ASSERT_TRUE(object.has_value()) << owners;
        EXPECT_EQ(object->owner + object->owner_uid, "") << owners;
    }
    EXPECT_FALSE(decode_custom_object(with_owners("7")).has_value());
}

TEST(CustomObject, ThatIsBeingDeletedSaysSo) {
    const auto object = decode_custom_object(
        with(rollout_text, R"("generation": 7)", R"("deletionTimestamp": "2026-01-31T12:00:00Z")"));
    ASSERT_TRUE(object.has_value());
    EXPECT_TRUE(object->meta.deleting);
}

TEST(CustomObject, HugePartsAreAnError) {
    const std::string huge = R"({"a": ")" + std::string(70'000, 'x') + "\"}";
    EXPECT_FALSE(
        decode_custom_object(with(rollout_text, R"({"phase": "Updated"})", huge)).has_value());
    std::string names = "\"x\"";
    for (int i = 0; i < 100; ++i)
        names += ", \"x\"";
    EXPECT_FALSE(
        decode_custom_object(with(rollout_text, "\"sts.plus/finalizer\"", names)).has_value());
}

TEST(CustomObject, PartsOfAnotherTypeAreAnError) {
    for (const char* part : {"7", "\"text\"", "[]", "true"})
        EXPECT_FALSE(
            decode_custom_object(with(rollout_text, R"({"phase": "Updated"})", part)).has_value())
            << part;
}

TEST(CustomObject, CutShortAtAnyByteIsAnError) {
    for (std::size_t length = 0; length < rollout_text.size(); ++length)
        EXPECT_FALSE(decode_custom_object(rollout_text.substr(0, length)).has_value()) << length;
}

TEST(CustomObject, AByteThatFlippedGivesAValueOrAnError) {
    Dice dice{20260131};
    for (std::size_t at = 0; at < rollout_text.size(); ++at) {
        std::string broken = rollout_text;
        broken[at] = static_cast<char>(dice.roll());
        static_cast<void>(decode_custom_object(broken));
    }
}

TEST(CustomObject, AHundredThousandBracketsDoNoHarm) {
    for (const auto& [open, close] : {std::pair{"[", "]"}, std::pair{"{\"a\":", "}"}}) {
        std::string deep;
        for (int i = 0; i < 100'000; ++i)
            deep += open;
        static_cast<void>(decode_custom_object(deep));
        static_cast<void>(
            decode_custom_object(with(rollout_text, R"({"phase": "Updated"})", deep)));
        for (int i = 0; i < 100'000; ++i)
            deep += close;
        static_cast<void>(
            decode_custom_object(with(rollout_text, R"({"phase": "Updated"})", deep)));
    }
}

}  // namespace
}  // namespace sluice::model
