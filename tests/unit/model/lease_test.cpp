#include "model/lease.hpp"

#include <gtest/gtest.h>

#include "base/dice.hpp"
#include "tests/unit/model/texts.hpp"

namespace sluice::model {
namespace {

using testing::with;

const std::string lease_text = R"json({
  "kind": "Lease", "apiVersion": "coordination.k8s.io/v1",
  "metadata": {"name": "sluice", "namespace": "sluice-system", "uid": "u", "resourceVersion": "77",
               "managedFields": []},
  "spec": {"holderIdentity": "pod-a_1", "leaseDurationSeconds": 15,
           "acquireTime": "2026-01-31T12:00:00.000000Z", "renewTime": "2026-01-31T12:00:08.123456Z",
           "leaseTransitions": 4}})json";

TEST(Lease, SaysWhoHoldsItAndHowOftenItChangedHands) {
    const auto lease = decode_lease(lease_text);
    ASSERT_TRUE(lease.has_value());
    EXPECT_EQ(lease->uid, "u");
    EXPECT_EQ(lease->resource_version, "77");
    EXPECT_EQ(lease->holder, "pod-a_1");
    EXPECT_EQ(lease->duration, Duration{15s});
    EXPECT_EQ(lease->renewed, "2026-01-31T12:00:08.123456Z");
    EXPECT_EQ(lease->transitions, 4);
}

TEST(Lease, WhatNobodyFilledInHasAHarmlessMeaning) {
    const auto lease = decode_lease(R"({"metadata":{"resourceVersion":"1"},"spec":null})");
    ASSERT_TRUE(lease.has_value());
    EXPECT_EQ(lease->holder, "");
    EXPECT_EQ(lease->duration, Duration{15s});
    EXPECT_EQ(lease->transitions, 0);
}

TEST(Lease, AnotherHoldersStrangeFormatIsReadAsFarAsItGoes) {
    const auto lease = decode_lease(with(with(lease_text, "\"pod-a_1\"", "12"), "15", "\"15\""));
    ASSERT_TRUE(lease.has_value());
    EXPECT_EQ(lease->holder, "");
    EXPECT_EQ(lease->duration, Duration{15s});
}

TEST(Lease, WithoutAVersionThereIsNothingToUpdate) {
    EXPECT_FALSE(decode_lease(R"({"metadata":{},"spec":{}})").has_value());
    EXPECT_FALSE(decode_lease(R"({})").has_value());
    EXPECT_FALSE(decode_lease(with(lease_text, "\"77\"", "77")).has_value());
}

TEST(Lease, AnyBytesGiveALeaseOrAnError) {
    Dice dice{3};
    for (std::size_t length = 0; length < lease_text.size(); ++length) {
        EXPECT_FALSE(decode_lease(lease_text.substr(0, length)).has_value());
        std::string broken = lease_text;
        broken[length] = static_cast<char>(dice.roll());
        static_cast<void>(decode_lease(broken));
    }
    EXPECT_FALSE(decode_lease(std::string(100'000, '[')).has_value());
    EXPECT_FALSE(decode_lease(lease_text + std::string(70'000, ' ')).has_value());
    EXPECT_FALSE(decode_lease("null").has_value());
}

TEST(Lease, WhatWeWriteIsWhatIsReadBack) {
    Lease lease;
    lease.resource_version = "78";
    lease.holder = "pod-b \"2\"";
    lease.transitions = 5;
    const Instant acquired{1'790'000'000'123};
    const auto read = decode_lease(encode_lease(lease, "ns", "sluice", acquired, acquired + 8s));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->resource_version, "78");
    EXPECT_EQ(read->holder, lease.holder);
    EXPECT_EQ(read->duration, lease.duration);
    EXPECT_EQ(read->transitions, 5);
    EXPECT_EQ(parse_rfc3339(read->renewed), acquired + 8s);
}

TEST(Lease, ACreateNamesNoVersion) {
    const std::string body = encode_lease(Lease{}, "ns", "sluice", Instant{0}, Instant{0});
    EXPECT_EQ(body.find("resourceVersion"), std::string::npos);
    EXPECT_NE(body.find(R"("acquireTime":"1970-01-01T00:00:00.000000Z")"), std::string::npos);
    EXPECT_NE(body.find(R"("name":"sluice","namespace":"ns")"), std::string::npos);
}

TEST(Fence, ComesBackAsItWasWritten) {
    for (const Fence& fence : {Fence{"123e4567-e89b", 4}, Fence{"a/b", 0}, Fence{"", 9}})
        EXPECT_EQ(decode_fence(encode(fence)), fence);
}

TEST(Fence, WhatNobodyOfUsWroteIsNone) {
    for (const char* text :
         {"", "4", "lease/", "lease/x", "lease/4x", "lease/99999999999999999999"})
        EXPECT_EQ(decode_fence(text), std::nullopt) << text;
}

TEST(Fence, OnlyALaterHolderOfTheSameLeaseIsNewer) {
    EXPECT_TRUE(is_newer({"a", 5}, {"a", 4}));
    EXPECT_FALSE(is_newer({"a", 4}, {"a", 4}));
    EXPECT_FALSE(is_newer({"a", 3}, {"a", 4}));
    EXPECT_FALSE(is_newer({"b", 5}, {"a", 4}));
}

TEST(Lease, ADurationOutOfAllReasonIsCutToSize) {
    const auto duration = [](const char* seconds) {
        return decode_lease(std::string{R"({"metadata":{"resourceVersion":"1"},)"} +
                            R"("spec":{"leaseDurationSeconds":)" + seconds + "}}")
            ->duration;
    };
    EXPECT_EQ(duration("9223372036854775807"), 1h);
    EXPECT_EQ(duration("-5"), 1s);
    EXPECT_EQ(duration("15"), 15s);
}

}  // namespace
}  // namespace sluice::model
