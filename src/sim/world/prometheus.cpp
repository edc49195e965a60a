#include "sim/world/prometheus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "sim/api/api_server.hpp"

namespace sluice::sim {

using api::Answer;
using api::Ask;

namespace {

struct Sample {
    json::object labels;
    double value;
};

constexpr std::string_view query_path = "/api/v1/query";
constexpr std::string_view range_path = "/api/v1/query_range";

std::string number_text(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    return fmt::format("{}", value);
}

bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == ':';
}

std::optional<json::object> at_once(const std::vector<Sample>& samples, bool is_scalar,
                                    Instant now) {
    const double time = static_cast<double>(now.ms) / 1000;
    const auto pair = [&](const Sample& one) { return json::array{time, number_text(one.value)}; };
    if (is_scalar) return json::object{{"resultType", "scalar"}, {"result", pair(samples.front())}};
    json::array result;
    for (const Sample& sample : samples)
        result.push_back(json::object{{"metric", sample.labels}, {"value", pair(sample)}});
    return json::object{{"resultType", "vector"}, {"result", std::move(result)}};
}

// The values of this moment, as if they had always been so; nothing if the span is none.
std::optional<json::object> over_time(const std::vector<Sample>& samples,
                                      const std::map<std::string, std::string>& form) {
    const auto number = [&](const char* name) {
        double value = NAN;
        if (const auto text = form.find(name); text != form.end())
            std::from_chars(text->second.data(), text->second.data() + text->second.size(), value);
        return value;
    };
    constexpr double steps_max = 11'000;
    const double start = number("start"), end = number("end"), step = number("step");
    if (!(start <= end && step > 0 && (end - start) / step <= steps_max)) return std::nullopt;
    const int steps = static_cast<int>((end - start) / step);
    json::array result;
    for (const Sample& sample : samples) {
        json::array values;
        for (int i = 0; i <= steps; ++i)
            values.push_back(json::array{start + i * step, number_text(sample.value)});
        result.push_back(json::object{{"metric", sample.labels}, {"values", std::move(values)}});
    }
    return json::object{{"resultType", "matrix"}, {"result", std::move(result)}};
}

Answer refused(int status, const std::string& type, const std::string& why) {
    return {
        status, "application/json",
        json::serialize(json::object{{"status", "error"}, {"errorType", type}, {"error", why}})};
}

}  // namespace

// One query, read from left to right. What it cannot read is a parse error.
class Evaluation {
  public:
    Evaluation(const Prometheus& data, std::string_view text) : data_(data), text_(text) {}

    // Nothing: a parse error. `is_scalar`: the one sample stands for a number.
    std::optional<std::vector<Sample>> run() {
        auto result = operand();
        skip();
        if (result && !text_.empty()) result = compared(std::move(*result));
        skip();
        if (!text_.empty()) return std::nullopt;
        return result;
    }
    bool is_scalar = false;

  private:
    void skip() {
        while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n'))
            text_.remove_prefix(1);
    }
    bool take(std::string_view word) {
        skip();
        if (!text_.starts_with(word)) return false;
        text_.remove_prefix(word.size());
        return true;
    }
    std::optional<double> number() {
        skip();
        double value = 0;
        const auto [end, bad] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
        if (bad != std::errc{}) return std::nullopt;
        text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
        return value;
    }
    std::string name() {
        skip();
        std::size_t length = 0;
        while (length < text_.size() && is_name(text_[length]))
            ++length;
        std::string word{text_.substr(0, length)};
        text_.remove_prefix(length);
        return word;
    }

    std::optional<std::vector<Sample>> operand() {
        if (const auto value = number()) {
            is_scalar = true;
            return std::vector<Sample>{{{}, *value}};
        }
        const std::string word = name();
        const bool calls = (word == "vector" || word == "absent" || word == "count") && take("(");
        if (!calls) return selected(word);
        std::optional<std::vector<Sample>> inner;
        if (word == "vector") {
            if (const auto value = number()) inner = {{{}, *value}};
        } else {
            inner = selected(name());
        }
        if (!inner || !take(")")) return std::nullopt;
        if (word == "absent")
            inner = inner->empty() ? std::vector<Sample>{{{}, 1}} : std::vector<Sample>{};
        else if (word == "count" && !inner->empty())
            inner = {{{}, static_cast<double>(inner->size())}};
        return inner;
    }

