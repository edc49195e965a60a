#include <fmt/format.h>

#include <boost/json.hpp>
#include <charconv>
#include <cmath>

#include "api/analysis/inquire.hpp"
#include "api/metrics/reading.hpp"
#include "base/utf8.hpp"
#include "language/json_path.hpp"
#include "model/json_text.hpp"

namespace sluice::api::analysis {
namespace {

namespace json = boost::json;

// A sample of an answer that was found to be one before.
Result<language::Value> number_of(const json::value* sample) {
    const json::array* pair = sample ? sample->if_array() : nullptr;
    if (!pair || pair->size() != 2 || !(*pair)[1].is_string())
        return failure(ErrorKind::Malformed, "Prometheus's answer holds a histogram");
    const std::string_view text = (*pair)[1].get_string();
    if (text == "NaN") return language::Value(std::nan(""));
    if (text == "+Inf") return language::Value(HUGE_VAL);
    if (text == "-Inf") return language::Value(-HUGE_VAL);
    double number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return language::Value(number);
}

// The samples of one series, as the answer holds them; a null stands for a histogram.
std::vector<const json::value*> samples_in(const json::object& series) {
    const json::value* values = series.if_contains("values");
    if (!values || series.contains("histograms")) return {series.if_contains("value")};
    std::vector<const json::value*> samples;
    for (const json::value& one : values->as_array())
        samples.push_back(&one);
    return samples;
}

}  // namespace

Result<void> is_served_by(std::string_view who, const Answer& answer) {
    if (answer.status >= 200 && answer.status <= 299) return {};
    const bool is_redirect = answer.status >= 300 && answer.status < 400;
    return failure(ErrorKind::Server,
                   fmt::format("{} answered HTTP {}{}", who, answer.status,
                               is_redirect ? "; redirects are not followed" : ""));
}

Result<json::value> json_in(const Answer& answer) {
    json::parse_options options;
    options.max_depth = language::json_depth_max;
    boost::system::error_code broken;
    json::value value = json::parse(answer.body, broken, {}, options);
    if (broken) return failure(ErrorKind::Malformed, "the answer is not JSON");
    return value;
}

Result<language::Value> samples_of(const Answer& answer) {
    const metrics::MetricReading reading = metrics::read_prometheus_answer(answer);
    if (reading.kind == metrics::MetricReading::Kind::Unknown)
        return failure(ErrorKind::Malformed, reading.message);
    const Result<json::value> whole = json_in(answer);
    if (!whole) return std::unexpected(whole.error());
    boost::system::error_code none;
    const json::value* result = whole->find_pointer("/data/result", none);
    if (model::text_at(*whole, "/data/resultType") == "scalar") return number_of(result);
    language::Value::Array numbers;
    for (const json::value& series : result->as_array()) {
        for (const json::value* sample : samples_in(series.as_object())) {
            const Result<language::Value> number = number_of(sample);
            if (!number) return number;
            numbers.push_back(*number);
        }
    }
    return language::Value(std::move(numbers));
}

Result<language::Value> document_of(const Answer& answer, const std::string& json_path) {
    if (const Result<void> served = is_served_by("the server", answer); !served)
        return std::unexpected(served.error());
    const Result<json::value> whole = json_in(answer);
    if (!whole && is_utf8(answer.body)) return language::Value(answer.body);
    if (!whole)
        return failure(ErrorKind::Malformed, "the answer is neither JSON nor a text in UTF-8");
    if (json_path.empty()) return language::to_value(*whole);
    const Result<language::JsonPath> path = language::JsonPath::parsed(json_path);
    if (!path) return failure(path.error().kind, "jsonPath " + path.error().message);
    const Result<language::Value> value = language::value_at(*path, *whole);
    if (!value) return failure(value.error().kind, "jsonPath: " + value.error().message);
    return value;
}

}  // namespace sluice::api::analysis
