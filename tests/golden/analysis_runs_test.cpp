// What templates become: the run that is created, field by field, or why there is none.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/rollout_plugin/run_object.hpp"
#include "tests/golden/golden.hpp"
#include "tests/unit/api/analysis/samples.hpp"
#include "tests/unit/api/analysis/template_shelf.hpp"

namespace sluice::golden {
namespace {

namespace json = boost::json;
using namespace api::analysis;
using api::analysis::testing::TemplateShelf;
using api::rollout_plugin::run_body;
using api::rollout_plugin::RunPurpose;

// JSON with one value on each line.
void print(std::string& out, const json::value& value, const std::string& indent) {
    const bool is_object = value.is_object() && !value.get_object().empty();
    const bool is_array = value.is_array() && !value.get_array().empty();
    if (!is_object && !is_array) {
        out += " " + json::serialize(value) + "\n";
        return;
    }
    out += "\n";
    if (is_object)
        for (const auto& [key, member] : value.get_object()) {
            out += fmt::format("{}{}:", indent, std::string_view{key});
            print(out, member, indent + "  ");
        }
    if (is_array)
        for (const json::value& item : value.get_array()) {
            out += indent + "-";
            print(out, item, indent + "  ");
        }
}

std::string told(const TemplateShelf& shelf, const TemplateUse& use, std::optional<int> step) {
    const auto spec = shelf.compose(use);
    if (!spec) return "refused: " + to_text(spec.error()) + "\n\n";
    RunPurpose purpose{"shop", "web", "web-uid", "web-5d8f", step};
    std::string text = "the run:";
    print(text, json::parse(run_body(purpose, *spec)), "  ");
    return text + "\n";
}

// The example of the tests, with the metrics that are served.
std::string served() {
    json::value spec = json::parse(api::analysis::testing::changed(
        {{"/metrics/0/consecutiveErrorLimit", "\"{{args.errors}}\""}}));
    spec.as_object()["metrics"].as_array().pop_back();
    spec.as_object()["args"].as_array()[3] =
        json::parse(R"({"name":"region","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}})");
    return json::serialize(spec);
}

TEST(Golden, TemplatesBecomeTheRunsTheyShould) {
    const TemplateShelf shelf{
        {{"example"}, served()},
        {{"common", true},
         R"({"args":[{"name":"errors","value":"2"}],"metrics":[{"name":"ready",)"
         R"("provider":{"web":{"url":"https://shop/ready"}}}],)"
         R"("dryRun":[{"metricName":"ready"}]})"},
        {{"dog"}, api::analysis::testing::changed({{"/templates", ""}})}};
    std::string text = "A step that uses a template, which names another\n";
    text += told(shelf, {{{"example"}}, {{"service", "front"}}, {}, {}}, 2);
    text += "In the background, with rules of the user\n";
    text +=
        told(shelf, {{{"common", true}}, {{"errors", "5"}}, {".*"}, {{"ready", 3}}}, std::nullopt);
    text += "Without a value for an argument\n";
    text += told(shelf, {{{"example"}}, {}, {}, {}}, 0);
    text += "With a provider that is not served\n";
    text += told(
        shelf, {{{"dog"}, {"common", true}}, {{"service", "front"}, {"region", "eu"}}, {}, {}}, 0);
    text += "With a template that is not there\n";
    text += told(shelf, {{{"nobody"}}, {}, {}, {}}, 0);
    expect_golden("tests/golden/analysis_runs.golden", text);
}

}  // namespace
}  // namespace sluice::golden
