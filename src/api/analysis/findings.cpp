#include <boost/json.hpp>
#include <charconv>
#include <cmath>

#include "api/analysis/inquire.hpp"
#include "api/analysis/json_path.hpp"
#include "api/metrics/prometheus_answer.hpp"
#include "base/utf8.hpp"

namespace sluice::api::analysis {
namespace {

namespace json = boost::json;

// A sample of an answer that was found to be one before.
Result<Value> number_of(const json::value* sample) {
    const json::array* pair = sample ? sample->if_array() : nullptr;
    if (!pair || pair->size() != 2 || !(*pair)[1].is_string())
        return failure(ErrorKind::Malformed, "Prometheus's answer holds a histogram");
    const std::string_view text = (*pair)[1].get_string();
    if (text == "NaN") return Value(std::nan(""));
    if (text == "+Inf") return Value(HUGE_VAL);
    if (text == "-Inf") return Value(-HUGE_VAL);
    double number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return Value(number);
}

Result<json::value> parsed(std::string_view body) {
    json::parse_options options;
    options.max_depth = json_depth_max;
    boost::system::error_code broken;
    json::value value = json::parse(body, broken, {}, options);
    if (broken) return failure(ErrorKind::Malformed, "the answer is not JSON");
    return value;
}

}  // namespace

Result<Value> samples_of(const Answer& answer) {
    const metrics::MetricReading reading = metrics::read_prometheus_answer(answer);
    if (reading.kind == metrics::MetricReading::Kind::Unknown)
        return failure(ErrorKind::Malformed, reading.message);
    const Result<json::value> whole = parsed(answer.body);
    if (!whole) return std::unexpected(whole.error());
    boost::system::error_code none;
    const json::value* type = whole->find_pointer("/data/resultType", none);
    const json::value* result = whole->find_pointer("/data/result", none);
    if (!type || !result || *type == "matrix")
        return failure(
            ErrorKind::Invalid,
            "Prometheus's answer is a range; an analysis needs one value of each series");
    if (*type == "scalar") return number_of(result);
    Value::Array numbers;
    for (const json::value& series : result->as_array()) {
        const Result<Value> number = number_of(series.as_object().if_contains("value"));
        if (!number) return number;
        numbers.push_back(*number);
    }
    return Value(std::move(numbers));
}

Result<Value> document_of(const Answer& answer, const std::string& json_path) {
    if (answer.status < 200 || answer.status > 299) {
        const bool is_redirect = answer.status >= 300 && answer.status < 400;
        return failure(ErrorKind::Server, "the server answered HTTP " +
                                              std::to_string(answer.status) +
                                              (is_redirect ? "; redirects are not followed" : ""));
    }
    const Result<json::value> whole = parsed(answer.body);
    if (!whole && json_path.empty()) {
        if (is_utf8(answer.body)) return Value(answer.body);
        return failure(ErrorKind::Malformed, "the answer is neither JSON nor a text in UTF-8");
    }
    if (!whole) return std::unexpected(whole.error());
    if (json_path.empty()) return to_value(*whole);
    const Result<JsonPath> path = JsonPath::parsed(json_path);
    if (!path) return failure(path.error().kind, "jsonPath " + path.error().message);
    const Result<Value> value = value_at(*path, *whole);
    if (!value) return failure(value.error().kind, "jsonPath: " + value.error().message);
    return value;
}

}  // namespace sluice::api::analysis
