// The definitions of templates and runs, as the embedded cluster reads them: they take what our own
// codecs take and write, keep what they do not know of providers, and agree with one another.
#include <gtest/gtest.h>

#include "api/analysis/run.hpp"
#include "tests/unit/api/analysis/samples.hpp"
#include "tests/unit/cli/definition_file.hpp"

namespace sluice::cli {
namespace {

namespace json = boost::json;
using api::analysis::testing::changed;
using api::analysis::testing::Changes;
using api::analysis::testing::example_spec;
using api::testing::json_text;
using testing::is_known;
using testing::problems_of;
using testing::schema_in;

const char* const of_templates = "analysistemplates.argoproj.io.yaml";
const char* const of_cluster_templates = "clusteranalysistemplates.argoproj.io.yaml";
const char* const of_runs = "analysisruns.argoproj.io.yaml";

json::value field_of(const char* file, const std::string& name) {
    return json::value(schema_in(file)).at_pointer("/properties/spec/properties/" + name);
}

TEST(AnalysisDefinitions, SayTheSameOfWhatTheyShare) {
    EXPECT_EQ(schema_in(of_templates).at("properties").at("spec"),
              schema_in(of_cluster_templates).at("properties").at("spec"));
    for (const char* part : {"metrics", "args", "dryRun", "measurementRetention"})
        EXPECT_EQ(field_of(of_templates, part), field_of(of_runs, part)) << part;
}

TEST(AnalysisDefinitions, KeepEveryPartOfATemplate) {
    for (const char* file : {of_templates, of_cluster_templates}) {
        EXPECT_EQ(problems_of(schema_in(file), example_spec), "") << file;
        EXPECT_TRUE(is_known(schema_in(file), "spec", example_spec)) << file;
    }
}

TEST(AnalysisDefinitions, HaveTheBoundsOfOurReader) {
    struct Bound {
        std::string field;
        std::string last_good;
        std::string first_bad;
    };
    const std::string web = "/metrics/1/provider/web";
    const std::string prometheus = "/metrics/0/provider/prometheus";
    const std::string client = prometheus + "/authentication/oauth2";
    const auto text = [](std::size_t length) { return json_text(std::string(length, 'a')); };
    const auto blanks = [](std::size_t count) {
        return json_text("now()" + std::string(count, ' '));
    };
    const std::vector<Bound> bounds = {
        {"/metrics/0/name", text(253), text(254)},
        {"/metrics/0/successCondition", text(8192), text(8193)},
        {"/metrics/0/failureCondition", text(8192), text(8193)},
        {prometheus + "/address", text(2048), text(2049)},
        {prometheus + "/query", text(8192), text(8193)},
        {prometheus + "/query", text(1), text(0)},
        {prometheus + "/timeout", "300", "301"},
        {prometheus + "/timeout", "0", "-1"},
        {prometheus + "/rangeQuery/start", blanks(251), blanks(252)},
        {prometheus + "/rangeQuery/end", blanks(251), blanks(252)},
        {prometheus + "/rangeQuery/end", blanks(0), text(0)},
        {client + "/tokenUrl", text(2048), text(2049)},
        {client + "/clientId", text(4096), text(4097)},
        {client + "/clientSecret", text(4096), text(4097)},
        {client + "/scopes/0", text(256), text(257)},
        {web + "/url", text(2048), text(2049)},
        {web + "/jsonPath", text(1024), text(1025)},
        {web + "/timeoutSeconds", "300", "301"},
        {web + "/method", "\"PUT\"", "\"DELETE\""},
        {"/args/1/value", text(4096), text(4097)},
        {"/measurementRetention/0/limit", "1000", "1001"},
        {"/templates/0/templateName", text(253), text(254)},
    };
    const json::object schema = schema_in(of_templates);
    for (const auto& [field, last_good, first_bad] : bounds) {
        const Changes good{{field, last_good}};
        const Changes bad{{field, first_bad}};
        EXPECT_EQ(problems_of(schema, changed(good)), "") << field;
        EXPECT_NE(problems_of(schema, changed(bad)), "") << field;
        EXPECT_TRUE(api::analysis::testing::read(good).has_value()) << field;
        EXPECT_FALSE(api::analysis::testing::read(bad).has_value()) << field;
    }
}

TEST(AnalysisDefinitions, TakeTheRunsThatWeWrite) {
    using namespace api::analysis;
    const json::object schema = schema_in(of_runs);
    RunSpec spec = *read_run_spec(api::testing::with_spec(changed({{"/templates", ""}})));
    spec.terminate = true;
    spec.time_to_live = {1s, 2s, 3s};
    const std::string endless(5000, 'x');
    const Instant now = *parse_rfc3339("2026-01-31T12:00:00Z");
    const Measurement one{Phase::Error, endless, endless, now, now, now, {{endless, endless}}};
    RunStatus status{.phase = Phase::Error,
                     .message = endless,
                     .started = now,
                     .completed = now,
                     .summary = {1, 1, 1, 1, 1},
                     .dry_run_summary = {1, 1, 1, 1, 1},
                     .results = {}};
    status.results.assign(70,
                          {endless, Phase::Failed, endless, true, 1, 1, 1, 1, 1, 1, 1, {one, one}});
    const std::string written = write_run_spec(spec);
    const std::string report = write_run_status(status);
    EXPECT_EQ(problems_of(schema, written, report), "");
    EXPECT_TRUE(is_known(schema, "spec", written));
    EXPECT_TRUE(is_known(schema, "status", report));
}

}  // namespace
}  // namespace sluice::cli
