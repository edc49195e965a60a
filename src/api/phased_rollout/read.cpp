#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>
#include <initializer_list>

#include "api/metrics/prometheus.hpp"
#include "api/metrics/promql.hpp"
#include "api/phased_rollout/spec.hpp"
#include "base/hash.hpp"
#include "base/names.hpp"

namespace sluice::api::phased_rollout {
namespace {

namespace json = boost::json;

// The bounds of deploy/crds/phasedrollouts.sts.plus.yaml.
constexpr std::size_t name_max = 253;
constexpr std::size_t expr_max = 8192;
constexpr std::size_t url_max = 2048;
constexpr std::size_t errors_max = 16;  // more say nothing new to a person
struct Range {
    int min;
    int max;
};
constexpr Range deadline_range{1, 2'592'000};  // 30 days
constexpr Range delay_range{0, 604'800};       // 7 days
constexpr Range period_range{0, 86'400};       // a day
constexpr Range success_range{1, 1000};
constexpr Range tries_range{1, 100'000};

constexpr bool required = true;

// The length as the API server counts it: in code points.
std::size_t length_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// The fields of one object and the path to it. A fault is noted and reads as a field that is not
// there; a null is a field that is not there.
class Fields {
  public:
    Fields(const json::object& object, std::string path, FieldErrors& errors)
        : object_(object), path_(std::move(path)), errors_(errors) {}

    void fault(std::string_view key, std::string what) const {
        if (errors_.size() < errors_max)
            errors_.push_back({fmt::format("{}.{}", path_, key), std::move(what)});
    }

    std::optional<Fields> object(std::string_view key) const {
        const json::value* value = find(key, required);
        if (!value) return std::nullopt;
        if (value->is_object())
            return Fields{value->get_object(), fmt::format("{}.{}", path_, key), errors_};
        fault(key, "must be an object");
        return std::nullopt;
    }

    std::optional<bool> flag(std::string_view key) const {
        const json::value* value = find(key);
        if (!value) return std::nullopt;
        if (value->is_bool()) return value->get_bool();
        fault(key, "must be true or false");
        return std::nullopt;
    }

    std::optional<int> number(std::string_view key, Range range) const {
        const json::value* value = find(key);
        if (!value) return std::nullopt;
        boost::system::error_code error;
        const auto number = value->is_number() ? value->to_number<std::int64_t>(error) : 0;
        if (value->is_number() && !error && number >= range.min && number <= range.max)
            return static_cast<int>(number);
        fault(key, fmt::format("must be a whole number from {} to {}", range.min, range.max));
        return std::nullopt;
    }

    std::string text(std::string_view key, std::size_t max, bool is_required) const {
        const json::value* value = find(key, is_required);
        if (!value) return {};
        if (!value->is_string())
            fault(key, "must be a text");
        else if (value->get_string().empty() && is_required)
            fault(key, "must not be empty");
        else if (length_of(value->get_string()) > max)
            fault(key, fmt::format("must have at most {} characters", max));
        else
            return std::string{value->get_string()};
        return {};
    }

    std::string name(std::string_view key, bool is_required) const {
        std::string found = text(key, name_max, is_required);
        if (found.empty() || is_dns_subdomain(found)) return found;
        fault(key, "must be the name of an object: a-z, 0-9, - and ., as in web or shop.web-1");
        return {};
    }

    // The place in the list of names; 0 if the field is not there.
    std::size_t choice(std::string_view key, std::initializer_list<std::string_view> names) const {
        const json::value* value = find(key);
        if (!value) return 0;
        const auto found = value->is_string()
                               ? std::ranges::find(names, std::string_view{value->get_string()})
                               : names.end();
        if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
        fault(key, fmt::format("must be one of {}", fmt::join(names, ", ")));
        return 0;
    }

  private:
    const json::value* find(std::string_view key, bool is_required = false) const {
        const json::value* value = object_.if_contains(key);
        if (value && !value->is_null()) return value;
        if (is_required) fault(key, "is required");
        return nullptr;
    }

    const json::object& object_;
    std::string path_;
    FieldErrors& errors_;
};

Query read_query(const Fields& fields) {
    Query query;
    query.expr = fields.text("expr", expr_max, required);
    query.url = fields.text("url", url_max, required);
    query.success_on = static_cast<SuccessOn>(fields.choice("successOn", {"NoData", "Data"}));
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

Check read_check(const Fields& fields) {
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
    if (const auto query = fields.object("query")) check.query = read_query(*query);
    return check;
}

Spec read_fields(const Fields& fields) {
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
    if (const auto deadline = fields.number("progressDeadlineSeconds", deadline_range))
        spec.progress_deadline = std::chrono::seconds{*deadline};
    const auto check = fields.object("check");
    if (!check) return spec;
    spec.check = read_check(*check);
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

std::expected<Spec, FieldErrors> read_spec(const model::CustomObject& object) {
    const auto refused = [](std::string what) {
        return std::unexpected(FieldErrors{{"spec", std::move(what)}});
    };
    if (object.spec.empty()) return refused("is required");
    boost::system::error_code error;
    const json::value value = json::parse(object.spec, error);
    if (error) return refused("is not readable");
    if (!value.is_object()) return refused("must be an object");
    FieldErrors errors;
    Spec spec = read_fields(Fields{value.get_object(), "spec", errors});
    if (!errors.empty()) return std::unexpected(std::move(errors));
    return spec;
}

std::string to_text(const FieldErrors& errors) {
    std::string text;
    for (const FieldError& error : errors)
        text += fmt::format("{}{}: {}.", text.empty() ? "" : " ", error.field, error.what);
    return text;
}

std::string definition_of(const Check& check) {
    const Query& query = check.query;
    const json::array parts{check.initial_delay.count(),
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
    return fmt::format("{:016x}", fnv1a(json::serialize(parts)));
}

}  // namespace sluice::api::phased_rollout
