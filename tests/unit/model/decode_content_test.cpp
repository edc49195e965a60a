// What is seen of ConfigMaps and Secrets of which nobody is to know what is in them.
#include <gtest/gtest.h>

#include "model/decode.hpp"

namespace sluice::model {
namespace {

std::string config(const std::string& content) {
    return R"({"metadata":{"name":"app","namespace":"shop","uid":"u-1","resourceVersion":"7"})" +
           content + "}";
}

CustomObject decoded(const std::string& content, const Resource& resource = config_map_contents) {
    Decoder decoder;
    return std::get<CustomObject>(decoder.object(resource, config(content)).value());
}

TEST(DecodeContent, KeepsNoByteOfIt) {
    const CustomObject secret = decoded(R"(,"data":{"password":"aHVudGVyMg=="})", secret_contents);
    EXPECT_EQ(secret.meta.key.name, "app");
    EXPECT_EQ(secret.meta.resource_version, 7u);
    EXPECT_FALSE(secret.spec.empty());
    for (const char* byte : {"password", "aHVudGVyMg", "hunter"})
        EXPECT_FALSE(secret.spec.contains(byte)) << byte;
}

TEST(DecodeContent, TheOrderOfKeysDoesNotCount) {
    EXPECT_EQ(decoded(R"(,"data":{"a":"1","b":"2"})").spec,
              decoded(R"(,"data":{"b":"2","a":"1"})").spec);
    EXPECT_EQ(decoded(R"(,"data":{"a":"1"},"binaryData":{"b":"Mg=="})").spec,
              decoded(R"(,"binaryData":{"b":"Mg=="},"data":{"a":"1"})").spec);
}

TEST(DecodeContent, WhatIsInItDoes) {
    const char* all[] = {"",
                         R"(,"data":{})",
                         R"(,"data":{"a":"1"})",
                         R"(,"data":{"a":"2"})",
                         R"(,"data":{"b":"1"})",
                         R"(,"data":{"a":"1","b":"1"})",
                         R"(,"binaryData":{"a":"1"})"};
    for (const char* one : all)
        for (const char* other : all)
            EXPECT_EQ(decoded(one).spec == decoded(other).spec, one == other) << one << other;
}

TEST(DecodeContent, WhatIsAnnotatedDoesNot) {
    EXPECT_EQ(decoded(R"(,"data":{"a":"1"},"immutable":true)").spec,
              decoded(R"(,"data":{"a":"1"})").spec);
}

TEST(DecodeContent, OwnersAreKeptAsTheyAre) {
    const auto owners_of = [](const std::string& owners) {
        Decoder decoder;
        auto object = decoder.object(secret_contents,
                                     R"({"metadata":{"ownerReferences":)" + owners +
                                         R"(,"name":"app","uid":"u-1","resourceVersion":"7"}})");
        return std::get<CustomObject>(object.value()).status;
    };
    const std::string one = R"([{"kind":"A","name":"b ] c","uid":"u","controller":false}])";
    EXPECT_EQ(owners_of(one), one);
    EXPECT_EQ(owners_of("null"), "");
    EXPECT_EQ(owners_of("[ ] "), "[ ]");
    EXPECT_EQ(owners_of("[\"" + std::string(40'000, 'a') + "\"]"), "?");
    EXPECT_EQ(decoded("").status, "");
}

TEST(DecodeContent, ItsMetadataAloneIsEnough) {
    Decoder decoder;
    const auto page =
        decoder.list(secret_contents,
                     R"({"kind":"PartialObjectMetadataList","metadata":{"resourceVersion":"9"},)"
                     R"("items":[)" +
                         config("") + "]}");
    ASSERT_TRUE(page.has_value());
    ASSERT_EQ(page->items.size(), 1u);
    EXPECT_EQ(meta_of(page->items[0]).uid, "u-1");
}

}  // namespace
}  // namespace sluice::model
