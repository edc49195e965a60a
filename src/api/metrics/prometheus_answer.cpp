#include "api/metrics/reading.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <expected>
#include <limits>
#include <string_view>

namespace sluice::api::metrics {

namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

// An answer needs 6; the rest is for what newer versions may add beside the fields we read.
constexpr std::size_t depth_max = 32;

// The Error completes the sentence "Prometheus's answer ...".
template <class T>
using Read = std::expected<T, std::string>;

std::unexpected<std::string> wrong(std::string what) {
    return std::unexpected(std::move(what));
}

// The members of these names. A reader that keeps the last of two equal keys would let an answer
// say two things, so the members are walked one by one.
template <std::size_t N>
Read<std::array<std::optional<element>, N>> members(object from,
                                                    const std::array<std::string_view, N>& names) {
    std::array<std::optional<element>, N> found;
    for (const auto& [key, value] : from) {
        const auto name = std::ranges::find(names, key);
        if (name == names.end()) continue;
        std::optional<element>& place = found[static_cast<std::size_t>(name - names.begin())];
        if (place) return wrong("gives " + std::string(*name) + " twice");
        place = value;
    }
    return found;
}

std::string_view text_of(const std::optional<element>& value) {
    std::string_view text;
    if (!value || value->get(text) != simdjson::SUCCESS) return {};
    return text;
}

// The elements of a list of exactly two.
std::optional<std::array<element, 2>> pair_of(element value) {
    array items;
    if (value.get(items) != simdjson::SUCCESS || items.size() != 2) return std::nullopt;
    return std::array{items.at(0).value_unsafe(), items.at(1).value_unsafe()};
}

// As Go prints a float: "NaN", "+Inf", "-Inf", or decimal with or without an exponent.
std::optional<double> number_of(std::string_view text) {
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "+Inf") return std::numeric_limits<double>::infinity();
    if (text == "-Inf") return -std::numeric_limits<double>::infinity();
    const auto is_numeric = [](char c) {
        return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
    };
    if (text.size() > 400 || !std::ranges::all_of(text, is_numeric)) return std::nullopt;
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc{} || stop != end) return std::nullopt;
    return number;
}

Read<double> read_sample(element value) {
    const auto pair = pair_of(value);
    std::string_view text;
    if (!pair || !(*pair)[0].is_number() || (*pair)[1].get(text) != simdjson::SUCCESS) {
        return wrong("holds a sample that is not a time and a value");
    }
    const std::optional<double> number = number_of(text);
    if (!number) return wrong("holds a value that is not a number");
    return *number;
}

Read<void> check_histogram(element value) {
    const auto pair = pair_of(value);
    if (pair && (*pair)[0].is_number() && (*pair)[1].is_object()) return {};
    return wrong("holds a histogram that is not a time and buckets");
}

using First = std::optional<double>;  // nothing: it is a histogram

Read<First> read_instant(std::optional<element> value, std::optional<element> histogram) {
    if (value.has_value() == histogram.has_value()) {
        return wrong("holds a series that is not one value");
    }
    if (value) return read_sample(*value);
    if (const Read<void> checked = check_histogram(*histogram); !checked) {
        return wrong(checked.error());
    }
    return First{};
}

Read<First> read_range(std::optional<element> values, std::optional<element> histograms) {
    array samples, buckets;
    if ((values && values->get(samples) != simdjson::SUCCESS) ||
        (histograms && histograms->get(buckets) != simdjson::SUCCESS)) {
        return wrong("holds a series that is not a list of values");
    }
    First first;
    std::size_t count = 0;
    if (values) {
        for (const element value : samples) {
            const Read<double> sample = read_sample(value);
            if (!sample) return wrong(sample.error());
            if (count++ == 0) first = *sample;
        }
    }
    if (histograms) {
        for (const element value : buckets) {
            if (const Read<void> checked = check_histogram(value); !checked) {
                return wrong(checked.error());
            }
            ++count;
        }
    }
    if (count == 0) return wrong("holds a series without a value");
    return first;
}

Read<First> read_series(element series, bool is_range) {
    constexpr std::array<std::string_view, 5> names{"metric", "value", "histogram", "values",
                                                    "histograms"};
    object fields;
    if (series.get(fields) != simdjson::SUCCESS) return wrong("holds a series that is no object");
    const auto found = members(fields, names);
    if (!found) return wrong(found.error());
    const auto& [metric, value, histogram, values, histograms] = *found;
    if (!metric || !metric->is_object()) return wrong("holds a series without its labels");
    if (is_range ? value || histogram : values || histograms) {
        return wrong("holds a series of another type than it says");
    }
    return is_range ? read_range(values, histograms) : read_instant(value, histogram);
}

Read<MetricReading> read_list(element result, bool is_range) {
    array list;
    if (result.get(list) != simdjson::SUCCESS) return wrong("gives a result that is not a list");
    if (list.size() > series_max) return wrong("holds more than 10000 series");
    MetricReading reading{.kind = MetricReading::Kind::NoData};
    for (const element series : list) {
        const Read<First> first = read_series(series, is_range);
        if (!first) return wrong(first.error());
        if (reading.series++ == 0) reading.value = *first;
        reading.kind = MetricReading::Kind::Data;
    }
    return reading;
}

