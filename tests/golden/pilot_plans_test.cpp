// What a subscription to the pilot means, pod by pod, as text.
#include "api/pilot/decide.hpp"
#include "tests/golden/golden.hpp"
#include "tests/golden/plans.hpp"

namespace sluice::golden {
namespace {

TEST(Golden, ThePlansOfThePilotReadAsTheyShould) {
    std::string text;
    for (const int replicas : {1, 3, 7})
        text += told(api::pilot::compile({"careful", false}, PodCount{replicas}, 30s),
                     PodCount{replicas}) +
                "\n";
    expect_golden("tests/golden/pilot_plans.golden", text);
}

}  // namespace
}  // namespace sluice::golden
