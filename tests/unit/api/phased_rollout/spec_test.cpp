#include "api/phased_rollout/spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/dice.hpp"
#include "tests/unit/api/phased_rollout/samples.hpp"

namespace sluice::api::phased_rollout {
namespace {

using testing::Change;
using testing::changed;
using testing::example_spec;
using ::testing::HasSubstr;
using testing::json_text;
using testing::read;
using testing::with_spec;

using Changes = std::vector<Change>;

const Change deadline_of(const char* seconds) {
    return {"/progressDeadlineSeconds", seconds};
}

TEST(Spec, TheDocumentsExampleIsRead) {
    const auto spec = read_spec(with_spec(example_spec));
    ASSERT_TRUE(spec.has_value()) << to_text(spec.error());
    Spec wanted;
    wanted.target = "web";
    wanted.check.initial_delay = wanted.check.period = 30s;
    wanted.check.max_tries = 10;
    wanted.check.query.expr = "up{}";
    wanted.check.query.url = "prom:9000/xx";
    wanted.check.query.secret = "prom-secret";
    EXPECT_EQ(*spec, wanted);
}

TEST(Spec, WhatIsLeftOutHasTheOriginalsDefaults) {
    const model::CustomObject object =
        with_spec(R"({"targetRef":"web","check":{"query":{"expr":"up","url":"prom"}}})");
    const auto spec = read_spec(object);
    ASSERT_TRUE(spec.has_value()) << to_text(spec.error());
    EXPECT_FALSE(spec->skip_check);
    EXPECT_EQ(spec->on_failure, OnFailure::Hold);
    EXPECT_EQ(spec->progress_deadline, std::nullopt);
    EXPECT_EQ(spec->check.initial_delay, 60s);
    EXPECT_EQ(spec->check.period, 60s);
    EXPECT_EQ(spec->check.success_threshold, 3);
    EXPECT_EQ(spec->check.max_tries, std::nullopt);
    EXPECT_EQ(spec->check.failure_threshold, std::nullopt);
    EXPECT_EQ(spec->check.query.success_on, SuccessOn::NoData);
    EXPECT_EQ(read_spec(object, SuccessOn::Data)->check.query.success_on, SuccessOn::Data)
        << "where the spec does not say, the operator does";
}

TEST(Spec, ReadsWhatIsOurs) {
    const auto spec = read({{"/onFailure", "\"Rollback\""},
                            deadline_of("91"),
                            {"/check/failureThreshold", "4"},
                            {"/check/query/successOn", "\"Data\""},
                            {"/check/query/caSecretRef", "\"ca\""},
                            {"/check/query/url", "\"https://prom\""}});
    ASSERT_TRUE(spec.has_value()) << to_text(spec.error());
    EXPECT_EQ(spec->on_failure, OnFailure::Rollback);
    EXPECT_EQ(spec->progress_deadline, 91s);
    EXPECT_EQ(spec->check.failure_threshold, 4);
    EXPECT_EQ(spec->check.query.success_on, SuccessOn::Data);
    EXPECT_EQ(spec->check.query.ca_secret, "ca");
}

TEST(Spec, StandardRollingUpdateIsAnotherNameOfSkipCheck) {
    const auto skips = [](const Changes& changes) {
        const auto spec = read(changes);
        EXPECT_TRUE(spec.has_value());
        return spec && spec->skip_check;
    };
    EXPECT_TRUE(skips({{"/skipCheck", "true"}}));
    EXPECT_TRUE(skips({{"/skipCheck", ""}, {"/standardRollingUpdate", "true"}}));
    EXPECT_TRUE(skips({{"/skipCheck", "true"}, {"/standardRollingUpdate", "true"}}));
    EXPECT_FALSE(skips({{"/skipCheck", ""}}));
    EXPECT_FALSE(skips({{"/standardRollingUpdate", "false"}}));
}

TEST(Spec, APeriodOfZeroIsTheDefaultAndADelayOfZeroIsNone) {
    const auto spec = read({{"/check/periodSeconds", "0"}, {"/check/initialDelaySeconds", "0"}});
    ASSERT_TRUE(spec.has_value());
    EXPECT_EQ(spec->check.period, 60s);
    EXPECT_EQ(spec->check.initial_delay, 0s);
}

TEST(Spec, UnknownFieldsAreIgnored) {
    EXPECT_EQ(*read({{"/rollback", "true"}, {"/check/query/headers", "{\"a\":[1]}"}}), *read({}));
}

TEST(Spec, NullsAreLeftOut) {
    for (const char* pointer : {"/skipCheck", "/check/periodSeconds", "/check/maxTries",
                                "/check/query/secretRef", "/check/query/successOn"})
        EXPECT_EQ(*read({{pointer, "null"}}), *read({{pointer, ""}})) << pointer;
}

TEST(Spec, GoodValuesAreTaken) {
    const std::vector<Changes> rows = {
        {{"/targetRef", "\"a.b-c.0\""}},
        {{"/targetRef", json_text(std::string(253, 'a'))}},
        {{"/check/query/secretRef", "\"\""}},
        {{"/check/query/expr", json_text(std::string(8192, 'x'))}},
        {{"/check/initialDelaySeconds", "604800"}},
        {{"/check/initialDelaySeconds", "30.0"}},
        {{"/check/periodSeconds", "86400"}},
        {{"/check/maxTries", "3"}},
        {{"/check/maxTries", "100000"}},
        {{"/check/successThreshold", "10"}},
        {{"/check/failureThreshold", "10"}},
        {deadline_of("91")},
        {deadline_of("151"), {"/check/periodSeconds", "0"}},
        {deadline_of("2592000")},
    };
    for (const Changes& row : rows) {
        const auto spec = read(row);
        EXPECT_TRUE(spec.has_value()) << row[0].pointer << ": " << to_text(spec.error());
    }
}

struct Bad {
    Changes changes;
    const char* field;
    const char* sentence;
};

const std::vector<Bad> bad_rows = {
    {{{"/targetRef", ""}}, "spec.targetRef", "is required"},
    {{{"/targetRef", "null"}}, "spec.targetRef", "is required"},
    {{{"/targetRef", "\"\""}}, "spec.targetRef", "must not be empty"},
    {{{"/targetRef", "7"}}, "spec.targetRef", "must be a text"},
    {{{"/targetRef", "\"Web\""}}, "spec.targetRef", "must be the name of an object"},
    {{{"/targetRef", "\"a..b\""}}, "spec.targetRef", "must be the name of an object"},
    {{{"/targetRef", "\"a.\""}}, "spec.targetRef", "must be the name of an object"},
    {{{"/targetRef", "\"-a\""}}, "spec.targetRef", "must be the name of an object"},
    {{{"/targetRef", "\"shop/web\""}}, "spec.targetRef", "must be the name of an object"},
    {{{"/targetRef", "\"web\\u0000\""}}, "spec.targetRef", "must be the name of an object"},
    {{{"/targetRef", json_text(std::string(254, 'a'))}}, "spec.targetRef", "at most 253"},
    {{{"/skipCheck", "\"false\""}}, "spec.skipCheck", "must be true or false"},
    {{{"/skipCheck", "0"}}, "spec.skipCheck", "must be true or false"},
    {{{"/standardRollingUpdate", "true"}}, "spec.standardRollingUpdate", "contradict"},
    {{{"/onFailure", "\"hold\""}}, "spec.onFailure", "must be one of Hold, Rollback"},
    {{{"/onFailure", "[]"}}, "spec.onFailure", "must be one of Hold, Rollback"},
    {{deadline_of("0")}, "spec.progressDeadlineSeconds", "from 1 to 2592000"},
    {{deadline_of("2592001")}, "spec.progressDeadlineSeconds", "from 1 to 2592000"},
    {{deadline_of("90")}, "spec.progressDeadlineSeconds", "must be more than 90"},
    {{deadline_of("150"), {"/check/periodSeconds", "0"}}, "spec.progressDeadlineSeconds", "150"},
    {{{"/check", ""}}, "spec.check", "is required"},
    {{{"/check", "[]"}}, "spec.check", "must be an object"},
    {{{"/check/query", ""}}, "spec.check.query", "is required"},
    {{{"/check/query", "\"up\""}}, "spec.check.query", "must be an object"},
    {{{"/check/initialDelaySeconds", "-1"}}, "spec.check.initialDelaySeconds", "from 0 to 604800"},
    {{{"/check/initialDelaySeconds", "604801"}}, "spec.check.initialDelaySeconds", "from 0"},
    {{{"/check/initialDelaySeconds", "1.5"}}, "spec.check.initialDelaySeconds", "whole number"},
    {{{"/check/initialDelaySeconds", "\"30\""}}, "spec.check.initialDelaySeconds", "whole number"},
    {{{"/check/initialDelaySeconds", "1e99"}}, "spec.check.initialDelaySeconds", "whole number"},
    {{{"/check/periodSeconds", "18446744073709551615"}}, "spec.check.periodSeconds", "whole"},
    {{{"/check/periodSeconds", "86401"}}, "spec.check.periodSeconds", "from 0 to 86400"},
    {{{"/check/maxTries", "0"}}, "spec.check.maxTries", "from 1 to 100000"},
    {{{"/check/maxTries", "true"}}, "spec.check.maxTries", "whole number"},
    {{{"/check/maxTries", "2"}}, "spec.check.successThreshold", "maxTries allows only 2 checks"},
    {{{"/check/maxTries", "2"}, {"/check/successThreshold", ""}},
     "spec.check.successThreshold",
     "is 3, but maxTries allows only 2 checks"},
    {{{"/check/successThreshold", "0"}}, "spec.check.successThreshold", "from 1 to 1000"},
    {{{"/check/successThreshold", "1001"}}, "spec.check.successThreshold", "from 1 to 1000"},
    {{{"/check/failureThreshold", "0"}}, "spec.check.failureThreshold", "from 1 to 100000"},
    {{{"/check/failureThreshold", "11"}}, "spec.check.failureThreshold", "never be reached"},
    {{{"/check/query/expr", ""}}, "spec.check.query.expr", "is required"},
    {{{"/check/query/expr", "\" \""}}, "spec.check.query.expr", "holds no expression"},
    {{{"/check/query/expr", "\"up{\""}},
     "spec.check.query.expr",
     "'{' at position 3 is never closed"},
    {{{"/check/query/expr", json_text(std::string(8193, 'x'))}}, "spec.check.query.expr", "8192"},
    {{{"/check/query/url", ""}}, "spec.check.query.url", "is required"},
    {{{"/check/query/url", "9090"}}, "spec.check.query.url", "must be a text"},
    {{{"/check/query/url", "\"ftp://x\""}}, "spec.check.query.url", "must begin with http://"},
    {{{"/check/query/url", json_text(std::string(2049, 'x'))}}, "spec.check.query.url", "2048"},
    {{{"/check/query/successOn", "\"data\""}}, "spec.check.query.successOn", "NoData, Data"},
    {{{"/check/query/secretRef", "\"a b\""}}, "spec.check.query.secretRef", "name of an object"},
    {{{"/check/query/secretRef", "{}"}}, "spec.check.query.secretRef", "must be a text"},
    {{{"/check/query/caSecretRef", "\"ca\""}}, "spec.check.query.caSecretRef", "https://"},
    {{{"/check/query/caSecretRef", "\"ca\""},
      {"/check/query/url", "\"https://p\""},
      {"/check/query/insecureSkipVerify", "true"}},
     "spec.check.query.insecureSkipVerify",
     "leave one of them out"},
    {{{"/check/query/insecureSkipVerify", "\"yes\""}},
     "spec.check.query.insecureSkipVerify",
     "must be true or false"},
};

TEST(Spec, ABadValueIsRefusedWithOneSentenceThatNamesTheField) {
    for (const Bad& row : bad_rows) {
        const auto spec = read(row.changes);
        ASSERT_FALSE(spec.has_value()) << row.field << " " << row.sentence;
        ASSERT_EQ(spec.error().size(), 1U) << to_text(spec.error());
        EXPECT_EQ(spec.error()[0].field, row.field);
        EXPECT_THAT(spec.error()[0].what, HasSubstr(row.sentence));
    }
}

TEST(Spec, EveryFaultIsNamedAtOnce) {
    const auto spec =
        read({{"/targetRef", ""}, {"/check/maxTries", "0"}, {"/check/query/url", "\"a b\""}});
    ASSERT_FALSE(spec.has_value());
    EXPECT_EQ(to_text(spec.error()),
              "spec.targetRef: is required. spec.check.maxTries: must be a whole number from 1 to "
              "100000. spec.check.query.url: the host is neither a DNS name nor an IP "
              "address.");
}

TEST(Spec, ThatIsNoObjectIsRefused) {
    for (const char* text : {"", "null", "[]", "7", "{", "{\"targetRef\":", "{}}", "\xff"}) {
        const auto spec = read_spec(with_spec(text));
        ASSERT_FALSE(spec.has_value()) << text;
        EXPECT_EQ(spec.error()[0].field, "spec") << text;
    }
}

TEST(Spec, AByteThatFlippedGivesASpecOrASentence) {
    Dice dice{11};
    for (int round = 0; round < 20; ++round) {
        for (std::size_t at = 0; at < example_spec.size(); ++at) {
            std::string broken = example_spec;
            broken[at] = static_cast<char>(dice.roll());
            const auto spec = read_spec(with_spec(broken));
            if (!spec) EXPECT_FALSE(to_text(spec.error()).empty());
        }
    }
}

TEST(Spec, AHundredThousandBracketsAreRefused) {
    EXPECT_FALSE(read_spec(with_spec(std::string(100'000, '['))).has_value());
    std::string deep;
    for (int i = 0; i < 100'000; ++i)
        deep += "{\"check\":";
    EXPECT_FALSE(read_spec(with_spec(deep)).has_value());
}

TEST(Spec, WhatAHostileAuthorWritesIsNotRepeated) {
    const auto spec = read({{"/targetRef", "\"evil\\u001b[31m\""},
                            {"/onFailure", "\"evil\""},
                            {"/check/query/url", "\"http://evil:secret@prom\""}});
    ASSERT_FALSE(spec.has_value());
    EXPECT_THAT(to_text(spec.error()), ::testing::Not(HasSubstr("evil")));
}

TEST(Definition, ChangesWithEveryPartOfTheCheckAndWithNothingElse) {
    const std::string before = definition_of(read({})->check);
    EXPECT_EQ(before.size(), 16U);
    for (const Changes& row : std::vector<Changes>{{{"/check/initialDelaySeconds", "31"}},
                                                   {{"/check/periodSeconds", "31"}},
                                                   {{"/check/maxTries", "11"}},
                                                   {{"/check/successThreshold", "2"}},
                                                   {{"/check/failureThreshold", "2"}},
                                                   {{"/check/query/expr", "\"down\""}},
                                                   {{"/check/query/url", "\"prom\""}},
                                                   {{"/check/query/secretRef", "\"s\""}},
                                                   {{"/check/query/successOn", "\"Data\""}},
                                                   {{"/check/query/insecureSkipVerify", "true"}}})
        EXPECT_NE(definition_of(read(row)->check), before) << row[0].pointer;
    for (const Changes& row : std::vector<Changes>{{{"/targetRef", "\"db\""}},
                                                   {{"/skipCheck", "true"}},
                                                   {{"/onFailure", "\"Rollback\""}}})
        EXPECT_EQ(definition_of(read(row)->check), before) << row[0].pointer;
}

}  // namespace
}  // namespace sluice::api::phased_rollout
