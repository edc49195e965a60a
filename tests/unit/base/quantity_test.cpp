#include "base/quantity.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Quantity, IsReadAsKubernetesWritesIt) {
    EXPECT_EQ(quantity("0"), 0);
    EXPECT_EQ(quantity("1Ki"), 1024);
    EXPECT_EQ(quantity("1.5Gi"), 1.5 * 0x1p30);
    EXPECT_EQ(quantity("2G"), 2e9);
    EXPECT_EQ(quantity("2e9"), 2e9);
    EXPECT_EQ(quantity("2E+9"), 2e9);
    EXPECT_EQ(quantity("1E"), 1e18);
    EXPECT_EQ(quantity("+500m"), 0.5);
    EXPECT_EQ(quantity("-1"), -1);
}

TEST(Quantity, WhatIsNoneIsNone) {
    for (const char* text : {"", "Gi", "1 Gi", "1GiB", "1e", "1e99", "--1", "1.2.3", "e9"})
        EXPECT_EQ(quantity(text), std::nullopt) << text;
}

}  // namespace
}  // namespace sluice
