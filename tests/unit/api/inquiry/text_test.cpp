#include "api/inquiry/text.hpp"

#include <gtest/gtest.h>

namespace sluice::api {
namespace {

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
