#include "base/percent.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(PercentEncoding, LeavesOnlyWhatMeansItself) {
    EXPECT_EQ(percent_encoded("aZ09-._~"), "aZ09-._~");
    EXPECT_EQ(percent_encoded("a b&c=d+e/?#%"), "a%20b%26c%3Dd%2Be%2F%3F%23%25");
    EXPECT_EQ(percent_encoded("\xc3\xbc\r\n"), "%C3%BC%0D%0A");
    EXPECT_EQ(percent_encoded(std::string_view("\0", 1)), "%00");
}

}  // namespace
}  // namespace sluice
