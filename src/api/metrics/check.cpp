#include "api/metrics/check.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/metrics/prometheus.hpp"
#include "base/hash.hpp"

namespace sluice::api::metrics {
namespace {

// The bounds of the definitions in deploy/crds.
constexpr std::size_t expr_max = 8192;
constexpr std::size_t url_max = 2048;
constexpr Range delay_range{0, 604'800};  // 7 days
constexpr Range period_range{0, 86'400};  // a day
constexpr Range success_range{1, 1000};
constexpr Range tries_range{1, 100'000};

Query read_query(const Fields& fields, SuccessOn unsaid) {
    Query query;
    query.expr = fields.text("expr", expr_max, required);
    query.url = fields.text("url", url_max, required);
    const auto said = static_cast<SuccessOn>(fields.choice("successOn", {"NoData", "Data"}));
    query.success_on = fields.has("successOn") ? said : unsaid;
    query.secret = fields.name("secretRef", !required);
    query.ca_secret = fields.name("caSecretRef", !required);
    query.insecure_skip_verify = fields.flag("insecureSkipVerify").value_or(false);
    if (!query.expr.empty())
        if (auto problem = promql_problem(query.expr)) fields.fault("expr", std::move(*problem));
    if (query.url.empty()) return query;
    const auto url = prometheus_url(query.url);
    if (!url)
        fields.fault("url", url.error().message);
    else if (!query.ca_secret.empty() && url->scheme != "https")
        fields.fault("caSecretRef", "needs a url that begins with https://");
    if (!query.ca_secret.empty() && query.insecure_skip_verify)
        fields.fault("insecureSkipVerify",
                     "ignores the authority that caSecretRef names; leave one of them out");
    return query;
}

}  // namespace

Check read_check(const Fields& fields, SuccessOn unsaid) {
    Check check;
    const auto seconds = [&](std::string_view key, Range range, Duration otherwise) -> Duration {
        const auto number = fields.number(key, range);
        return number ? Duration{std::chrono::seconds{*number}} : otherwise;
    };
    check.initial_delay = seconds("initialDelaySeconds", delay_range, check.initial_delay);
    check.period = seconds("periodSeconds", period_range, check.period);
    if (check.period == 0s) check.period = Check{}.period;  // as the original reads it
    check.success_threshold =
        fields.number("successThreshold", success_range).value_or(check.success_threshold);
    check.max_tries = fields.number("maxTries", tries_range);
    check.failure_threshold = fields.number("failureThreshold", tries_range);
    if (check.max_tries && check.success_threshold > *check.max_tries)
        fields.fault("successThreshold",
                     fmt::format("is {}, but maxTries allows only {} checks: no pod could ever "
                                 "pass",
                                 check.success_threshold, *check.max_tries));
    if (check.max_tries && check.failure_threshold && *check.failure_threshold > *check.max_tries)
        fields.fault("failureThreshold",
                     fmt::format("is {}, but maxTries allows only {} checks: it would never be "
                                 "reached",
                                 *check.failure_threshold, *check.max_tries));
    if (const auto query = fields.object("query", required))
        check.query = read_query(*query, unsaid);
    return check;
}

std::string definition_of(const Check& check) {
    const Query& query = check.query;
    const boost::json::array parts{check.initial_delay.count(),
                                   check.period.count(),
                                   check.success_threshold,
                                   check.max_tries.value_or(0),
                                   check.failure_threshold.value_or(0),
                                   query.expr,
                                   query.url,
                                   query.success_on == SuccessOn::Data,
                                   query.secret,
                                   query.ca_secret,
                                   query.insecure_skip_verify};
    return hex_digest(boost::json::serialize(parts));
}

engine::MetricQuery query_of(const Query& query) {
    return {.expr = query.expr,
            .url = query.url,
            .secret = query.secret,
            .ca_secret = query.ca_secret,
            .insecure_skip_verify = query.insecure_skip_verify};
}

engine::MetricCheck gate_of(const Check& check, const Shared<engine::MetricQuery>& query,
                            const std::string& definition, PodIndex next, bool exposed_only) {
    return {.query = query,
            .passes_on_data = check.query.success_on == SuccessOn::Data,
            .initial_delay = check.initial_delay,
            .period = check.period,
            .success_threshold = check.success_threshold,
            .max_tries = check.max_tries,
            .failure_threshold = check.failure_threshold,
            .definition = definition,
            .next = next,
            .exposed_only = exposed_only};
}

}  // namespace sluice::api::metrics
