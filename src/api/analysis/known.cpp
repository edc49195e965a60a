#include "api/analysis/known.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <set>

#include "api/analysis/parts.hpp"
#include "base/hash.hpp"
#include "base/pattern.hpp"
#include "language/json_path.hpp"

namespace sluice::api::analysis {
namespace {

namespace json = boost::json;

// Collects what is wrong with one metric while it becomes known.
class Reading {
  public:
    Reading(std::string path, const Arguments& arguments, FieldErrors& errors)
        : path_(std::move(path)), arguments_(arguments), errors_(errors) {}

    KnownMetric of(const Metric& metric) const {
        KnownMetric known;
        known.name = metric.name;
        if (holds_argument(metric.name)) fault("name", "must not hang on a Secret");
        if (metric.interval) known.interval = value(*metric.interval, "interval");
        known.initial_delay = value(metric.initial_delay, "initialDelay");
        known.count = metric.count     ? std::optional{value(*metric.count, "count")}
                      : known.interval ? std::nullopt
                                       : std::optional{1};
        known.success = condition(metric.success_condition, "successCondition");
        known.failure = condition(metric.failure_condition, "failureCondition");
        known.failure_limit = value(metric.failure_limit, "failureLimit");
        known.inconclusive_limit = value(metric.inconclusive_limit, "inconclusiveLimit");
        known.consecutive_error_limit =
            value(metric.consecutive_error_limit, "consecutiveErrorLimit");
        known.consecutive_success_limit =
            value(metric.consecutive_success_limit, "consecutiveSuccessLimit");
        known.provider = metric.provider;
        std::visit([&](const auto& provider) { check(provider); }, metric.provider);
        known.secrets = std::visit(
            [&](const auto& provider) { return arguments_.secrets_in(texts_of(provider)); },
            metric.provider);
        known.digest = hex_digest(metric.source);
        return known;
    }

  private:
    void fault(std::string_view key, std::string what) const {
        errors_.push_back({fmt::format("{}.{}", path_, key), std::move(what)});
    }

    template <class Value>
    Value value(const Written<Value>& written, std::string_view key) const {
        if (const Value* known = std::get_if<Value>(&written)) return *known;
        fault(key, "must not hang on a Secret");
        return {};
    }

    std::optional<language::Expression> condition(const std::string& text,
                                                  std::string_view key) const {
        if (text.find_first_not_of(" \t\r\n") == std::string::npos) return std::nullopt;
        if (!secrets_in({text}).empty()) {
            fault(key, "must not hang on a Secret");
            return std::nullopt;
        }
        auto parsed = language::parse(text);
        if (parsed) return *parsed;
        fault(key, parsed.error().message);
        return std::nullopt;
    }

    // Of what is asked, only headers may hang on a Secret: all else is logged and shown on the way.
    void keep_secrets_out(const std::string& text, std::string_view key) const {
        if (!secrets_in({text}).empty()) fault(key, "must not hang on a Secret: headers may");
    }

    void check(const Unserved& provider) const {
        fault("provider", fmt::format("{} is not served by this operator; prometheus, web and job "
                                      "are",
                                      provider.name));
    }
    void check(const Prometheus& provider) const {
        if (provider.address.empty()) fault("provider.prometheus.address", "is required");
        keep_secrets_out(provider.address, "provider.prometheus.address");
        keep_secrets_out(provider.query, "provider.prometheus.query");
        if (provider.range) {
            keep_secrets_out(provider.range->start, "provider.prometheus.rangeQuery.start");
            keep_secrets_out(provider.range->end, "provider.prometheus.rangeQuery.end");
            value(provider.range->step, "provider.prometheus.rangeQuery.step");
        }
        check(provider.oauth2, "provider.prometheus.authentication.oauth2");
    }
    void check(const std::optional<OAuth2>& client, const std::string& key) const {
        if (!client) return;
        keep_secrets_out(client->token_url, key + ".tokenUrl");
        for (const std::string& scope : client->scopes)
            keep_secrets_out(scope, key + ".scopes");
    }
    void check(const Web& provider) const {
        keep_secrets_out(provider.url, "provider.web.url");
        keep_secrets_out(provider.body,
                         provider.body_is_json ? "provider.web.jsonBody" : "provider.web.body");
        check(provider.oauth2, "provider.web.authentication.oauth2");
        if (!secrets_in({provider.json_path}).empty())
            fault("provider.web.jsonPath", "must not hang on a Secret");
        else if (provider.json_path.empty())
            return;
        else if (const auto path = language::JsonPath::parsed(provider.json_path); !path)
            fault("provider.web.jsonPath", path.error().message);
    }
    void check(const Job& provider) const {
        if (!secrets_in({provider.spec, provider.metadata}).empty())
            fault("provider.job",
                  "must not hang on a Secret: let the Job's container read it by "
                  "its own secretKeyRef");
    }

    std::vector<SecretArgument> secrets_in(const std::vector<std::string_view>& texts) const {
        return arguments_.secrets_in(texts);
    }

    // Where Secrets may stand.
    static std::vector<std::string_view> texts_of(const Unserved&) { return {}; }
    static std::vector<std::string_view> texts_of(const Job&) { return {}; }
    template <class Provider>
    static std::vector<std::string_view> texts_of(const Provider& provider) {
        std::vector<std::string_view> texts;
        for (const Header& header : provider.headers) {
            texts.push_back(header.key);
            texts.push_back(header.value);
        }
        if (provider.oauth2) {
            texts.push_back(provider.oauth2->client_id);
            texts.push_back(provider.oauth2->client_secret);
        }
        return texts;
    }

