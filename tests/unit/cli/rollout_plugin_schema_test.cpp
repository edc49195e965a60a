// The definition of RolloutPlugin, as the embedded cluster reads it: it takes what our own codec
// takes and writes, and refuses what is beyond a bound. Rules in CEL are for the real API server.
#include <gtest/gtest.h>

#include "api/rollout_plugin/spec.hpp"
#include "api/rollout_plugin/status.hpp"
#include "tests/unit/api/rollout_plugin/samples.hpp"
#include "tests/unit/cli/definition_file.hpp"

namespace sluice::cli {
namespace {

namespace json = boost::json;
using api::rollout_plugin::testing::changed;
using api::rollout_plugin::testing::Changes;
using api::rollout_plugin::testing::example_spec;
using api::rollout_plugin::testing::json_text;
using testing::is_known;
using testing::problems_of;

const json::object& schema() {
    static const json::object definition = testing::schema_in("rolloutplugins.argoproj.io.yaml");
    return definition;
}

TEST(RolloutPluginDefinition, TakesTheDocumentsExample) {
    EXPECT_EQ(problems_of(schema(), example_spec), "");
    EXPECT_TRUE(is_known(schema(), "spec", example_spec));
}

TEST(RolloutPluginDefinition, FillsInTheDefaultsThatOurReaderHas) {
    const std::string bare = changed({{"/onFailure", ""}, {"/strategy/type", ""}});
    const json::object filled = sim::with_defaults(schema(), {{"spec", json::parse(bare)}});
    const std::string written_out = json::serialize(filled.at("spec"));
    EXPECT_NE(bare, written_out);
    const auto read = [](const std::string& spec) {
        return api::rollout_plugin::read_spec(api::rollout_plugin::testing::with_spec(spec));
    };
    EXPECT_EQ(*read(bare), *read(written_out));
}

TEST(RolloutPluginDefinition, HasTheBoundsOfOurReader) {
    struct Bound {
        std::string field;
        std::string last_good;
        std::string first_bad;
    };
    const std::string step = "/strategy/canary/steps/0";
    const auto text = [](std::size_t length) { return json_text(std::string(length, 'a')); };
    const auto call = [](const std::string& extra) {
        return R"({"analysis":{"templates":[{"templateName":"a"}],)" + extra + "}}";
    };
    const auto argument = [&](std::size_t length) {
        return call(R"("args":[{"name":"a","value":)" + text(length) + "}]");
    };
    const auto keeps = [&](const char* limit) {
        return call(R"("measurementRetention":[{"metricName":"a","limit":)" + std::string{limit} +
                    "}]");
    };
    const auto steps = [](std::size_t count) {
        std::string list = R"([{"setWeight":1})";
        for (std::size_t i = 1; i < count; ++i)
            list += R"(,{"setWeight":1})";
        return list + "]";
    };
    const std::vector<Bound> bounds = {
        {"/workloadRef/name", text(253), text(254)},
        {"/plugin/name", text(253), text(254)},
        {"/plugin/url", json_text("http://" + std::string(2041, 'a')),
         json_text("http://" + std::string(2042, 'a'))},
        {"/plugin/sha256", text(64), text(63)},
        {"/strategy/canary/steps", steps(100), steps(101)},
        {step, R"({"setWeight":100})", R"({"setWeight":101})"},
        {step, R"({"setWeight":0})", R"({"setWeight":-1})"},
        {step, argument(4096), argument(4097)},
        {step, keeps("1000"), keeps("1001")},
        {"/progressDeadlineSeconds", "2592000", "2592001"},
        {"/progressDeadlineSeconds", "1", "0"},
        {"/minReadySeconds", "86400", "86401"},
        {"/analysis", R"({"successfulRunHistoryLimit":100})",
         R"({"successfulRunHistoryLimit":101})"},
        {"/analysis", R"({"unsuccessfulRunHistoryLimit":0})",
         R"({"unsuccessfulRunHistoryLimit":-1})"},
        {"/onFailure", "\"Rollback\"", "\"Retry\""},
        {"/strategy/type", "\"\"", "\"BlueGreen\""},
    };
    for (const auto& [field, last_good, first_bad] : bounds) {
        const Changes good{{field, last_good}};
        const Changes bad{{field, first_bad}};
        EXPECT_EQ(problems_of(schema(), changed(good)), "") << field;
        EXPECT_NE(problems_of(schema(), changed(bad)), "") << field;
        EXPECT_TRUE(api::rollout_plugin::testing::read(good).has_value()) << field;
        EXPECT_FALSE(api::rollout_plugin::testing::read(bad).has_value()) << field;
    }
}

TEST(RolloutPluginDefinition, TakesAReportThatIsLongerThanAllItsBounds) {
    using namespace api::rollout_plugin;
    const std::string endless(5000, 'x');
    const Instant now = *parse_rfc3339("2026-01-31T12:00:00Z");
    const RunReport run{endless, endless, endless};
    Status status{.current_revision = endless,
                  .updated_revision = endless,
                  .step = 1000,
                  .step_complete = true,
                  .initialized = true,
                  .in_progress = true,
                  .commands = {true, true, true, 4},
                  .pause = {true, {}, false, now},
                  .abort = {true, endless, now},
                  .restart = {1, now, 1},
                  .replicas = {{-1}, {-1}, {-1}, {-1}},
                  .step_run = run,
                  .background_run = run,
                  .rollout = RolloutStatus{.id = -1,
                                           .workload_uid = endless,
                                           .partition = Partition{-1},
                                           .weight = 1000,
                                           .pod = endless,
                                           .definition = endless,
                                           .started = now,
                                           .step_started = now,
                                           .completed = now},
                  .conditions = {}};
    static_cast<api::StatusHead&>(status) = {.phase = endless,
                                             .reason = endless,
                                             .message = endless,
                                             .unblock = endless,
                                             .since = now,
                                             .observed_generation = -1,
                                             .guarantee = endless};
    for (int i = 0; i < 40; ++i) {
        status.pause.conditions.push_back({endless, now});
        status.conditions.push_back(
            {"Type" + std::to_string(i), "True", endless, endless, now, now});
    }
    const std::string text = write_status(status);
    EXPECT_EQ(problems_of(schema(), example_spec, text), "");
    EXPECT_TRUE(is_known(schema(), "status", text));
}

}  // namespace
}  // namespace sluice::cli
