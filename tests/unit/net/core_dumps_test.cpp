#include "net/core_dumps.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <cstdlib>

namespace sluice::net {
namespace {

TEST(CoreDumpsDeathTest, AreNotWritten) {
    const auto allowed = [] {
        forbid_core_dumps();
        rlimit limit{1, 1};
        getrlimit(RLIMIT_CORE, &limit);
        std::exit(prctl(PR_GET_DUMPABLE) + static_cast<int>(limit.rlim_cur + limit.rlim_max));
    };
    EXPECT_EXIT(allowed(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace sluice::net
