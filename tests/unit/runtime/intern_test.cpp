#include "runtime/intern.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/dice.hpp"

namespace sluice::runtime {
namespace {

TEST(InternPool, KeepsATextOnceHoweverManyUseIt) {
    InternPool pool;
    const Symbol one = pool.intern("web-6bb"), other = pool.intern("web-6bb");
    EXPECT_EQ(one, other);
    EXPECT_EQ(one.text(), "web-6bb");
    EXPECT_EQ(&one.text(), &other.text());
    EXPECT_EQ(pool.size(), 1u);
}

TEST(InternPool, TheEmptyTextCostsNothing) {
    InternPool pool;
    EXPECT_EQ(pool.intern(""), Symbol{});
    EXPECT_EQ(Symbol{}.text(), "");
    EXPECT_EQ(pool.size(), 0u);
}

TEST(InternPool, ForgetsATextThatNobodyUsesAnyMore) {
    InternPool pool;
    {
        Symbol one = pool.intern("web-6bb");
        const Symbol copy = one;
        one = pool.intern("web-7cc");
        EXPECT_EQ(pool.size(), 2u);
        EXPECT_EQ(copy.text(), "web-6bb");
    }
    EXPECT_EQ(pool.size(), 0u);
}

TEST(InternPool, ASymbolThatWasMovedAwayHoldsNothing) {
    InternPool pool;
    Symbol from = pool.intern("web-6bb");
    {
        const Symbol to = std::move(from);
        EXPECT_EQ(pool.size(), 1u);
    }
    EXPECT_EQ(pool.size(), 0u);
    EXPECT_EQ(from.text(), "");  // NOLINT(bugprone-use-after-move): that is the promise
}

TEST(InternPool, ASymbolMayBeGivenToItself) {
    InternPool pool;
    Symbol one = pool.intern("web-6bb");
    const Symbol& self = one;
    one = self;
    EXPECT_EQ(one.text(), "web-6bb");
    EXPECT_EQ(pool.size(), 1u);
}

TEST(InternPool, IsEmptyAgainAfterAnyLife) {
    InternPool pool;
    Dice dice{8};
    {
        std::vector<Symbol> symbols(50);
        for (int round = 0; round < 20'000; ++round) {
            Symbol& at = symbols[dice.roll() % symbols.size()];
            const Symbol& from = symbols[dice.roll() % symbols.size()];
            switch (dice.roll() % 4) {
                case 0: at = pool.intern("web-" + std::to_string(dice.roll() % 20)); break;
                case 1: at = from; break;
                case 2: at = Symbol{}; break;
                case 3:
                    symbols.push_back(from);
                    symbols.erase(symbols.begin());
                    break;
            }
            ASSERT_LE(pool.size(), 20u);
        }
    }
    EXPECT_EQ(pool.size(), 0u);
}

}  // namespace
}  // namespace sluice::runtime
