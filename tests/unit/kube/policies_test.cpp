#include "kube/policies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace sluice::kube {
namespace {

namespace json = boost::json;

const char* two = R"(# A policy.
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: sluice-gate
spec:
  failurePolicy: Fail
  matchConditions:
    - {name: steered, expression: a == b}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata:
  name: sluice-gate
spec:
  policyName: sluice-gate
)";

TEST(Policies, AreFoundInAManifestWithTheirPlaces) {
    const auto wanted = policies_in(two);
    ASSERT_EQ(wanted.size(), 2u);
    EXPECT_EQ(wanted[0].title, "ValidatingAdmissionPolicy sluice-gate");
    EXPECT_EQ(wanted[0].path,
              "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/sluice-gate");
    EXPECT_EQ(wanted[1].path,
              "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings/sluice-gate");
    EXPECT_EQ(wanted[1].spec.at("policyName"), "sluice-gate");
}

TEST(Policies, WhatTheServerAddsIsNoDifference) {
    const json::value wanted = policies_in(two)[0].spec;
    const json::value found = json::parse(R"({"failurePolicy":"Fail","matchConstraints":{},
        "matchConditions":[{"name":"steered","expression":"a == b","more":1}]})");
    EXPECT_TRUE(says_all(found, wanted));
}

TEST(Policies, WhatIsMissingChangedOrMoreIsADifference) {
    const json::value wanted = policies_in(two)[0].spec;
    for (
        const char* found :
        {R"({})", R"({"failurePolicy":"Fail"})",
         R"({"failurePolicy":"Ignore","matchConditions":[{"name":"steered","expression":"a == b"}]})",
         R"({"failurePolicy":"Fail","matchConditions":[{"name":"steered","expression":"true"}]})",
         R"({"failurePolicy":"Fail","matchConditions":[]})",
         R"({"failurePolicy":"Fail","matchConditions":[{"name":"steered","expression":"a == b"},
              {"name":"never","expression":"false"}]})",
         R"([])", R"("Fail")"})
        EXPECT_FALSE(says_all(json::parse(found), wanted)) << found;
}

}  // namespace
}  // namespace sluice::kube
