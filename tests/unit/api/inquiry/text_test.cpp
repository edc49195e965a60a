#include "api/inquiry/text.hpp"

#include <gtest/gtest.h>

namespace sluice::api {
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

TEST(Confined, BlotsOutEverySecretThatWasShown) {
    Learnt learnt;
    learnt.secrets.emplace("a", Secret{{{"k", Redacted{"Bearer sesame\n"}}}, {}});
    learnt.secrets.emplace("b", Secret{{{"k", Redacted{"1234"}}, {"l", Redacted{"x"}}}, {}});
    learnt.secrets.emplace("c", failure(ErrorKind::NotFound, "no such Secret"));
    EXPECT_EQ(confined("Bearer sesame", learnt), "[redacted]");
    EXPECT_EQ(confined("sesame, 1234 and x", learnt), "[redacted], [redacted] and x");
    EXPECT_EQ(confined("sesame" + std::string(300, '.'), learnt),
              "[redacted]" + std::string(246, '.'));
    EXPECT_EQ(confined(std::string(253, '.') + "sesame", learnt), std::string(253, '.') + "[re");
}

TEST(Confined, BlotsOutWhatDidNotComeAsASecret) {
    const std::vector<Redacted> more{Redacted{"to/ken 7"}};
    EXPECT_EQ(confined("to/ken 7 to%2Fken%207 dG8va2VuIDc=", {}, more),
              "[redacted] [redacted] [redacted]");
}

}  // namespace
}  // namespace sluice::api
