#include "api/analysis/pattern.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sluice::api::analysis {
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
        {"(?P<n>a)(?<m>b)(?:c)", "abc", true},
        {"a*?b+?c??", "aab", true},
        {"(a*)*$", "aaa", true},
        {"^(|a)+$", "aab", false},
        {"^(é|ß)+$", "éßé", true},
        {"^.$", "\xff", true},
        {"(?i)a|b", "B", true},
        {"a(?i)b|c", "C", true},
        {"(?i)a(?-i)b", "AB", false},
    };
    for (const Case& one : cases) {
        const Result<Pattern> pattern = Pattern::compiled(one.pattern);
        ASSERT_TRUE(pattern) << one.pattern << ": " << pattern.error().message;
        EXPECT_EQ(pattern->fits(one.text, 10'000)->fits, one.fits)
            << one.pattern << " " << one.text;
    }
}

TEST(Pattern, refuses_what_it_does_not_know) {
    for (const char* text :
         {"(",           ")",           "a)",     "(a",    "[a",        "[",
          "*",           "+a",          "?",      "a**",   "a*+",       "a{2}{3}",
          "\\",          "\\1",         "\\p{L}", "\\q",   "(?=a)",     "(?!a)",
          "(?<=a)",      "(?P<a",       "(?x)",   "[b-a]", "a{3,2}",    "a{1001}",
          "[[:alpha:]]", "\\x{110000}", "\\xg0",  "\\x4",  "(?i)[à-é]", "\xff"})
        EXPECT_FALSE(Pattern::compiled(text)) << text;
}

TEST(Pattern, is_bounded) {
    EXPECT_FALSE(Pattern::compiled(std::string(pattern_bytes_max + 1, 'a')));
    EXPECT_FALSE(Pattern::compiled("(a{100}){100}"));
    EXPECT_FALSE(Pattern::compiled("((((((a{9}){9}){9}){9}){9}){9})"));
    EXPECT_FALSE(Pattern::compiled(std::string(40, '(') + std::string(40, ')')));
    EXPECT_TRUE(Pattern::compiled(std::string(30, '(') + std::string(30, ')')));
}

TEST(Pattern, does_not_try_all_ways_one_after_the_other) {
    const std::string text = std::string(5'000, 'a') + "!";
    for (const char* evil :
         {"^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^(.*)*b$", "(x+x+)+y", "^(a?){50}a{50}$"}) {
        const Result<Pattern> pattern = Pattern::compiled(evil);
        ASSERT_TRUE(pattern) << evil;
        const auto outcome = pattern->fits(text, 5'002 * pattern->moves());
        ASSERT_TRUE(outcome) << evil;
        EXPECT_FALSE(outcome->fits) << evil;
    }
}

TEST(Pattern, gives_up_when_its_work_is_done) {
    const Pattern pattern = Pattern::compiled("(a|b)+c").value();
    EXPECT_FALSE(pattern.fits(std::string(1'000, 'a'), 500));
    EXPECT_TRUE(pattern.fits(std::string(1'000, 'a'), 50'000));
}

}  // namespace
}  // namespace sluice::api::analysis