    std::string path_;
    const Arguments& arguments_;
    FieldErrors& errors_;
};

// The metrics with every argument that is known in its place.
std::expected<std::vector<Metric>, FieldErrors> with_arguments(const std::vector<Metric>& metrics,
                                                               const Arguments& arguments) {
    json::array sources;
    FieldErrors errors;
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        boost::system::error_code broken;
        const json::value source = json::parse(metrics[i].source, broken);
        auto known = arguments.put_into_all(source);
        if (broken)
            errors.push_back({fmt::format("spec.metrics[{}]", i), "is not readable"});
        else if (!known)
            errors.push_back({fmt::format("spec.metrics[{}]", i), known.error().message});
        else
            sources.push_back(std::move(*known));
    }
    if (!errors.empty()) return std::unexpected(std::move(errors));
    const json::object spec{{"metrics", std::move(sources)}};
    auto read = read_metrics(Fields{spec, "spec", errors});
    if (!errors.empty()) return std::unexpected(std::move(errors));
    return read;
}

// Rules pick metrics by name: which are measured without consequence, and how many measurements of
// each stay. A rule is a regular expression that fits some part of the name, as in the original, or
// "*", which is every metric. One that picks none is a mistake and refused, as is one that stands
// there twice.

// Which of the names the rule picks; the Error completes the sentence `<field>: ...`.
Result<std::vector<bool>> picked(const std::string& rule, const std::vector<std::string>& names) {
    std::vector<bool> picks(names.size(), rule == "*");
    if (rule == "*") return picks;
    const auto pattern = Pattern::compiled(rule);
    if (!pattern) return failure(ErrorKind::Invalid, "the pattern " + pattern.error().message);
    for (std::size_t i = 0; i < names.size(); ++i)
        picks[i] = pattern->fits(names[i]);
    if (std::ranges::find(picks, true) != picks.end()) return picks;
    return failure(ErrorKind::Invalid, "fits the name of no metric");
}

// Hands each rule what it picks; notes what is wrong with it.
template <class Rule, class Use>
void each_rule(std::string_view field, const std::vector<Rule>& rules,
               const std::vector<std::string>& names, FieldErrors& errors, auto name_of, Use use) {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const std::string path = fmt::format("{}[{}].metricName", field, i);
        const std::string rule = name_of(rules[i]);
        if (!seen.insert(rule).second) {
            errors.push_back({path, "is there twice"});
            continue;
        }
        const auto picks = picked(rule, names);
        if (!picks) {
            errors.push_back({path, picks.error().message});
            continue;
        }
        for (std::size_t at = 0; at < names.size(); ++at)
            if ((*picks)[at]) use(at, rules[i]);
    }
}

// For each of the metrics, in their order. Of two rules of retention the later one counts; a limit
// of 0 is none.
std::expected<std::vector<Treatment>, FieldErrors> treatments(
    const std::vector<std::string>& metrics, const std::vector<std::string>& dry_run,
    const std::vector<Retention>& retention) {
    std::vector<Treatment> result(metrics.size());
    FieldErrors errors;
    each_rule(
        "spec.dryRun", dry_run, metrics, errors, [](const std::string& rule) { return rule; },
        [&](std::size_t at, const std::string&) { result[at].dry_run = true; });
    each_rule(
        "spec.measurementRetention", retention, metrics, errors,
        [](const Retention& rule) { return rule.metric; },
        [&](std::size_t at, const Retention& rule) {
            if (rule.limit > 0) result[at].measurements_max = static_cast<std::size_t>(rule.limit);
        });
    if (!errors.empty()) return std::unexpected(std::move(errors));
    return result;
}

}  // namespace

std::expected<std::vector<KnownMetric>, FieldErrors> known_metrics(const RunSpec& spec) {
    const auto arguments = Arguments::of(spec.args);
    if (!arguments) return std::unexpected(arguments.error());
    const auto metrics = with_arguments(spec.metrics, *arguments);
    if (!metrics) return std::unexpected(metrics.error());
    FieldErrors errors;
    if (metrics->empty())
        errors.push_back({"spec.metrics", "is empty: there is nothing to measure"});
    std::vector<KnownMetric> known;
    std::vector<std::string> names;
    for (const Metric& metric : *metrics) {
        known.push_back(
            Reading{fmt::format("spec.metrics[{}]", known.size()), *arguments, errors}.of(metric));
        names.push_back(metric.name);
    }
    const auto treated = treatments(names, spec.dry_run, spec.retention);
    if (!treated) errors.insert(errors.end(), treated.error().begin(), treated.error().end());
    if (!errors.empty()) return std::unexpected(std::move(errors));
    for (std::size_t i = 0; i < known.size(); ++i)
        known[i].treatment = (*treated)[i];
    return known;
}

const KnownMetric* endless(const std::vector<KnownMetric>& metrics) {
    const auto found = std::ranges::find_if(metrics, [](const KnownMetric& one) {
        return !one.count && one.consecutive_success_limit == 0;
    });
    return found == metrics.end() ? nullptr : &*found;
}

}  // namespace sluice::api::analysis
