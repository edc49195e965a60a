#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/fields.hpp"
#include "api/metrics/prometheus.hpp"
#include "api/phased_rollout/spec.hpp"
#include "base/hash.hpp"

namespace sluice::api::phased_rollout {
namespace {

// The bounds of deploy/crds/phasedrollouts.sts.plus.yaml.
constexpr std::size_t expr_max = 8192;
constexpr std::size_t url_max = 2048;
constexpr Range deadline_range{1, 2'592'000};  // 30 days
constexpr Range delay_range{0, 604'800};       // 7 days
constexpr Range period_range{0, 86'400};       // a day
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
        if (auto problem = metrics::promql_problem(query.expr))
            fields.fault("expr", std::move(*problem));
    if (query.url.empty()) return query;
    const auto url = metrics::prometheus_url(query.url);
    if (!url)
        fields.fault("url", url.error().message);
    else if (!query.ca_secret.empty() && url->scheme != "https")
        fields.fault("caSecretRef", "needs a url that begins with https://");
    if (!query.ca_secret.empty() && query.insecure_skip_verify)
        fields.fault("insecureSkipVerify",
                     "ignores the authority that caSecretRef names; leave one of them out");
    return query;
}

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

Spec read_fields(const Fields& fields, SuccessOn unsaid) {
    Spec spec;
    spec.target = fields.name("targetRef", required);
    const auto skip = fields.flag("skipCheck");
    const auto other_name = fields.flag("standardRollingUpdate");
    if (skip && other_name && *skip != *other_name)
        fields.fault("standardRollingUpdate",
                     "is another name of skipCheck, and the two contradict each other; leave one "
                     "of them out");
    spec.skip_check = skip.value_or(other_name.value_or(false));
    spec.on_failure = static_cast<OnFailure>(fields.choice("onFailure", {"Hold", "Rollback"}));
    if (fields.find("deletionPolicy"))
        spec.deletion_policy =
            static_cast<DeletionPolicy>(fields.choice("deletionPolicy", {"Freeze", "Open"}));
    if (const auto deadline = fields.number("progressDeadlineSeconds", deadline_range))
        spec.progress_deadline = std::chrono::seconds{*deadline};
    const auto check = fields.object("check", required);
    if (!check) return spec;
    spec.check = read_check(*check, unsaid);
    const Duration needed =
        spec.check.initial_delay + (spec.check.success_threshold - 1) * spec.check.period;
    if (spec.progress_deadline && *spec.progress_deadline <= needed)
        fields.fault("progressDeadlineSeconds",
                     fmt::format("must be more than {}, which the initial delay and {} checks "
                                 "take, or no pod could ever pass",
                                 needed / 1s, spec.check.success_threshold));
    return spec;
}

}  // namespace

std::expected<Spec, FieldErrors> read_spec(const model::CustomObject& object, SuccessOn unsaid) {
    return read_part(object.spec, "spec",
                     [&](const Fields& fields) { return read_fields(fields, unsaid); });
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
    return fmt::format("{:016x}", fnv1a(boost::json::serialize(parts)));
}

}  // namespace sluice::api::phased_rollout
