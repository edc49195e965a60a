// The definition of PhasedRollout that the binary carries, as the embedded cluster reads it: it
// takes what our own codec takes and writes, and refuses what is beyond a bound.
#include <gtest/gtest.h>

#include "api/phased_rollout/spec.hpp"
#include "api/phased_rollout/status.hpp"
#include "cli/manifests.hpp"
#include "tests/unit/api/phased_rollout/samples.hpp"
#include "tests/unit/cli/definition_file.hpp"

namespace sluice::cli {
namespace {

namespace json = boost::json;
using api::phased_rollout::testing::Change;
using api::phased_rollout::testing::changed;
using api::phased_rollout::testing::example_spec;
using api::phased_rollout::testing::json_text;

json::object schema() {
    const Result<std::string> text = manifests({.components = {"crds"}, .namespaces = {}});
    const auto documents = sim::parse_documents(text.value());
    for (const json::value& document : documents.value())
        if (document.is_object() &&
            document.at_pointer("/metadata/name") == "phasedrollouts.sts.plus")
            return document.at_pointer("/spec/versions/0/schema/openAPIV3Schema").as_object();
    ADD_FAILURE() << "there is no such definition";
    return {};
}

std::string problems_of(const std::string& spec, const std::string& status = "{}") {
    static const json::object definition = schema();
    return testing::problems_of(definition, spec, status);
}

TEST(PhasedRolloutDefinition, TakesTheDocumentsExample) {
    EXPECT_EQ(problems_of(example_spec), "");
}

TEST(PhasedRolloutDefinition, FillsInTheDefaultsThatOurReaderHas) {
    const std::string bare = R"({"targetRef":"web","check":{"query":{"expr":"up","url":"prom"}}})";
    const json::object filled = sim::with_defaults(schema(), {{"spec", json::parse(bare)}});
    model::CustomObject left_out;
    model::CustomObject written_out;
    left_out.spec = bare;
    written_out.spec = json::serialize(filled.at("spec"));
    EXPECT_NE(left_out.spec, written_out.spec);
    EXPECT_EQ(*api::phased_rollout::read_spec(left_out),
              *api::phased_rollout::read_spec(written_out));
}

TEST(PhasedRolloutDefinition, HasTheBoundsOfOurReader) {
    struct Bound {
        const char* field;
        std::string last_good;
        std::string first_bad;
    };
    const std::vector<Bound> bounds = {
        {"/targetRef", json_text(std::string(253, 'a')), json_text(std::string(254, 'a'))},
        {"/check/query/secretRef", json_text(std::string(253, 'a')),
         json_text(std::string(254, 'a'))},
        {"/check/query/expr", json_text(std::string(8192, 'a')), json_text(std::string(8193, 'a'))},
        {"/check/query/url", json_text("http://a/" + std::string(2039, 'a')),
         json_text("http://a/" + std::string(2040, 'a'))},
        {"/progressDeadlineSeconds", "2592000", "2592001"},
        {"/check/initialDelaySeconds", "604800", "604801"},
        {"/check/initialDelaySeconds", "0", "-1"},
        {"/check/periodSeconds", "86400", "86401"},
        {"/check/periodSeconds", "0", "-1"},
        {"/check/successThreshold", "1000", "1001"},
        {"/check/successThreshold", "1", "0"},
        {"/check/maxTries", "100000", "100001"},
        {"/check/failureThreshold", "100000", "100001"},
        {"/check/failureThreshold", "1", "0"},
        {"/onFailure", "\"Rollback\"", "\"Retry\""},
        {"/check/query/successOn", "\"Data\"", "\"Maybe\""},
    };
    for (const auto& [field, last_good, first_bad] : bounds) {
        // Nothing but the bound: no other rule may be in the way.
        std::vector<Change> good{{"/check/maxTries", ""}, {field, last_good}};
        std::vector<Change> bad{{"/check/maxTries", ""}, {field, first_bad}};
        EXPECT_EQ(problems_of(changed(good)), "") << field;
        EXPECT_NE(problems_of(changed(bad)), "") << field;
        EXPECT_TRUE(api::phased_rollout::testing::read(good).has_value()) << field;
        EXPECT_FALSE(api::phased_rollout::testing::read(bad).has_value()) << field;
    }
}

TEST(PhasedRolloutDefinition, TakesAReportThatIsLongerThanAllItsBounds) {
    using namespace api::phased_rollout;
    const std::string endless(5000, 'x');
    const Instant now = *parse_rfc3339("2026-01-31T12:00:00Z");
    Status status{.failed_revision = endless,
                  .retry = endless,
                  .rollout = RolloutStatus{.id = -1,
                                           .workload_uid = endless,
                                           .revision = endless,
                                           .previous_revision = endless,
                                           .partition = Partition{-1},
                                           .pod = endless,
                                           .step = endless,
                                           .updated_pods = {-1},
                                           .pods = {-1},
                                           .started = now,
                                           .step_started = now,
                                           .completed = now},
                  .check = CheckStatus{.definition = endless,
                                       .success_on = endless,
                                       .starts = now,
                                       .tries = -1,
                                       .tries_left = -1,
                                       .successes = -1,
                                       .failures = -1,
                                       .last_result = endless,
                                       .last_value = endless,
                                       .last = now,
                                       .next = now},
                  .update_revision = endless,
                  .rollout_start = now,
                  .rollout_end = now,
                  .rolling_pod = RollingPodStatus{endless, Partition{-1}, now, now, -1, -1, -1},
                  .conditions = {}};
    static_cast<api::StatusHead&>(status) = {.phase = endless,
                                             .reason = endless,
                                             .message = endless,
                                             .unblock = endless,
                                             .since = now,
                                             .observed_generation = -1,
                                             .guarantee = endless};
    for (int i = 0; i < 40; ++i)
        status.conditions.push_back(
            {"Type" + std::to_string(i), "True", endless, endless, -1, Instant{}});
    const std::string text = write_status(status);
    EXPECT_EQ(problems_of(example_spec, text), "");
    EXPECT_TRUE(testing::is_known(schema(), "status", text));
}

}  // namespace
}  // namespace sluice::cli