Read<MetricReading> read_data(element data) {
    constexpr std::array<std::string_view, 2> names{"resultType", "result"};
    object fields;
    if (data.get(fields) != simdjson::SUCCESS) return wrong("gives data that are no object");
    const auto found = members(fields, names);
    if (!found) return wrong(found.error());
    const auto& [type, result] = *found;
    if (!type || !result) return wrong("gives data without resultType or result");
    const std::string_view name = text_of(type);
    if (name == "vector") return read_list(*result, false);
    if (name == "matrix") return read_list(*result, true);
    if (name == "scalar") {
        const Read<double> sample = read_sample(*result);
        if (!sample) return wrong(sample.error());
        return MetricReading{.kind = MetricReading::Kind::Data, .value = *sample, .series = 1};
    }
    if (name == "string") return wrong("is a string, which is neither data nor no data");
    return wrong("gives a resultType other than vector, matrix and scalar");
}

struct Envelope {
    bool success = false;
    std::string error;  // one of Prometheus's own words; empty: none, or a word it does not have
    std::optional<element> data;
    std::size_t warnings = 0;
    bool incomplete = false;  // a warning says that not everything could be read
};

constexpr std::string_view bad_data = "bad_data";

std::string known_error(std::string_view word) {
    constexpr std::array<std::string_view, 8> known{bad_data,   "canceled",   "execution",
                                                    "internal", "not_found",  "not_acceptable",
                                                    "timeout",  "unavailable"};
    const auto found = std::ranges::find(known, word);
    return found == known.end() ? "" : std::string(*found);
}

Read<std::size_t> count_of(const std::optional<element>& notes, const std::string& name) {
    if (!notes || notes->is_null()) return 0;
    array list;
    if (notes->get(list) != simdjson::SUCCESS) return wrong("gives " + name + " that are no list");
    return list.size();
}

// Notes about the query itself begin with "PromQL". All others come from stores that could not be
// reached, and from proxies that left something out.
bool tells_of_gaps(const std::optional<element>& warnings) {
    array list;
    if (!warnings || warnings->get(list) != simdjson::SUCCESS) return false;
    return std::ranges::any_of(
        list, [](const element& one) { return !text_of(one).starts_with("PromQL "); });
}

Read<Envelope> read_envelope(element root) {
    constexpr std::array<std::string_view, 5> names{"status", "data", "errorType", "warnings",
                                                    "infos"};
    object fields;
    if (root.get(fields) != simdjson::SUCCESS) return wrong("is not a JSON object");
    const auto found = members(fields, names);
    if (!found) return wrong(found.error());
    const auto& [status, data, error, warnings, infos] = *found;
    const std::string_view said = text_of(status);
    if (said != "success" && said != "error") return wrong("does not say success or error");
    const Read<std::size_t> warned = count_of(warnings, "warnings");
    if (!warned) return wrong(warned.error());
    const Read<std::size_t> informed = count_of(infos, "infos");
    if (!informed) return wrong(informed.error());
    return Envelope{said == "success", known_error(text_of(error)), data, *warned + *informed,
                    tells_of_gaps(warnings)};
}

// Owns the parsed text that the elements point into.
class Document {
  public:
    Read<element> parse(const std::string& body) {
        if (body.size() > answer_bytes_max) return wrong("is longer than 1 MiB");
        if (body.find_first_not_of(" \t\r\n") == std::string::npos) return wrong("is empty");
        const simdjson::padded_string padded(body);
        element root;
        if (parser_.allocate(padded.size(), depth_max) != simdjson::SUCCESS ||
            parser_.parse(padded).get(root) != simdjson::SUCCESS) {
            return wrong("is not JSON");
        }
        return root;
    }

  private:
    simdjson::dom::parser parser_;
};

std::string hint(int status) {
    if (status >= 300 && status < 400) return "; redirects are not followed";
    if (status == 401) return "; it wants other credentials";
    if (status == 404) return "; its API is looked for at /api/v1/query below the url";
    return "";
}

std::string meaning(const std::string& error) {
    if (error == bad_data) return ": bad_data, it does not accept the query";
    if (error == "execution") return ": execution, the query failed";
    if (error == "timeout") return ": timeout, the query took it too long";
    return error.empty() ? "" : ": " + error;
}

// Prometheus does not understand the query, or does not let whoever asks in.
bool is_of_the_user(const Answer& answer, const Read<Envelope>& envelope) {
    const bool is_bad_data = envelope && !envelope->success && envelope->error == bad_data;
    return is_bad_data || answer.status == 401 || answer.status == 403;
}

std::string refusal(const Answer& answer, const Read<Envelope>& envelope) {
    const std::string error = envelope && !envelope->success ? meaning(envelope->error) : "";
    return "Prometheus answered HTTP " + std::to_string(answer.status) + error +
           hint(answer.status);
}

Read<MetricReading> read_success(const Envelope& envelope) {
    if (!envelope.success) return wrong("is an error" + meaning(envelope.error));
    if (!envelope.data) return wrong("gives no data");
    Read<MetricReading> reading = read_data(*envelope.data);
    if (!reading) return reading;
    reading->warnings = envelope.warnings;
    if (reading->kind == MetricReading::Kind::NoData && envelope.incomplete)
        return wrong("is empty and comes with a warning, so it may be incomplete");
    return reading;
}

}  // namespace

MetricReading read_prometheus_answer(const Answer& answer) {
    Document document;
    const Read<element> root = document.parse(answer.body);
    const Read<Envelope> envelope = root ? read_envelope(*root) : wrong(root.error());
    const auto trouble = is_of_the_user(answer, envelope) ? unanswerable : unknown;
    if (answer.status != 200) return trouble(refusal(answer, envelope));
    const Read<MetricReading> reading =
        envelope ? read_success(*envelope) : wrong(envelope.error());
    return reading ? *reading : trouble("Prometheus's answer " + reading.error());
}

}  // namespace sluice::api::metrics
