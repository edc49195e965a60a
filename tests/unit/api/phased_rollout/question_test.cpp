// What is asked, and where: the expression and the url.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/phased_rollout/endpoint.hpp"
#include "api/phased_rollout/promql.hpp"

namespace sluice::api::phased_rollout {
namespace {

using ::testing::HasSubstr;

TEST(Endpoint, IsReadWithAndWithoutAScheme) {
    const struct {
        const char* url;
        Endpoint wanted;
        const char* asked;
    } rows[] = {
        {"prom:9000/xx", {false, "prom", 9000, "/xx"}, "http://prom:9000/xx/api/v1/query"},
        {"prom", {false, "prom", 80, ""}, "http://prom:80/api/v1/query"},
        {"http", {false, "http", 80, ""}, "http://http:80/api/v1/query"},
        {"http://prom/", {false, "prom", 80, ""}, "http://prom:80/api/v1/query"},
        {"https://p.svc.:65535/a//",
         {true, "p.svc.", 65535, "/a"},
         "https://p.svc.:65535/a/api/v1/query"},
        {"https://10.0.0.1", {true, "10.0.0.1", 443, ""}, "https://10.0.0.1:443/api/v1/query"},
        {"[::1]:9", {false, "::1", 9, ""}, "http://[::1]:9/api/v1/query"},
        {"pro_m/a-._~%20;=,@:",
         {false, "pro_m", 80, "/a-._~%20;=,@:"},
         "http://pro_m:80/a-._~%20;=,@:/api/v1/query"},
        {"prom/api/v1/query_range",
         {false, "prom", 80, "/api/v1/query_range"},
         "http://prom:80/api/v1/query_range/api/v1/query"},
        {"prom//x", {false, "prom", 80, "//x"}, "http://prom:80//x/api/v1/query"},
    };
    for (const auto& row : rows) {
        const auto endpoint = read_endpoint(row.url);
        ASSERT_TRUE(endpoint.has_value()) << row.url << ": " << endpoint.error();
        EXPECT_EQ(*endpoint, row.wanted) << row.url;
        EXPECT_EQ(query_url(*endpoint), row.asked);
    }
}

TEST(Endpoint, RefusesWhatTheDefinitionRefusesWithTheSameSentence) {
    const struct {
        const char* sentence;
        std::vector<std::string> urls;
    } rows[] = {
        {"must begin with http:// or https://", {"ftp://prom", "prom://x", "HTTP://prom", "://x"}},
        {"must not carry a user name", {"http://me:secret@prom", "me@prom/x", "@prom"}},
        {"must have no query", {"prom?x=1", "prom/x?", "http://prom/#x", "prom#"}},
        {"must not end in /api/v1/query",
         {"http://prom/api/v1/query", "prom:90/x/api/v1/query/", "prom/api/v1/query//"}},
        {"must be a host",
         {"",
          " ",
          "http://",
          "http:///x",
          ":9090",
          "/xx",
          "prom:",
          "prom:0",
          "prom:09",
          "prom:65536",
          "prom:99999999999",
          "prom:-1",
          "prom:9090:1",
          "prom x",
          "prom\n",
          "prom/a b",
          "prom\\x",
          "prom/\r\nHost: evil",
          "pr\xc3\xb6m",
          "[::1",
          "[::1]x",
          "[]",
          "[::g]",
          "-prom",
          "prom-",
          ".",
          "prom..",
          std::string("prom\0", 5)}},
    };
    for (const auto& row : rows) {
        for (const std::string& url : row.urls) {
            const auto endpoint = read_endpoint(url);
            ASSERT_FALSE(endpoint.has_value()) << url;
            EXPECT_THAT(endpoint.error(), HasSubstr(row.sentence)) << url;
        }
    }
}

TEST(PromQl, BalancedExpressionsPass) {
    for (const char* text :
         {"up{}", "x", "sum(rate(a{b=\"}\"}[5m])) by (c) > 0", "a{b='\\'('}", "a{b=`\\`}",
          " up \n == 0 ", "up # a ( in a comment\n", "# first\nup", "a{b=\"\\\\\"}"})
        EXPECT_EQ(promql_problem(text), std::nullopt) << text;
}

TEST(PromQl, UnbalancedOrEmptyOnesSayWhatIsWrong) {
    const struct {
        const char* text;
        const char* sentence;
    } rows[] = {
        {"", "it is blank"},
        {" \t\r\n", "it is blank"},
        {"# only a comment", "it is blank"},
        {"up{", "a { is never closed"},
        {"sum(a[5m)", "a ) closes nothing"},
        {"a)", "a ) closes nothing"},
        {"(a", "a ( is never closed"},
        {"a{b=\"c}", "a \" is never closed"},
        {"a{b=\"c\\\"}", "a \" is never closed"},
        {"a{b='", "a ' is never closed"},
        {"a{b=`c}", "a ` is never closed"},
        {"a{b=\"\\", "a \" is never closed"},
    };
    for (const auto& row : rows) {
        const auto problem = promql_problem(row.text);
        ASSERT_TRUE(problem.has_value()) << row.text;
        EXPECT_THAT(*problem, HasSubstr(row.sentence)) << row.text;
    }
}

}  // namespace
}  // namespace sluice::api::phased_rollout
