#include "base/pattern.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sluice {
namespace {

struct Case {
    std::string pattern;
    std::string text;
    bool fits;
};

TEST(Pattern, fits_as_in_re2) {
    const std::vector<Case> cases{
        {"", "", true},
        {"", "abc", true},
        {"b", "abc", true},
        {"^b", "abc", false},
        {"c$", "abc", true},
        {"^abc$", "abc\n", false},
        {"a.c", "abc", true},
        {"a.c", "a\nc", false},
        {"(?s)a.c", "a\nc", true},
        {"a.c", "aéc", true},
        {"a|b|cd", "xcdx", true},
        {"^(a|b)$", "ab", false},
        {"a*", "", true},
        {"^a+$", "", false},
        {"^a+$", "aaa", true},
        {"^ab?c$", "ac", true},
        {"^a{3}$", "aaa", true},
        {"^a{3}$", "aa", false},
        {"^a{2,}$", "aaaa", true},
        {"^a{2,3}$", "aaaa", false},
        {"^(ab){2}$", "abab", true},
        {"a{,2}", "a{,2}", true},
        {"x{", "x{", true},
        {"^a{0}$", "", true},
        {"[a-c]+", "xxbxx", true},
        {"^[^a-c]+$", "xbx", false},
        {"^[]a]+$", "a]", true},
        {"^[a-]+$", "a-", true},
        {"^[\\d\\-]+$", "1-2", true},
        {"^[[]$", "[", true},
        {"\\d+\\.\\d+", "v1.25", true},
        {"^\\D$", "é", true},
        {"^\\w+$", "a_9", true},
        {"^\\w+$", "é", false},
        {"\\bcat\\b", "a cat!", true},
        {"\\bcat\\b", "concat", false},
        {"\\Bat\\b", "cat", true},
        {"\\s", "a\tb", true},
        {"\\x41\\x{e9}", "Aé", true},
        {"\\Aabc\\z", "abc", true},
        {"(?i)HeLLo", "hEllO", true},
        {"(?i)größe", "GRÖßE", true},
        {"(?i)[a-f]+$", "ABCDEF", true},
        {"(?i:a)b", "Ab", true},
        {"(?i:a)b", "AB", false},
        {"(?i)^[^a]$", "A", false},
        {"(?m)^b$", "a\nb\nc", true},
        {"^b$", "a\nb\nc", false},
        {"(?P<n>a)(?P<m>b)(?:c)", "abc", true},
        {"a*?b+?c??", "aab", true},
        {"(a*)*$", "aaa", true},
        {"^(|a)+$", "aab", false},
        {"^(é|ß)+$", "éßé", true},
        {"^.$", "\xff", false},
        {"b$", "\xff b", true},
        {"^\\p{Lu}\\P{Lu}$", "Éé", true},
        {"^\\p{Greek}+$", "αβ", true},
        {"^\\pN$", "x", false},
        {"^[[:alpha:]]+$", "abc", true},
        {"^[[:^digit:]_]+$", "a1", false},
        {"(?i)^[à-é]$", "Ç", true},
        {"\\Qa.b\\E", "axb", false},
        {"(?i)a|b", "B", true},
        {"a(?i)b|c", "C", true},
        {"(?i)a(?-i)b", "AB", false},
    };
    for (const Case& one : cases) {
        const Result<Pattern> pattern = Pattern::compiled(one.pattern);
        ASSERT_TRUE(pattern) << one.pattern << ": " << pattern.error().message;
        EXPECT_EQ(pattern->fits(one.text), one.fits) << one.pattern << " " << one.text;
    }
}

TEST(Pattern, refuses_what_it_does_not_know) {
    for (const char* text :
         {"(",      ")",       "a)",          "(a",      "[a",    "[",    "*",     "+a",
          "?",      "a**",     "a*+",         "a{2}{3}", "\\",    "\\1",  "\\q",   "\\p{Klingon}",
          "(?=a)",  "(?!a)",   "(?<=a)",      "(?<a>b)", "(?P<a", "(?x)", "[b-a]", "[[:letter:]]",
          "a{3,2}", "a{1001}", "\\x{110000}", "\\xg0",   "\\x4",  "\xff"})
        EXPECT_FALSE(Pattern::compiled(text)) << text;
}

TEST(Pattern, says_what_is_wrong_and_repeats_nothing) {
    const auto said = [](std::string_view text) { return Pattern::compiled(text).error().message; };
    EXPECT_EQ(said("secret("), "cannot be read: missing )");
    EXPECT_EQ(said("[:secret: "), "cannot be read: missing ]");
    EXPECT_EQ(said("(?=secret)"), "cannot be read: invalid perl operator");
    EXPECT_EQ(said("\xff: secret"), "cannot be read: invalid UTF-8");
    EXPECT_EQ(said("\\p{secret}"), "cannot be read: invalid character class range");
    EXPECT_EQ(said("(\\pL{200}secret){5}"), "cannot be read: pattern too large - compile failed");
}

TEST(Pattern, is_bounded) {
    EXPECT_FALSE(Pattern::compiled(std::string(pattern_bytes_max + 1, 'a')));
    EXPECT_TRUE(Pattern::compiled(std::string(pattern_bytes_max, 'a')));
    EXPECT_FALSE(Pattern::compiled("(a{100}){100}"));
    EXPECT_FALSE(Pattern::compiled("((((((a{9}){9}){9}){9}){9}){9})"));
    EXPECT_FALSE(Pattern::compiled("\\pL{1000}"));
    EXPECT_TRUE(Pattern::compiled(std::string(500, '(') + std::string(500, ')')));
}

TEST(Pattern, does_not_try_all_ways_one_after_the_other) {
    const std::string text = std::string(100'000, 'a') + "!";
    for (const char* evil : {"^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^(.*)*b$", "(x+x+)+y",
                             "^(a?){50}a{50}$", "(a|b)*a(a|b){12}c"})
        EXPECT_FALSE(Pattern::compiled(evil).value().fits(text)) << evil;
}

}  // namespace
}  // namespace sluice
