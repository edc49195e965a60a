#include "cli/older_servers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr KubeVersion today{1, 36};
constexpr KubeVersion before{1, 35};

TEST(OlderServers, GetEveryRuleButThoseWithTheWord) {
    const std::string text = R"(properties:
  count:
    maxLength: 3
    x-kubernetes-validations:
      - rule: >-
          string(self) == '1' ||
          self == 2
        message: count must be 1.
      - rule: self != 7
        message: count must not be 7.
  name:
    x-kubernetes-validations:
      - rule: string(self) != ''
        message: name must not be empty.
    type: string
)";
    EXPECT_EQ(without_rules_with("string(self", text), R"(properties:
  count:
    maxLength: 3
    x-kubernetes-validations:
      - rule: self != 7
        message: count must not be 7.
  name:
    type: string
)");
    EXPECT_EQ(without_rules_with("nowhere", text), text);
}

TEST(OlderServers, GetDefinitionsThatTheyCanAfford) {
    const auto older = text_for_older("crds", before);
    ASSERT_TRUE(older.has_value());
    EXPECT_THAT(*older, HasSubstr("name: rolloutplugins.argoproj.io\n"));
    EXPECT_THAT(*older, HasSubstr("# Kubernetes 1.35 cannot bound"));
    EXPECT_THAT(*older, HasSubstr("interval must be a duration of at most 720h")) << "kept";
    EXPECT_THAT(*older, Not(HasSubstr("string(self")));
    EXPECT_EQ(text_for_older("crds", today), std::nullopt);
}

TEST(OlderServers, GetTheirOwnPoliciesAndTheSameRights) {
    EXPECT_TRUE(text_for_older("policies", before).has_value());
    EXPECT_EQ(text_for_older("policies", today), std::nullopt);
    EXPECT_EQ(text_for_older("rbac", before), std::nullopt);
}

}  // namespace
}  // namespace sluice::cli
