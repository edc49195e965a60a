#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <set>

#include "api/analysis/parts.hpp"
#include "base/go_duration.hpp"
#include "base/text.hpp"
#include "language/expression.hpp"

namespace sluice::api::analysis {
namespace {

// The bounds of deploy/crds/analysistemplates.argoproj.io.yaml.
constexpr std::size_t metrics_max = 64;
constexpr std::size_t args_max = 64;
constexpr std::size_t references_max = 16;
constexpr std::size_t headers_max = 32;
constexpr std::size_t setting_max = 256;
constexpr std::size_t expression_max = 8192;
constexpr std::size_t query_max = 8192;
constexpr std::size_t url_max = 2048;
constexpr std::size_t body_max = 16384;
constexpr std::size_t json_path_max = 1024;
constexpr std::size_t header_name_max = 256;
constexpr std::size_t header_max = 8192;
constexpr std::size_t client_max = 4096;
constexpr std::size_t scopes_max = 32;
constexpr std::size_t time_max = 256;
constexpr Range timeout_range{0, 300};
constexpr Range retention_range{0, 1000};
constexpr Range count_range{0, 100'000};
constexpr Range limit_range{0, 100'000};
constexpr Range failure_range{-1, 100'000};
// A whole spec has at most 64 KiB.
constexpr std::size_t json_max = 64u << 10;

// Whether it is left out, or an empty text or list.
bool is_blank(const Fields& fields, std::string_view key) {
    const boost::json::value* value = fields.find(key);
    return !value || (value->is_string() && value->get_string().empty()) ||
           (value->is_array() && value->get_array().empty());
}

std::optional<Written<Duration>> read_duration(const Fields& fields, std::string_view key) {
    const std::string text = fields.text(key, setting_max, !required);
    if (text.empty()) return std::nullopt;
    if (holds_argument(text)) return Placeholder{text};
    if (const auto duration = parse_go_duration(text)) return *duration;
    fields.fault(key,
                 "must be a duration of at most 720h, such as 30s or 1h30m, or hold an argument "
                 "such as {{args.interval}}");
    return std::nullopt;
}

std::optional<int> number_in(std::string_view text, Range range) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = error == std::errc{} && end == text.data() + text.size();
    if (!is_whole || text.size() > 6 || number < range.min || number > range.max)
        return std::nullopt;
    return number;
}

std::optional<Written<int>> read_number(const Fields& fields, std::string_view key, Range range) {
    const boost::json::value* value = fields.find(key);
    if (!value) return std::nullopt;
    if (value->is_string()) {
        const std::string_view text = value->get_string();
        if (holds_argument(text) && length_of(text) <= setting_max)
            return Placeholder{std::string{text}};
        if (const auto number = number_in(text, range)) return *number;
    } else if (value->is_number()) {
        boost::system::error_code error;
        const auto number = value->to_number<std::int64_t>(error);
        if (!error && number >= range.min && number <= range.max) return static_cast<int>(number);
    }
    fields.fault(key, fmt::format("must be a whole number from {} to {}, or hold an argument such "
                                  "as {{{{args.limit}}}}",
                                  range.min, range.max));
    return std::nullopt;
}

std::vector<Header> read_headers(const Fields& fields) {
    std::vector<Header> headers;
    for (const Fields& entry : fields.list("headers", headers_max)) {
        entry.find("value", required);
        headers.push_back({entry.text("key", header_name_max, required),
                           entry.text("value", header_max, !required)});
    }
    return headers;
}

Duration read_timeout(const Fields& fields, std::string_view key, Duration otherwise) {
    const int seconds = fields.number(key, timeout_range).value_or(0);
    return seconds == 0 ? otherwise : Duration{std::chrono::seconds{seconds}};
}

std::vector<std::string> read_scopes(const Fields& fields) {
    std::vector<std::string> scopes;
    const boost::json::value* value = fields.find("scopes");
    if (!value) return scopes;
    const boost::json::array* list = value->if_array();
    const bool fits = list && list->size() <= scopes_max &&
                      std::ranges::all_of(*list, [](const boost::json::value& one) {
                          return one.is_string() && length_of(one.get_string()) <= setting_max;
                      });
    if (!fits)
        fields.fault("scopes", fmt::format("must be a list of at most {} texts of at most {} "
                                           "characters",
                                           scopes_max, setting_max));
    else
        for (const boost::json::value& one : *list)
            scopes.emplace_back(one.get_string());
    return scopes;
}

// An entry that a client in Go writes although nobody filled it in says nothing.
bool is_filled_in(const Fields& entry, std::initializer_list<std::string_view> keys) {
    return std::ranges::any_of(keys, [&](std::string_view key) { return !is_blank(entry, key); });
}

// How the operator is to prove who it is.
struct Authentication {
    std::optional<OAuth2> oauth2 = {};
    // Amazon's signatures are made with credentials of the operator, which are not for tenants.
    bool wants_sigv4 = false;
};

Authentication read_authentication(const Fields& provider, const std::vector<Header>& headers) {
    const auto ways = provider.object("authentication", !required);
    if (!ways) return {};
    Authentication read;
    const auto sigv4 = ways->object("sigv4", !required);
    read.wants_sigv4 = sigv4 && is_filled_in(*sigv4, {"region", "profile", "roleArn"});
    const auto client = ways->object("oauth2", !required);
    if (!client || !is_filled_in(*client, {"tokenUrl", "clientId", "clientSecret"})) return read;
    const bool is_proven = std::ranges::any_of(
        headers, [](const Header& header) { return in_lower_case(header.key) == "authorization"; });
    if (is_proven)
        provider.fault("authentication",
                       "and a header Authorization exclude each other; leave one of them out");
    read.oauth2 = OAuth2{client->text("tokenUrl", url_max, required),
                         client->text("clientId", client_max, required),
                         client->text("clientSecret", client_max, required), read_scopes(*client)};
    return read;
}

// The text of a time, which depends on when it is asked for.
std::string read_time(const Fields& fields, std::string_view key) {
    std::string text = fields.text(key, time_max, required);
    if (text.empty() || holds_argument(text)) return text;
    if (const auto at = language::time_at(text, Instant{}); !at)
        fields.fault(key, at.error().message);
    return text;
}

std::optional<RangeQuery> read_range(const Fields& provider) {
    const auto entry = provider.object("rangeQuery", !required);
    if (!entry) return std::nullopt;
    RangeQuery range;
    range.start = read_time(*entry, "start");
    range.end = read_time(*entry, "end");
    const auto step = read_duration(*entry, "step");
    if (is_blank(*entry, "step")) entry->fault("step", "is required");
    if (step == Written<Duration>{Duration{0}}) entry->fault("step", "must be at least 1ms");
    range.step = step.value_or(range.step);
    return range;
}

Provider read_prometheus(const Fields& fields) {
    Prometheus prometheus;
    prometheus.address = fields.text("address", url_max, !required);
    prometheus.query = fields.text("query", query_max, required);
    prometheus.headers = read_headers(fields);
    prometheus.timeout = read_timeout(fields, "timeout", prometheus.timeout);
    prometheus.insecure = fields.flag("insecure").value_or(false);
    prometheus.range = read_range(fields);
    auto [oauth2, wants_sigv4] = read_authentication(fields, prometheus.headers);
    if (wants_sigv4) return Unserved{"prometheus.authentication.sigv4"};
    prometheus.oauth2 = std::move(oauth2);
    return prometheus;
}

Provider read_web(const Fields& fields) {
    Web web;
    const std::size_t method = fields.choice("method", {"", "GET", "POST", "PUT"});
    web.method = static_cast<Method>(std::max<std::size_t>(method, 1) - 1);
    web.url = fields.text("url", url_max, required);
    web.headers = read_headers(fields);
    web.body = fields.text("body", body_max, !required);
    const std::string json = fields.json("jsonBody", json_max, !required);
    web.timeout = read_timeout(fields, "timeoutSeconds", web.timeout);
    web.json_path = fields.text("jsonPath", json_path_max, !required);
    web.insecure = fields.flag("insecure").value_or(false);
    if (!web.body.empty() && !json.empty())
        fields.fault("jsonBody", "and body exclude each other; leave one of them out");
    web.body_is_json = !json.empty();
    if (web.body_is_json) web.body = json;
    if (!web.body.empty() && web.method == Method::Get)
        fields.fault("method", "must be POST or PUT where there is a body");
    auto [oauth2, wants_sigv4] = read_authentication(fields, web.headers);
    if (wants_sigv4) return Unserved{"web.authentication.sigv4"};
    web.oauth2 = std::move(oauth2);
    return web;
}

Provider read_job(const Fields& fields) {
    Job job;
    job.metadata = fields.json("metadata", json_max, !required);
    const auto spec = fields.object("spec", required);
    if (!spec) return job;
    spec->object("template", required);
    job.spec = spec->json();
    return job;
}

Provider read_provider(const Fields& fields) {
    constexpr std::array<std::string_view, 12> names{
        "prometheus", "web",        "job",      "kayenta",  "datadog",    "wavefront",
        "newRelic",   "cloudWatch", "graphite", "influxdb", "skywalking", "plugin"};
    std::vector<std::string_view> found;
    std::ranges::copy_if(names, std::back_inserter(found),
                         [&](std::string_view name) { return fields.has(name); });
    if (found.size() != 1) {
        fields.fault_here("must have exactly one entry, such as prometheus, web or job");
        return {};
    }
    const auto entry = fields.object(found[0], required);
    if (!entry) return {};
    if (found[0] == "prometheus") return read_prometheus(*entry);
    if (found[0] == "web") return read_web(*entry);
    if (found[0] == "job") return read_job(*entry);
    return Unserved{std::string{found[0]}};
}

// Refuses, as Argo Rollouts does, limits with which a metric could not fail. What holds an argument
// is not known yet.
void check_limits(const Metric& metric, const Fields& fields) {
    const int* count = metric.count ? std::get_if<int>(&*metric.count) : nullptr;
    const int* failures = std::get_if<int>(&metric.failure_limit);
    const int* inconclusive = std::get_if<int>(&metric.inconclusive_limit);
    if (count && *count > 1 && is_blank(fields, "interval"))
        fields.fault("interval", "is required where count is more than 1");
    if (metric.failure_limit == Written<int>{-1} &&
        metric.consecutive_success_limit == Written<int>{0})
        fields.fault("failureLimit",
                     "of -1 needs a consecutiveSuccessLimit, or the metric could not fail");
    if (count && ((failures && *count < *failures) || (inconclusive && *count < *inconclusive)))
        fields.fault("count", "must not be less than failureLimit or inconclusiveLimit");
}

Metric read_metric(const Fields& fields) {
    Metric metric;
    metric.name = fields.text("name", label_max, required);
    metric.interval = read_duration(fields, "interval");
    metric.initial_delay = read_duration(fields, "initialDelay").value_or(metric.initial_delay);
    metric.count = read_number(fields, "count", count_range);
    if (metric.count == Written<int>{0}) metric.count.reset();
    metric.success_condition = fields.text("successCondition", expression_max, !required);
    metric.failure_condition = fields.text("failureCondition", expression_max, !required);
    const auto limit = [&](std::string_view key, Range range, Written<int>& into) {
        if (auto number = read_number(fields, key, range)) into = std::move(*number);
    };
    limit("failureLimit", failure_range, metric.failure_limit);
    limit("inconclusiveLimit", limit_range, metric.inconclusive_limit);
    limit("consecutiveErrorLimit", limit_range, metric.consecutive_error_limit);
    limit("consecutiveSuccessLimit", limit_range, metric.consecutive_success_limit);
    check_limits(metric, fields);
    if (const auto provider = fields.object("provider", required))
        metric.provider = read_provider(*provider);
    metric.source = fields.json();
    return metric;
}

Argument read_argument(const Fields& fields) {
    Argument argument;
    argument.name = fields.text("name", label_max, required);
    if (fields.has("value")) argument.value = fields.text("value", argument_max, !required);
    const auto from = fields.object("valueFrom", !required);
    if (!from) return argument;
    if (fields.has("value"))
        fields.fault("valueFrom", "and value exclude each other; leave one of them out");
    const auto secret = from->object("secretKeyRef", !required);
    const auto field = from->object("fieldRef", !required);
    if (from->has("secretKeyRef") == from->has("fieldRef"))
        from->fault_here("must have exactly one of secretKeyRef and fieldRef");
    else if (secret)
        argument.value = SecretKey{secret->text("name", label_max, required),
                                   secret->text("key", label_max, required)};
    else if (field)
        argument.value = FieldPath{field->text("fieldPath", path_max, required)};
    return argument;
}

Template read_fields(const Fields& fields) {
    Template result;
    result.metrics = read_metrics(fields);
    result.args = read_arguments(fields);
    result.dry_run = read_dry_run(fields);
    result.retention = read_retention(fields);
    result.templates = read_references(fields);
    if (is_blank(fields, "metrics") && is_blank(fields, "templates"))
        fields.fault("metrics", "is required, unless templates brings some");
    return result;
}

}  // namespace

bool holds_argument(std::string_view text) {
    return text.contains("{{");
}

void check_unique(const std::vector<Fields>& entries, std::string_view key) {
    std::set<std::string_view> seen;
    for (const Fields& entry : entries) {
        const boost::json::value* value = entry.find(key);
        if (value && value->is_string() && !seen.insert(value->get_string()).second)
            entry.fault(key, "is there twice");
    }
}

std::vector<Metric> read_metrics(const Fields& fields) {
    return read_named(fields, "metrics", metrics_max, read_metric);
}

std::vector<Argument> read_arguments(const Fields& fields) {
    return read_named(fields, "args", args_max, read_argument);
}

std::vector<TemplateRef> read_references(const Fields& fields) {
    std::vector<TemplateRef> references;
    for (const Fields& entry : fields.list("templates", references_max))
        references.push_back(
            {entry.name("templateName", required), entry.flag("clusterScope").value_or(false)});
    return references;
}

std::vector<std::string> read_dry_run(const Fields& fields) {
    std::vector<std::string> names;
    for (const Fields& entry : fields.list("dryRun", metrics_max))
        names.push_back(entry.text("metricName", label_max, required));
    return names;
}

std::vector<Retention> read_retention(const Fields& fields) {
    std::vector<Retention> kept;
    for (const Fields& entry : fields.list("measurementRetention", metrics_max)) {
        entry.find("limit", required);
        kept.push_back({entry.text("metricName", label_max, required),
                        entry.number("limit", retention_range).value_or(Retention{}.limit)});
    }
    return kept;
}

std::expected<Template, FieldErrors> read_template(const model::CustomObject& object) {
    return read_part(object.spec, "spec", read_fields);
}

}  // namespace sluice::api::analysis
