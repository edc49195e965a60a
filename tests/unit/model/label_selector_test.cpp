#include "model/label_selector.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace sluice::model {
namespace {

struct Row {
    const char* selector;
    bool finds;
};

TEST(LabelSelector, FindsWhatKubernetesFinds) {
    const std::map<std::string, std::string> labels{{"app", "web"}, {"tier", "a"}};
    constexpr Row rows[] = {
        {R"({})", true},
        {R"({"matchLabels":{"app":"web"}})", true},
        {R"({"matchLabels":{"app":"db"}})", false},
        {R"({"matchLabels":{"zone":"1"}})", false},
        {R"({"matchExpressions":[{"key":"tier","operator":"In","values":["a","b"]}]})", true},
        {R"({"matchExpressions":[{"key":"tier","operator":"In","values":["b"]}]})", false},
        {R"({"matchExpressions":[{"key":"tier","operator":"In"}]})", false},
        {R"({"matchExpressions":[{"key":"tier","operator":"NotIn","values":["b"]}]})", true},
        {R"({"matchExpressions":[{"key":"tier","operator":"NotIn","values":["a"]}]})", false},
        {R"({"matchExpressions":[{"key":"zone","operator":"NotIn","values":["a"]}]})", true},
        {R"({"matchExpressions":[{"key":"tier","operator":"Exists"}]})", true},
        {R"({"matchExpressions":[{"key":"zone","operator":"Exists"}]})", false},
        {R"({"matchExpressions":[{"key":"zone","operator":"DoesNotExist"}]})", true},
        {R"({"matchExpressions":[{"key":"tier","operator":"DoesNotExist"}]})", false},
        {R"({"matchExpressions":[{"key":"tier","operator":"Like","values":["a"]}]})", false},
        {R"({"matchExpressions":["tier"]})", false},
    };
    for (const Row& row : rows)
        EXPECT_EQ(selects(boost::json::parse(row.selector).as_object(), labels), row.finds)
            << row.selector;
}

}  // namespace
}  // namespace sluice::model
