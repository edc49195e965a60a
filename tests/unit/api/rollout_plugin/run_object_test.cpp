#include "api/rollout_plugin/run_object.hpp"

#include <gtest/gtest.h>

#include "base/names.hpp"
#include "tests/unit/api/analysis/run_world.hpp"

namespace sluice::api::rollout_plugin {
namespace {

using namespace analysis;
using namespace analysis::testing;

RunPurpose purpose(std::optional<int> step) {
    return {"shop", "db", "rp-uid", "db-7f9c", step};
}

TEST(RunObject, TheNameSaysWhatTheRunIsFor) {
    RunPurpose first = purpose(2);
    EXPECT_EQ(run_name(first), "db-db-7f9c-84222325-2");
    EXPECT_EQ(run_name(purpose(std::nullopt)), "db-db-7f9c-84222325");
    RunPurpose again = first;
    again.occasion = "another rollout";
    EXPECT_NE(run_name(again), run_name(first));
}

TEST(RunObject, ANameThatIsTooLongOrUnfitIsShortenedAndStaysItsOwn) {
    RunPurpose one = purpose(1);
    one.rollout = std::string(200, 'a');
    one.revision = std::string(200, 'b');
    RunPurpose other = one;
    other.step = 2;
    EXPECT_TRUE(is_dns_subdomain(run_name(one)));
    EXPECT_EQ(run_name(one).size(), 253U);
    EXPECT_NE(run_name(one), run_name(other));
    for (const char* revision : {"", "A_B", "..", "\xff", "x/y"}) {
        RunPurpose odd = purpose(std::nullopt);
        odd.rollout = revision;
        odd.revision = revision;
        EXPECT_TRUE(is_dns_subdomain(run_name(odd))) << run_name(odd);
    }
    EXPECT_EQ(label_value("db"), "db");
    EXPECT_TRUE(is_label_value(label_value(std::string(200, 'a'))));
}

TEST(RunObject, TheBodyCarriesLabelsOwnerAndSpec) {
    RunPurpose step = purpose(2);
    step.labels = {{"team", "a"}, {"rollout-type", "mine"}};
    step.annotations = {{"why", "so"}};
    const RunSpec spec = spec_of(R"({"name":"m","provider":{"web":{"url":"http://a"}}})");
    EXPECT_EQ(
        run_body(step, spec),
        R"({"apiVersion":"argoproj.io/v1alpha1","kind":"AnalysisRun","metadata":{)"
        R"("name":"db-db-7f9c-84222325-2","namespace":"shop","labels":{"rollout-type":"Step",)"
        R"("team":"a","rollout-plugin-name":"db","step-index":"2"},"ownerReferences":[{)"
        R"("apiVersion":"argoproj.io/v1alpha1","kind":"RolloutPlugin","name":"db",)"
        R"("uid":"rp-uid","controller":true}],"annotations":{"why":"so"}},"spec":{)"
        R"("metrics":[{"name":"m","provider":{"web":{"url":"http://a"}}}]}})");
    const std::string background = run_body(purpose(std::nullopt), spec);
    EXPECT_TRUE(background.contains(R"("rollout-type":"Background")"));
    EXPECT_FALSE(background.contains("step-index"));
}

}  // namespace
}  // namespace sluice::api::rollout_plugin
