#include "base/printable.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Printable, KeepsTextAndDropsWhatCannotBeSeen) {
    EXPECT_EQ(printable("plain, ünïcode, 漢字, 🙂"), "plain, ünïcode, 漢字, 🙂");
    EXPECT_EQ(printable("a\tb\r\nc\u2028d"), "a b  c d");
    EXPECT_EQ(printable(std::string("a\0b\x1b[0m\x7f\u0085", 10)), "ab[0m");
    EXPECT_EQ(printable("a\u202eb\u2066c\u200bd\ufeff"), "abcd");
}

TEST(Printable, DropsBytesThatAreNotUtf8) {
    for (const std::string bytes : {"\xff", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                                    "\xf4\x90\x80\x80", "\xf8", "\x80"}) {
        EXPECT_EQ(printable("a" + bytes), "a");
        EXPECT_EQ(printable("a" + bytes + "b"), "ab");
    }
}

TEST(Printable, CutsBetweenCharacters) {
    EXPECT_EQ(printable("abc", 2), "ab");
    EXPECT_EQ(printable("aü", 2), "a");
    EXPECT_EQ(printable("🙂🙂", 7), "🙂");
    EXPECT_EQ(printable("abc", 0), "");
    EXPECT_EQ(printable(std::string(1000, 'x')).size(), 256u);
}

}  // namespace
}  // namespace sluice
