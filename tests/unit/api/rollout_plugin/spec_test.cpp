#include "api/rollout_plugin/spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/dice.hpp"
#include "tests/unit/api/rollout_plugin/samples.hpp"

namespace sluice::api::rollout_plugin {
namespace {

using testing::Change;
using testing::changed;
using testing::Changes;
using testing::example_spec;
using ::testing::HasSubstr;
using testing::json_text;
using testing::read;
using testing::with_spec;

const std::string steps = "/strategy/canary/steps";
const std::string background = "/strategy/canary/analysis";
const std::string first = steps + "/0";

Step first_step(const char* step) {
    const auto spec = read({{first, step}});
    EXPECT_TRUE(spec.has_value()) << step;
    return spec ? spec->steps.at(0) : Step{};
}

TEST(RolloutPluginSpec, TheDocumentsExampleIsRead) {
    const auto spec = read({});
    ASSERT_TRUE(spec.has_value()) << to_text(spec.error());
    Spec wanted;
    wanted.workload = {"apps/v1", "StatefulSet", "my-statefulset"};
    wanted.plugin.name = "statefulset-plugin";
    for (const int weight : {20, 40, 60, 80}) {
        wanted.steps.emplace_back(SetWeight{weight});
        wanted.steps.emplace_back(Pause{5min});
    }
    wanted.steps.emplace_back(SetWeight{100});
    EXPECT_EQ(*spec, wanted);
}

TEST(RolloutPluginSpec, WhatIsLeftOutHasTheOriginalsDefaults) {
    const auto spec = read(
        {{"/onFailure", ""}, {"/strategy", R"({"canary":{}})"}, {"/workloadRef/namespace", ""}});
    ASSERT_TRUE(spec.has_value()) << to_text(spec.error());
    EXPECT_TRUE(spec->steps.empty());
    EXPECT_EQ(spec->background, std::nullopt);
    EXPECT_EQ(spec->progress_deadline, 600s);
    EXPECT_FALSE(spec->abort_at_deadline);
    EXPECT_FALSE(spec->paused);
    EXPECT_EQ(spec->on_failure, OnFailure::Hold);
    EXPECT_EQ(spec->history, (HistoryLimits{5, 5}));
    EXPECT_EQ(spec->min_ready, 0s);
    EXPECT_EQ(spec->restart_at, std::nullopt);
}

TEST(RolloutPluginSpec, ReadsTheFirstGeneration) {
    const auto spec = read({{"/paused", "true"},
                            {"/minReadySeconds", "10"},
                            {"/progressDeadlineSeconds", "900"},
                            {"/progressDeadlineAbort", "true"},
                            {"/restartAt", "8"},
                            {"/analysis", R"({"successfulRunHistoryLimit":0})"},
                            {"/plugin/url", "\"https://plugins.example/sts\""},
                            {"/plugin/sha256", json_text(std::string(64, 'a'))},
                            {"/plugin/verify", "true"},
                            {"/plugin/config", R"({"colour":"red"})"},
                            {"/onFailure", "\"Rollback\""}});
    ASSERT_TRUE(spec.has_value()) << to_text(spec.error());
    EXPECT_TRUE(spec->paused && spec->abort_at_deadline && spec->plugin.verify);
    EXPECT_EQ(spec->min_ready, 10s);
    EXPECT_EQ(spec->progress_deadline, 900s);
    EXPECT_EQ(spec->restart_at, 8);
    EXPECT_EQ(spec->history, (HistoryLimits{0, 5}));
    EXPECT_EQ(spec->plugin.url, "https://plugins.example/sts");
    EXPECT_EQ(spec->plugin.sha256, std::string(64, 'a'));
    EXPECT_EQ(spec->plugin.config, R"({"colour":"red"})");
    EXPECT_EQ(spec->on_failure, OnFailure::Rollback);
}

TEST(RolloutPluginSpec, ReadsTheSecondGenerationsDeadline) {
    const Change config{"/plugin/config", R"({"timeoutSeconds":77,"timeoutAbort":true,"a":{}})"};
    const auto spec = read({config});
    ASSERT_TRUE(spec.has_value()) << to_text(spec.error());
    EXPECT_EQ(spec->progress_deadline, 77s);
    EXPECT_TRUE(spec->abort_at_deadline);
    EXPECT_TRUE(read({config, {"/progressDeadlineSeconds", "77"}}).has_value());
    EXPECT_FALSE(read({config, {"/progressDeadlineSeconds", "78"}}).has_value());
}

TEST(RolloutPluginSpec, EveryFormOfAPauseIsRead) {
    const std::vector<std::pair<const char*, std::optional<Duration>>> rows = {
        {R"({"pause":{}})", std::nullopt},
        {R"({"pause":{"duration":null}})", std::nullopt},
        {R"({"pause":{"duration":30}})", 30s},
        {R"({"pause":{"duration":0}})", 0s},
        {R"({"pause":{"duration":"30"}})", 30s},
        {R"({"pause":{"duration":"1h30m"}})", 90min},
        {R"({"pause":{"duration":"1.5h"}})", 90min},
        {R"({"pause":{"duration":2592000}})", 720h},
    };
    for (const auto& [step, duration] : rows)
        EXPECT_EQ(first_step(step), (Step{Pause{duration}})) << step;
}

const std::string call = R"json({
  "templates": [{"templateName": "errors"}, {"templateName": "latency", "clusterScope": true}],
  "args": [{"name": "a", "value": "1"}, {"name": "b"},
           {"name": "c", "valueFrom": {"podTemplateHashValue": "Latest"}},
           {"name": "d", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['x']"}}}],
  "dryRun": [{"metricName": "*"}],
  "measurementRetention": [{"metricName": "m", "limit": 3}],
  "analysisRunMetadata": {"labels": {"l": "1"}, "annotations": {"k": "v"}}
})json";

TEST(RolloutPluginSpec, ReadsAnalyses) {
    AnalysisCall wanted;
    wanted.templates = {{"errors", false}, {"latency", true}};
    wanted.args = {{"a", "1"},
                   {"b", ""},
                   {"c", RevisionOf::Latest},
                   {"d", analysis::FieldPath{"metadata.labels['x']"}}};
    wanted.dry_run = {"*"};
    wanted.retention = {{"m", 3}};
    wanted.labels = {{"l", "1"}};
    wanted.annotations = {{"k", "v"}};
    EXPECT_EQ(first_step((R"({"analysis":)" + call + "}").c_str()), Step{wanted});

    const auto spec = read({{background, call}, {background + "/startingStep", "8"}});
    ASSERT_TRUE(spec.has_value()) << to_text(spec.error());
    EXPECT_EQ(spec->background, (BackgroundAnalysis{wanted, 8}));
}

TEST(RolloutPluginSpec, TheBuiltInPluginHasThreeNames) {
    for (const char* name : {"statefulset", "statefulset-plugin", "argoproj/statefulset"})
        EXPECT_TRUE(is_built_in(name)) << name;
    for (const char* name : {"", "Statefulset", "daemonset", "other/statefulset"})
        EXPECT_FALSE(is_built_in(name)) << name;
    EXPECT_TRUE(
        read({{"/plugin/name", "\"other\""}, {"/workloadRef/kind", "\"DaemonSet\""}}).has_value());
}

TEST(RolloutPluginSpec, UnknownFieldsAreIgnoredAndNullsAreLeftOut) {
    EXPECT_EQ(*read({{"/colour", "[1]"}, {"/strategy/canary/maxSurge", "1"}}), *read({}));
    for (const char* pointer : {"/paused", "/analysis", "/plugin/config", "/restartAt",
                                "/workloadRef/namespace", "/strategy/blueGreen"})
        EXPECT_EQ(*read({{pointer, "null"}}), *read({})) << pointer;
}

struct Bad {
    Changes changes;
    std::string field;
    const char* sentence;
};

std::vector<Bad> bad_rows() {
    const std::string step0 = "spec.strategy.canary.steps[0]";
    const std::string analysis = "spec.strategy.canary.analysis";
    const auto pause = [](const std::string& duration) {
        return Changes{{first, R"({"pause":{"duration":)" + duration + "}}"}};
    };
    const auto with_call = [](const std::string& key, const std::string& value) {
        return Changes{{background, call}, {background + key, value}};
    };
    const std::string hundred_and_one = [] {
        std::string list = "[{}";
        for (int i = 0; i < 100; ++i)
            list += ",{}";
        return list + "]";
    }();
    return {
        {{{"/workloadRef", ""}}, "spec.workloadRef", "is required"},
        {{{"/workloadRef", "\"web\""}}, "spec.workloadRef", "must be an object"},
        {{{"/workloadRef/name", ""}}, "spec.workloadRef.name", "is required"},
        {{{"/workloadRef/name", "\"Web\""}}, "spec.workloadRef.name", "name of an object"},
        {{{"/workloadRef/kind", ""}}, "spec.workloadRef.kind", "is required"},
        {{{"/workloadRef/apiVersion", "\"\""}}, "spec.workloadRef.apiVersion", "not be empty"},
        {{{"/workloadRef/namespace", "\"shop\""}},
         "spec.workloadRef.namespace",
         "must be the namespace of the RolloutPlugin"},
        {{{"/workloadRef/kind", "\"DaemonSet\""}}, "spec.workloadRef", "StatefulSet of apps/v1"},
        {{{"/workloadRef/apiVersion", "\"apps/v1beta1\""}}, "spec.workloadRef", "of apps/v1"},
        {{{"/plugin", ""}}, "spec.plugin", "is required"},
        {{{"/plugin/name", ""}}, "spec.plugin.name", "is required"},
        {{{"/plugin/url", "\"ftp://x\""}}, "spec.plugin.url", "must begin with builtin://"},
        {{{"/plugin/sha256", "\"abc\""}}, "spec.plugin.sha256", "64 hexadecimal"},
        {{{"/plugin/sha256", json_text(std::string(64, 'g'))}}, "spec.plugin.sha256", "64 hex"},
        {{{"/plugin/verify", "true"}}, "spec.plugin.sha256", "is required where verify"},
        {{{"/plugin/config", "[]"}}, "spec.plugin.config", "must be an object"},
        {{{"/plugin/config", R"({"timeoutSeconds":0})"}},
         "spec.plugin.config.timeoutSeconds",
         "from 1 to 2592000"},
        {{{"/plugin/config", R"({"timeoutAbort":"yes"})"}},
         "spec.plugin.config.timeoutAbort",
         "true or false"},
        {{{"/plugin/config", R"({"timeoutAbort":true})"}, {"/progressDeadlineAbort", "false"}},
         "spec.progressDeadlineAbort",
         "contradict"},
        {{{"/plugin/config", R"({"timeoutSeconds":7})"}, {"/progressDeadlineSeconds", "8"}},
         "spec.progressDeadlineSeconds",
         "contradict"},
        {{{"/strategy", ""}}, "spec.strategy", "is required"},
        {{{"/strategy/type", "\"BlueGreen\""}}, "spec.strategy.type", "one of"},
        {{{"/strategy/blueGreen", "{}"}}, "spec.strategy.blueGreen", "is not served"},
        {{{"/strategy/canary", ""}}, "spec.strategy.canary", "is required"},
        {{{steps, "{}"}}, "spec.strategy.canary.steps", "list of at most 100"},
        {{{steps, hundred_and_one}}, "spec.strategy.canary.steps", "list of at most 100"},
        {{{first, "7"}}, step0, "must be an object"},
        {{{first, "{}"}}, step0, "exactly one of setWeight, pause and analysis"},
        {{{first, R"({"pause":null})"}}, step0, "exactly one"},
        {{{first, R"({"setWeight":1,"pause":{}})"}}, step0, "exactly one"},
        {{{first, R"({"setCanaryScale":{"weight":1}})"}}, step0 + ".setCanaryScale", "not served"},
        {{{first, R"({"setWeight":1,"plugin":{}})"}}, step0 + ".plugin", "not served"},
        {{{first, R"({"setWeight":101})"}}, step0 + ".setWeight", "from 0 to 100"},
        {{{first, R"({"setWeight":-1})"}}, step0 + ".setWeight", "from 0 to 100"},
        {{{first, R"({"setWeight":"20"})"}}, step0 + ".setWeight", "whole number"},
        {{{first, R"({"pause":5})"}}, step0 + ".pause", "must be an object"},
        {pause("-1"), step0 + ".pause.duration", "at most 30 days"},
        {pause("2592001"), step0 + ".pause.duration", "at most 30 days"},
        {pause("1.5"), step0 + ".pause.duration", "at most 30 days"},
        {pause("\"\""), step0 + ".pause.duration", "at most 30 days"},
        {pause("\"5 m\""), step0 + ".pause.duration", "at most 30 days"},
        {pause("\"-5m\""), step0 + ".pause.duration", "at most 30 days"},
        {pause("\"721h\""), step0 + ".pause.duration", "at most 30 days"},
        {pause("\"2592001\""), step0 + ".pause.duration", "at most 30 days"},
        {pause("true"), step0 + ".pause.duration", "at most 30 days"},
        {{{first, R"({"analysis":{}})"}}, step0 + ".analysis.templates", "is required"},
        {{{first, R"({"analysis":{"templates":[]}})"}}, step0 + ".analysis.templates", "one entry"},
        {with_call("/templates/0", "{}"), analysis + ".templates[0].templateName", "is required"},
        {with_call("/args/1", R"({"name":"a"})"), analysis + ".args[1].name", "is there twice"},
        {with_call("/args/0/valueFrom", R"({"podTemplateHashValue":"Stable"})"),
         analysis + ".args[0].valueFrom", "exclude each other"},
        {with_call("/args/2/valueFrom", "{}"), analysis + ".args[2].valueFrom", "exactly one of"},
        {with_call("/args/2/valueFrom", R"({"podTemplateHashValue":"Old"})"),
         analysis + ".args[2].valueFrom.podTemplateHashValue", "one of Stable, Latest"},
        {with_call("/dryRun/0", "{}"), analysis + ".dryRun[0].metricName", "is required"},
        {with_call("/measurementRetention/0", R"({"metricName":"m"})"),
         analysis + ".measurementRetention[0].limit", "is required"},
        {with_call("/analysisRunMetadata/labels", R"({"l":7})"),
         analysis + ".analysisRunMetadata.labels", "at most 32 texts"},
        {with_call("/startingStep", "9"), analysis + ".startingStep", "never begin"},
        {with_call("/startingStep", "-1"), analysis + ".startingStep", "from 0 to 100"},
        {{{"/restartAt", "9"}}, "spec.restartAt", "number of a step"},
        {{{"/restartAt", "-1"}}, "spec.restartAt", "from 0 to 99"},
        {{{"/onFailure", "\"Retry\""}}, "spec.onFailure", "one of Hold, Rollback"},
        {{{"/paused", "\"yes\""}}, "spec.paused", "true or false"},
        {{{"/minReadySeconds", "86401"}}, "spec.minReadySeconds", "from 0 to 86400"},
        {{{"/progressDeadlineSeconds", "0"}}, "spec.progressDeadlineSeconds", "from 1"},
        {{{"/analysis", R"({"successfulRunHistoryLimit":101})"}},
         "spec.analysis.successfulRunHistoryLimit",
         "from 0 to 100"},
    };
}

TEST(RolloutPluginSpec, ABadValueIsRefusedWithOneSentenceThatNamesTheField) {
    for (const Bad& row : bad_rows()) {
        const auto spec = read(row.changes);
        ASSERT_FALSE(spec.has_value()) << row.field << " " << row.sentence;
        ASSERT_EQ(spec.error().size(), 1U) << to_text(spec.error());
        EXPECT_EQ(spec.error()[0].field, row.field);
        EXPECT_THAT(spec.error()[0].what, HasSubstr(row.sentence));
    }
}

TEST(RolloutPluginSpec, OfManyFaultsSixteenAreNamed) {
    std::string list = "[{}";
    for (int i = 1; i < 50; ++i)
        list += ",{}";
    EXPECT_EQ(read({{steps, list + "]"}}).error().size(), 16U);
}

TEST(RolloutPluginSpec, ThatIsNoObjectIsRefused) {
    for (const char* text : {"", "null", "[]", "7", "{", "{}}", "\xff"}) {
        const auto spec = read_spec(with_spec(text));
        ASSERT_FALSE(spec.has_value()) << text;
        EXPECT_EQ(spec.error()[0].field, "spec") << text;
    }
}

TEST(RolloutPluginSpec, AByteThatFlippedGivesASpecOrASentence) {
    Dice dice{17};
    const std::string whole = changed({{background, call}});
    for (int round = 0; round < 10; ++round) {
        for (std::size_t at = 0; at < whole.size(); ++at) {
            std::string broken = whole;
            broken[at] = static_cast<char>(dice.roll());
            const auto spec = read_spec(with_spec(broken));
            if (!spec) EXPECT_FALSE(to_text(spec.error()).empty());
        }
    }
}

TEST(RolloutPluginSpec, WhatAHostileAuthorWritesIsNotRepeated) {
    const auto spec = read({{"/workloadRef/name", "\"evil\\u001b[31m\""},
                            {"/onFailure", "\"evil\""},
                            {"/plugin/url", "\"evil://x\""},
                            {first, R"({"pause":{"duration":"evil"}})"}});
    ASSERT_FALSE(spec.has_value());
    EXPECT_THAT(to_text(spec.error()), ::testing::Not(HasSubstr("evil")));
}

}  // namespace
}  // namespace sluice::api::rollout_plugin
