#include "base/redacted.hpp"

#include <gtest/gtest.h>

#include <concepts>
#include <ostream>

namespace sluice {
namespace {

template <class T>
concept Printable = requires(std::ostream& out, const T& value) { out << value; };

TEST(Redacted, ASecretCannotBePrintedOrCompared) {
    static_assert(!Printable<Redacted>);
    static_assert(!std::equality_comparable<Redacted>);
    static_assert(!std::convertible_to<Redacted, std::string>);
}

TEST(Redacted, WhoeverSaysRevealGetsTheBytes) {
    const Redacted secret{"s3cr3t"};
    EXPECT_EQ(secret.reveal(), "s3cr3t");
    EXPECT_FALSE(secret.empty());
    EXPECT_TRUE(Redacted{}.empty());
}

TEST(Redacted, ASecretThatWasMovedAwayLeavesNothingBehind) {
    Redacted from{"s3cr3t"};
    Redacted to{std::move(from)};
    EXPECT_EQ(to.reveal(), "s3cr3t");
    EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move): that is the promise
    Redacted again;
    again = std::move(to);
    EXPECT_EQ(again.reveal(), "s3cr3t");
    EXPECT_TRUE(to.empty());  // NOLINT(bugprone-use-after-move)
}

TEST(Redacted, ACopyOutlivesItsOriginal) {
    Redacted copy{"old"};
    {
        const Redacted original{"a secret that does not fit into the small buffer of a string"};
        copy = original;
    }
    EXPECT_EQ(copy.reveal(), "a secret that does not fit into the small buffer of a string");
    const Redacted& self = copy;
    copy = self;
    EXPECT_FALSE(copy.empty());
}

}  // namespace
}  // namespace sluice
