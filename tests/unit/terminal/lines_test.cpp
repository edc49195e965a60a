#include "terminal/lines.hpp"

#include <gtest/gtest.h>

namespace sluice::terminal {
namespace {

constexpr Style plain{.colour = false};

TEST(Lines, BreakBetweenWordsAndKeepTheInkOfEach) {
    const auto lines = wrapped({{"one two", Ink::Dim}, {"; three", Ink::Bold}}, 9, 3, plain);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(written(lines[0], plain), "one two;");
    EXPECT_EQ(written(lines[1], plain), "three");
}

TEST(Lines, SayWhereSomethingIsMissing) {
    EXPECT_EQ(written(cut({{"a long word", Ink::Plain}}, 6, plain), plain), "a lon…");
    const auto lines = wrapped({{"one two three four", Ink::Plain}}, 7, 1, plain);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(written(lines[0], plain), "one tw…");
}

}  // namespace
}  // namespace sluice::terminal
