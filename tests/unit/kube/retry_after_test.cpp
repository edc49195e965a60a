#include "kube/status.hpp"

#include <gtest/gtest.h>

namespace sluice::kube {
namespace {

// 1994-11-06T08:49:37Z, the date of the RFC's examples.
constexpr Instant now{784'111'777'000};

struct Case {
    const char* header;
    Duration wait;
};

const Case cases[] = {
    {"", 0s},
    {"1", 1s},
    {"30", 30s},
    {"60", 60s},
    {"0", 1s},
    {"61", 60s},
    {"86400", 60s},
    {"99999999999999999999999999", 60s},
    {"-5", 0s},
    {"+5", 0s},
    {"5.5", 0s},
    {"soon", 0s},
    {" 5", 0s},
    {"Sun, 06 Nov 1994 08:49:47 GMT", 10s},
    {"Sun, 06 Nov 1994 08:49:37 GMT", 1s},
    {"Sat, 05 Nov 1994 08:49:37 GMT", 1s},
    {"Mon, 06 Nov 2994 08:49:37 GMT", 60s},
    {"Sun, 06 Nuv 1994 08:49:47 GMT", 0s},
    {"Sun, 32 Nov 1994 08:49:47 GMT", 0s},
    {"Sun, 06 Nov 1994 08:49:47 CET", 0s},
    {"Sunday, 06-Nov-94 08:49:47 GMT", 0s},
    {"Sun Nov  6 08:49:47 1994", 0s},
};

TEST(RetryAfter, is_clamped_and_ignored_where_it_means_nothing) {
    for (const Case& one : cases)
        EXPECT_EQ(parse_retry_after(one.header, now), one.wait) << one.header;
}

}  // namespace
}  // namespace sluice::kube
