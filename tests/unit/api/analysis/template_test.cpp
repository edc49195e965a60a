#include "api/analysis/template.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/dice.hpp"
#include "tests/unit/api/analysis/samples.hpp"

namespace sluice::api::analysis {
namespace {

using api::testing::json_text;
using api::testing::with_spec;
using testing::changed;
using testing::Changes;
using testing::example_spec;
using ::testing::HasSubstr;
using testing::read;

const std::string metric = "/metrics/0";
const std::string span = metric + "/provider/prometheus/rangeQuery";
const std::string client = metric + "/provider/prometheus/authentication/oauth2";

Provider provider(const std::string& json) {
    const auto found = read({{metric + "/provider", json}});
    EXPECT_TRUE(found.has_value()) << json;
    return found ? found->metrics.at(0).provider : Provider{};
}

TEST(AnalysisTemplate, EveryPartIsRead) {
    const auto found = read({});
    ASSERT_TRUE(found.has_value()) << to_text(found.error());
    EXPECT_EQ(found->args, (std::vector<Argument>{{"service", NotGiven{}},
                                                  {"port", "9090"},
                                                  {"token", SecretKey{"prom", "token"}},
                                                  {"region", FieldPath{"metadata.labels['r']"}}}));
    EXPECT_EQ(found->dry_run, std::vector<std::string>{"web"});
    EXPECT_EQ(found->retention, (std::vector<Retention>{{"*", 20}}));
    EXPECT_EQ(found->templates, (std::vector<TemplateRef>{{"common", true}}));
    ASSERT_EQ(found->metrics.size(), 4U);

    const Metric& rate = found->metrics[0];
    EXPECT_EQ(rate.name, "success-rate");
    EXPECT_EQ(rate.interval, Written<Duration>{5min});
    EXPECT_EQ(rate.initial_delay, Written<Duration>{30s});
    EXPECT_EQ(rate.count, Written<int>{3});
    EXPECT_EQ(rate.success_condition, "result[0] >= 0.95");
    EXPECT_EQ(rate.failure_condition, "result[0] < 0.5");
    EXPECT_EQ(rate.failure_limit, Written<int>{3});
    EXPECT_EQ(rate.inconclusive_limit, Written<int>{2});
    EXPECT_EQ(rate.consecutive_error_limit, Written<int>{Placeholder{"{{args.errors}}"}});
    EXPECT_EQ(rate.consecutive_success_limit, Written<int>{4});
    EXPECT_EQ(
        rate.provider,
        Provider{(Prometheus{"http://prom:{{args.port}}",
                             "up",
                             {{"X-Scope-OrgID", "a"}},
                             40s,
                             true,
                             OAuth2{"https://id/token", "me", "{{args.token}}", {"a"}},
                             RangeQuery{"now() - duration('5m')", "now()", Duration{1min}}})});
    EXPECT_EQ(found->metrics[1].provider, Provider{(Web{Method::Post,
                                                        "http://shop/{{args.service}}",
                                                        {{"Authorization", "{{args.token}}"}},
                                                        R"({"a":[1]})",
                                                        true,
                                                        20s,
                                                        "{$.data}",
                                                        false})});
    EXPECT_EQ(found->metrics[2].provider,
              Provider{(Job{R"({"labels":{"a":"b"}})", R"({"template":{"spec":{}}})"})});
    EXPECT_EQ(found->metrics[3].provider, Provider{Unserved{"datadog"}});
    EXPECT_EQ(found->metrics[3].source,
              R"({"name":"dog","provider":{"datadog":{"query":"avg:x","apiVersion":"v2"}}})");
}

TEST(AnalysisTemplate, WhatIsLeftOutHasTheOriginalsDefaults) {
    const auto found = read_template(
        with_spec(R"({"metrics":[{"name":"m","provider":{"prometheus":{"query":"up"}}}]})"));
    ASSERT_TRUE(found.has_value()) << to_text(found.error());
    Metric wanted;
    wanted.name = "m";
    wanted.provider = Prometheus{"", "up", {}, 30s, false};
    wanted.source = R"({"name":"m","provider":{"prometheus":{"query":"up"}}})";
    EXPECT_EQ(found->metrics.at(0), wanted);
    EXPECT_EQ(wanted.consecutive_error_limit, Written<int>{4});
    EXPECT_EQ(std::get<Web>(provider(R"({"web":{"url":"u"}})")).timeout, 10s);
    EXPECT_EQ(std::get<Web>(provider(R"({"web":{"url":"u","method":""}})")).method, Method::Get);
}

TEST(AnalysisTemplate, WhatIsNotServedIsReadByName) {
    for (const char* name : {"kayenta", "datadog", "wavefront", "newRelic", "cloudWatch",
                             "graphite", "influxdb", "skywalking", "plugin"})
        EXPECT_EQ(provider("{\"" + std::string{name} + "\":{}}"), Provider{Unserved{name}});
    for (const char* field : {"region", "profile", "roleArn"}) {
        const std::string ways =
            R"("authentication":{"sigv4":{")" + std::string{field} + R"(":"x"}})";
        EXPECT_EQ(provider(R"({"prometheus":{"query":"up",)" + ways + "}}"),
                  Provider{Unserved{"prometheus.authentication.sigv4"}});
        EXPECT_EQ(provider(R"({"web":{"url":"u",)" + ways + "}}"),
                  Provider{Unserved{"web.authentication.sigv4"}});
    }
}

TEST(AnalysisTemplate, AWebServerMayWantATokenToo) {
    const Provider web =
        provider(R"({"web":{"url":"u","authentication":{"oauth2":{"tokenUrl":"t","clientId":"i",)"
                 R"("clientSecret":"s"}}}})");
    EXPECT_EQ(std::get<Web>(web).oauth2, (OAuth2{"t", "i", "s", {}}));
}

TEST(AnalysisTemplate, AuthenticationThatNobodyFilledInIsNone) {
    for (const std::string none :
         {"null", "{}", R"({"oauth2":{},"sigv4":{}})",
          R"({"oauth2":{"tokenUrl":"","scopes":["a"]},"sigv4":{"region":""}})"})
        EXPECT_EQ(provider(R"({"prometheus":{"query":"up","rangeQuery":null,"authentication":)" +
                           none + "}}"),
                  Provider{(Prometheus{"", "up", {}})})
            << none;
}

TEST(AnalysisTemplate, ArgumentsMayStandWhereNumbersAndDurationsDo) {
    const auto found = read({{metric + "/interval", "\"{{args.i}}\""},
                             {metric + "/initialDelay", "\"{{ args.d }}s\""},
                             {metric + "/count", "\"{{args.c}}\""},
                             {metric + "/failureLimit", "\"{{args.f}}\""},
                             {metric + "/consecutiveSuccessLimit", "0"},
                             {span + "/start", "\"{{args.from}}\""},
                             {span + "/step", "\"{{args.s}}\""}});
    ASSERT_TRUE(found.has_value()) << to_text(found.error());
    const Metric& rate = found->metrics[0];
    EXPECT_EQ(rate.interval, Written<Duration>{Placeholder{"{{args.i}}"}});
    EXPECT_EQ(rate.initial_delay, Written<Duration>{Placeholder{"{{ args.d }}s"}});
    EXPECT_EQ(rate.count, Written<int>{Placeholder{"{{args.c}}"}});
    EXPECT_EQ(rate.failure_limit, Written<int>{Placeholder{"{{args.f}}"}});
    EXPECT_EQ(std::get<Prometheus>(rate.provider).range,
              (RangeQuery{"{{args.from}}", "now()", Placeholder{"{{args.s}}"}}));
}

TEST(AnalysisTemplate, AnyNumberMayFailWhereSuccessesInARowAreAskedFor) {
    for (const char* any : {"-1", "\"-1\""}) {
        const auto found = read({{metric + "/failureLimit", any}});
        ASSERT_TRUE(found.has_value()) << to_text(found.error());
        EXPECT_EQ(found->metrics[0].failure_limit, Written<int>{-1});
        EXPECT_EQ(found->metrics[0].consecutive_success_limit, Written<int>{4});
    }
}

TEST(AnalysisTemplate, ACountOfZeroIsNone) {
    for (const char* zero : {"0", "\"0\"", "null"})
        EXPECT_EQ(read({{metric + "/count", zero}})->metrics[0].count, std::nullopt) << zero;
}

TEST(AnalysisTemplate, OthersMayBringTheMetrics) {
    EXPECT_TRUE(read({{"/metrics", ""}}).has_value());
    EXPECT_TRUE(read({{"/metrics", "[]"}}).has_value());
}

struct Bad {
    Changes changes;
    std::string field;
    const char* sentence;
};

std::vector<Bad> bad_rows() {
    const std::string at = "spec.metrics[0]";
    const std::string long_text = json_text(std::string(8193, 'x'));
    const std::string oauth2 = at + ".provider.prometheus.authentication.oauth2";
    const std::string range = at + ".provider.prometheus.rangeQuery";
    const auto with_provider = [](const char* json) {
        return Changes{{metric + "/provider", json}};
    };
    return {
        {{{"/metrics", ""}, {"/templates", ""}}, "spec.metrics", "unless templates brings some"},
        {{{"/metrics", "[]"}, {"/templates", "[]"}}, "spec.metrics", "is required"},
        {{{"/metrics", "{}"}}, "spec.metrics", "list of at most 64"},
        {{{metric, "7"}}, at, "must be an object"},
        {{{metric + "/name", ""}}, at + ".name", "is required"},
        {{{metric + "/name", "\"web\""}}, "spec.metrics[1].name", "is there twice"},
        {{{metric + "/interval", "\"5\""}}, at + ".interval", "duration of at most 720h"},
        {{{metric + "/interval", "5"}}, at + ".interval", "must be a text"},
        {{{metric + "/interval", ""}}, at + ".interval", "required where count is more than 1"},
        {{{metric + "/initialDelay", "\"721h\""}}, at + ".initialDelay", "at most 720h"},
        {{{metric + "/count", "-1"}}, at + ".count", "from 0 to 100000"},
        {{{metric + "/count", "1.5"}}, at + ".count", "whole number"},
        {{{metric + "/count", "\"many\""}}, at + ".count", "whole number"},
        {{{metric + "/failureLimit", "-2"}}, at + ".failureLimit", "from -1 to 100000"},
        {{{metric + "/failureLimit", "\"9999999999\""}}, at + ".failureLimit", "from -1"},
        {{{metric + "/failureLimit", "-1"}, {metric + "/consecutiveSuccessLimit", ""}},
         at + ".failureLimit",
         "the metric could not fail"},
        {{{metric + "/failureLimit", "4"}}, at + ".count", "not be less than failureLimit"},
        {{{metric + "/inconclusiveLimit", "\"4\""}}, at + ".count", "or inconclusiveLimit"},
        {{{metric + "/inconclusiveLimit", "-1"}}, at + ".inconclusiveLimit", "from 0 to 100000"},
        {{{metric + "/consecutiveErrorLimit", "-1"}}, at + ".consecutiveErrorLimit", "from 0"},
        {{{metric + "/consecutiveSuccessLimit", "\"-1\""}},
         at + ".consecutiveSuccessLimit",
         "from 0 to 100000"},
        {{{metric + "/consecutiveErrorLimit", "true"}}, at + ".consecutiveErrorLimit", "whole"},
        {{{metric + "/successCondition", long_text}}, at + ".successCondition", "8192"},
        {{{metric + "/provider", ""}}, at + ".provider", "is required"},
        {with_provider("{}"), at + ".provider", "exactly one entry"},
        {with_provider(R"({"frobnicate":{}})"), at + ".provider", "exactly one entry"},
        {with_provider(R"({"web":{"url":"u"},"job":{}})"), at + ".provider", "exactly one entry"},
        {with_provider(R"({"datadog":7})"), at + ".provider.datadog", "must be an object"},
        {with_provider(R"({"prometheus":{}})"), at + ".provider.prometheus.query", "is required"},
        {with_provider(R"({"prometheus":{"query":"up","timeout":301}})"),
         at + ".provider.prometheus.timeout", "from 0 to 300"},
        {with_provider(R"({"prometheus":{"query":"up","headers":[{"key":"a"}]}})"),
         at + ".provider.prometheus.headers[0].value", "is required"},
        {with_provider(R"({"prometheus":{"query":"up","authentication":7}})"),
         at + ".provider.prometheus.authentication", "must be an object"},
        {{{client + "/tokenUrl", ""}}, oauth2 + ".tokenUrl", "is required"},
        {{{client + "/clientId", ""}}, oauth2 + ".clientId", "is required"},
        {{{client + "/clientSecret", ""}}, oauth2 + ".clientSecret", "is required"},
        {{{client + "/scopes", "\"a\""}}, oauth2 + ".scopes", "list of at most 32 texts"},
        {{{client + "/scopes/0", "7"}}, oauth2 + ".scopes", "of at most 256 characters"},
        {{{metric + "/provider/prometheus/headers/0/key", "\"AUTHORIZATION\""}},
         at + ".provider.prometheus.authentication",
         "a header Authorization exclude each other"},
        {{{span + "/start", ""}}, range + ".start", "is required"},
        {{{span + "/start", "\"soon\""}}, range + ".start", "must be a time such as now()"},
        {{{span + "/end", ""}}, range + ".end", "is required"},
        {{{span + "/step", ""}}, range + ".step", "is required"},
        {{{span + "/step", "\"0s\""}}, range + ".step", "at least 1ms"},
        {{{span + "/step", "\"1d\""}}, range + ".step", "must be a duration"},
        {with_provider(R"({"web":{}})"), at + ".provider.web.url", "is required"},
        {with_provider(R"({"web":{"url":"u","method":"PATCH"}})"), at + ".provider.web.method",
         "one of"},
        {with_provider(R"({"web":{"url":"u","body":"b"}})"), at + ".provider.web.method", "POST"},
        {with_provider(R"({"web":{"url":"u","method":"PUT","body":"b","jsonBody":{}}})"),
         at + ".provider.web.jsonBody", "exclude each other"},
        {with_provider(R"({"job":{}})"), at + ".provider.job.spec", "is required"},
        {with_provider(R"({"job":{"spec":{}}})"), at + ".provider.job.spec.template", "required"},
        {{{"/args/0", "{}"}}, "spec.args[0].name", "is required"},
        {{{"/args/0", R"({"name":"port"})"}}, "spec.args[1].name", "is there twice"},
        {{{"/args/2/value", "\"x\""}}, "spec.args[2].valueFrom", "exclude each other"},
        {{{"/args/2/valueFrom", "{}"}}, "spec.args[2].valueFrom", "exactly one of secretKeyRef"},
        {{{"/args/2/valueFrom", R"({"secretKeyRef":{"name":"a"}})"}},
         "spec.args[2].valueFrom.secretKeyRef.key",
         "is required"},
        {{{"/args/2/valueFrom", R"({"fieldRef":7})"}},
         "spec.args[2].valueFrom.fieldRef",
         "must be an object"},
        {{{"/dryRun/0", R"({"metricName":""})"}}, "spec.dryRun[0].metricName", "not be empty"},
        {{{"/measurementRetention/0/limit", "1001"}},
         "spec.measurementRetention[0].limit",
         "from 0 to 1000"},
        {{{"/templates/0/templateName", "\"A\""}},
         "spec.templates[0].templateName",
         "name of an object"},
    };
}

TEST(AnalysisTemplate, ABadValueIsRefusedWithOneSentenceThatNamesTheField) {
    for (const Bad& row : bad_rows()) {
        const auto found = read(row.changes);
        ASSERT_FALSE(found.has_value()) << row.field << " " << row.sentence;
        ASSERT_EQ(found.error().size(), 1U) << to_text(found.error());
        EXPECT_EQ(found.error()[0].field, row.field);
        EXPECT_THAT(found.error()[0].what, HasSubstr(row.sentence));
    }
}

TEST(AnalysisTemplate, AByteThatFlippedGivesATemplateOrASentence) {
    Dice dice{23};
    for (int round = 0; round < 5; ++round) {
        for (std::size_t at = 0; at < example_spec.size(); ++at) {
            std::string broken = example_spec;
            broken[at] = static_cast<char>(dice.roll());
            const auto found = read_template(with_spec(broken));
            if (!found) EXPECT_FALSE(to_text(found.error()).empty());
        }
    }
}

}  // namespace
}  // namespace sluice::api::analysis