    std::optional<std::vector<Sample>> selected(const std::string& metric) {
        struct Match {
            std::string label;
            std::string value;
            bool equals;
        };
        std::vector<Match> matches;
        const bool braces = take("{");
        while (braces && !take("}")) {
            Match one{name(), {}, true};
            if (take("!="))
                one.equals = false;
            else if (!take("="))
                return std::nullopt;
            if (!take("\"")) return std::nullopt;
            const std::size_t end = text_.find('"');
            if (end == std::string_view::npos) return std::nullopt;
            one.value = std::string{text_.substr(0, end)};
            text_.remove_prefix(end + 1);
            matches.push_back(std::move(one));
            take(",");
        }
        if (metric.empty() && !braces) return std::nullopt;
        std::vector<Sample> found;
        for (const Prometheus::Series& series : data_.series_) {
            if (!metric.empty() && series.name != metric) continue;
            const bool fits = std::ranges::all_of(matches, [&](const Match& match) {
                const auto label = series.labels.find(match.label);
                const std::string value = label == series.labels.end() ? "" : label->second;
                return (value == match.value) == match.equals;
            });
            if (!fits) continue;
            json::object labels{{"__name__", series.name}};
            for (const auto& [key, value] : series.labels)
                labels[key] = value;
            found.push_back({std::move(labels), series.value});
        }
        return found;
    }

    std::optional<std::vector<Sample>> compared(std::vector<Sample> samples) {
        constexpr std::string_view signs[] = {"==", "!=", ">=", "<=", ">", "<"};
        const auto sign =
            std::ranges::find_if(signs, [&](std::string_view one) { return take(one); });
        const auto limit = number();
        if (sign == std::end(signs) || !limit || is_scalar) return std::nullopt;
        std::erase_if(samples, [&](const Sample& sample) {
            const double value = sample.value;
            const bool holds[] = {value == *limit, value != *limit, value >= *limit,
                                  value <= *limit, value > *limit,  value < *limit};
            return !holds[sign - std::begin(signs)];
        });
        return samples;
    }

    const Prometheus& data_;
    std::string_view text_;
};

void Prometheus::set(const std::string& name, std::map<std::string, std::string> labels,
                     double value) {
    for (Series& one : series_)
        if (one.name == name && one.labels == labels) {
            one.value = value;
            return;
        }
    series_.push_back({name, std::move(labels), value});
}

void Prometheus::forget(const std::string& name) {
    std::erase_if(series_, [&](const Series& one) { return one.name == name; });
}

Result<Answer> Prometheus::answer(const Ask& ask, Instant now) const {
    if (mood == Mood::Down) return failure(ErrorKind::Unreachable, "connection refused");
    if (mood == Mood::Slow) return failure(ErrorKind::Timeout, "no answer within the deadline");
    if (mood == Mood::Broken) return Answer{503, "text/plain", "Service Unavailable"};
    if (mood == Mood::Babbling) return Answer{200, "application/json", "{\"status\":\"succ"};
    const bool admitted =
        token.empty() || std::ranges::any_of(ask.headers, [&](const api::AskHeader& one) {
            return one.name == "Authorization" && one.value.reveal() == "Bearer " + token;
        });
    if (!admitted) return Answer{401, "text/plain", "Unauthorized"};
    const std::size_t path = ask.url.find(query_path);
    if (path == std::string::npos) return Answer{404, "text/plain", "404 page not found"};
    const std::string sent = ask.method == "POST" ? "?" + ask.body : ask.url.substr(path);
    auto form = to_request(ask.method, sent).query;
    Evaluation evaluation{*this, form["query"]};
    const auto samples = evaluation.run();
    if (!samples)
        return refused(400, "bad_data", "invalid parameter \"query\": parse error near the end");
    const bool is_range = ask.url.substr(path).starts_with(range_path);
    const auto data =
        is_range ? over_time(*samples, form) : at_once(*samples, evaluation.is_scalar, now);
    if (!data) return refused(400, "bad_data", "invalid parameter \"start\", \"end\" or \"step\"");
    return Answer{200, "application/json",
                  json::serialize(json::object{{"status", "success"}, {"data", *data}})};
}

}  // namespace sluice::sim
