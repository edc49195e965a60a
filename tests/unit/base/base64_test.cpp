#include "base/base64.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

struct Pair {
    std::string bytes;
    std::string text;
};

const Pair pairs[] = {
    {"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
    {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {std::string("\0\xff\xfe", 3), "AP/+"},
};

TEST(Base64, goes_there_and_back) {
    for (const Pair& pair : pairs) {
        EXPECT_EQ(encode_base64(pair.bytes), pair.text);
        const auto decoded = decode_base64(pair.text);
        ASSERT_TRUE(decoded.has_value()) << pair.text;
        EXPECT_EQ(decoded->reveal(), pair.bytes);
    }
}

TEST(Base64, skips_line_breaks_and_nothing_else) {
    const auto decoded = decode_base64("Zm\r\n9v\n");
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(decoded->reveal(), "foo");
    EXPECT_FALSE(decode_base64("Zm 9v").has_value());
}

TEST(Base64, refuses_what_no_encoder_writes) {
    for (const char* text : {"Zg=", "Zg", "Z", "Zg==Zg==", "=g==", "Z===", "====", "Zh==", "Zm9=",
                             "Zm9-", "Zm9_", "Zm9v=", "Z=9v"})
        EXPECT_FALSE(decode_base64(text).has_value()) << text;
}

}  // namespace
}  // namespace sluice
