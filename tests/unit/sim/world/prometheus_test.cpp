#include "sim/world/prometheus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::sim {
namespace {

using ::testing::HasSubstr;

const Instant noon{1'790'000'000'000};

api::Ask asking(const std::string& expression, const std::string& method = "GET") {
    api::Ask ask;
    ask.method = method;
    ask.url = "http://prom:9090/x/api/v1/query";
    if (method == "GET")
        ask.url += "?query=" + expression;
    else
        ask.body = "query=" + expression;
    return ask;
}

class PrometheusTest : public ::testing::Test {
  protected:
    PrometheusTest() {
        prometheus.set("up", {{"job", "db"}}, 1);
        prometheus.set("up", {{"job", "web"}}, 0);
    }
    std::string answer(const std::string& expression) const {
        const auto said = prometheus.answer(asking(expression), noon);
        return said ? std::to_string(said->status) + " " + said->body : said.error().message;
    }
    // How many series the query gives.
    std::size_t count(const std::string& expression) const {
        const std::string said = answer(expression);
        std::size_t found = 0;
        for (auto at = said.find("\"metric\""); at != said.npos;
             at = said.find("\"metric\"", at + 1))
            ++found;
        return found;
    }

    Prometheus prometheus;
};

TEST_F(PrometheusTest, GivesTheSeriesThatAQuerySelects) {
    EXPECT_EQ(count("up"), 2u);
    EXPECT_EQ(count("up%7B%7D"), 2u);
    EXPECT_EQ(count("up%7Bjob%3D%22db%22%7D"), 1u);
    EXPECT_EQ(count("up%7Bjob!%3D%22db%22%7D"), 1u);
    EXPECT_EQ(count("up+%3D%3D+0"), 1u);
    EXPECT_EQ(count("up+%3E+1"), 0u);
    EXPECT_EQ(count("down"), 0u);
    EXPECT_EQ(count("absent(down)"), 1u);
    EXPECT_EQ(count("absent(up)"), 0u);
    EXPECT_EQ(count("vector(1)"), 1u);
    EXPECT_THAT(answer("count(up)"), HasSubstr("\"2\""));
    EXPECT_THAT(answer("42"), HasSubstr("\"resultType\":\"scalar\""));
}

TEST_F(PrometheusTest, GivesTheSamplesOfASpan) {
    const auto over = [&](const std::string& span) {
        api::Ask ask = asking("up%7Bjob%3D%22db%22%7D", "POST");
        ask.url += "_range";
        ask.body += span;
        return prometheus.answer(ask, noon)->body;
    };
    EXPECT_THAT(over("&start=0.500&end=60.500&step=30"),
                HasSubstr(R"("values":[[5E-1,"1"],[3.05E1,"1"],[6.05E1,"1"]])"));
    EXPECT_THAT(over("&start=7&end=7&step=30"), HasSubstr(R"("resultType":"matrix")"));
    for (const char* none :
         {"", "&start=1&end=0&step=1", "&start=0&end=1&step=0", "&start=0&end=11001&step=1"})
        EXPECT_THAT(over(none), HasSubstr("bad_data")) << none;
}

TEST_F(PrometheusTest, SaysWhatItCannotRead) {
    for (const char* nonsense : {"", "up%7B", "up+==", "(((", "up+up", "1+%3E+2"})
        EXPECT_THAT(answer(nonsense), HasSubstr("400 {\"status\":\"error\"")) << nonsense;
}

TEST_F(PrometheusTest, AValueThatIsSetAgainChanges) {
    prometheus.set("up", {{"job", "web"}}, 1);
    EXPECT_EQ(count("up+%3D%3D+0"), 0u);
    prometheus.forget("up");
    EXPECT_EQ(count("up"), 0u);
}

TEST_F(PrometheusTest, CanBeInAnyMood) {
    prometheus.mood = Prometheus::Mood::Down;
    EXPECT_EQ(answer("up"), "connection refused");
    prometheus.mood = Prometheus::Mood::Slow;
    EXPECT_THAT(answer("up"), HasSubstr("deadline"));
    prometheus.mood = Prometheus::Mood::Broken;
    EXPECT_THAT(answer("up"), HasSubstr("503"));
    prometheus.mood = Prometheus::Mood::Babbling;
    EXPECT_THAT(answer("up"), HasSubstr("200 {\"status\":\"succ"));
}

TEST_F(PrometheusTest, WantsItsToken) {
    prometheus.token = "secret";
    EXPECT_THAT(answer("up"), HasSubstr("401"));
    api::Ask ask = asking("up", "POST");
    ask.headers.push_back({"Authorization", Redacted{"Bearer secret"}});
    EXPECT_EQ(prometheus.answer(ask, noon)->status, 200);
}

}  // namespace
}  // namespace sluice::sim
