#include "kube/sentence.hpp"

#include <gtest/gtest.h>

namespace sluice::kube {
namespace {

TEST(Sentence, has_no_control_characters) {
    EXPECT_EQ(printable("\x1b[31mred\r\n\x7f", 100), "[31mred");
    EXPECT_EQ(printable("a\nb\tc", 100), "a b c");
}

TEST(Sentence, ends_in_dots_where_it_was_cut) {
    EXPECT_EQ(printable("abcdef", 6), "abcdef");
    EXPECT_EQ(printable("abcdefg", 6), "abcdef...");
}

TEST(Sentence, is_cut_between_characters) {
    EXPECT_EQ(printable("a\u00e9\u00e9", 2), "a...");
    EXPECT_EQ(printable("a\u00e9\u00e9", 3), "a\u00e9...");
}

TEST(Sentence, loses_every_occurrence_of_a_secret) {
    EXPECT_EQ(without_secret("a hunter22 b hunter22", "hunter22"), "a [redacted] b [redacted]");
    EXPECT_EQ(without_secret("nothing here", "hunter22"), "nothing here");
    EXPECT_EQ(without_secret("abc", ""), "abc");
}

TEST(Sentence, loses_web_tokens) {
    EXPECT_EQ(without_web_tokens("got eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln: expired"),
              "got [redacted]: expired");
    EXPECT_EQ(without_web_tokens("token=eyJhbGciOiJSUzI1NiJ9.e30.x"), "token=[redacted]");
    EXPECT_EQ(without_web_tokens("eyJ is short"), "eyJ is short");
}

}  // namespace
}  // namespace sluice::kube
