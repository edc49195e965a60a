// An AnalysisTemplate or ClusterAnalysisTemplate as its owner wrote it: metrics, and what is a
// pass. Many texts may hold arguments such as {{args.name}}; they stay as they are until the
// arguments are known. A template with a fault is refused as a whole, with a sentence for each
// field. What Argo Rollouts has and this operator has not is read too, as Unserved, so that it can
// be refused by name where it is used.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/field_error.hpp"
#include "base/time.hpp"
#include "model/custom_object.hpp"

namespace sluice::api::analysis {

// What holds an argument, and is known once the arguments are.
struct Placeholder {
    std::string text;
    friend bool operator==(const Placeholder&, const Placeholder&) = default;
};
template <class Value>
using Written = std::variant<Value, Placeholder>;

bool holds_argument(std::string_view text);

struct SecretKey {
    std::string name;  // of a Secret in the namespace of the analysis
    std::string key;
    friend bool operator==(const SecretKey&, const SecretKey&) = default;
};
struct FieldPath {
    std::string path;  // "metadata.labels['region']"
    friend bool operator==(const FieldPath&, const FieldPath&) = default;
};
// Whoever uses the template must give it.
struct NotGiven {
    friend bool operator==(const NotGiven&, const NotGiven&) = default;
};
struct Argument {
    std::string name;
    std::variant<NotGiven, std::string, SecretKey, FieldPath> value;
    friend bool operator==(const Argument&, const Argument&) = default;
};

struct TemplateRef {
    std::string name;
    bool cluster_scope = false;
    friend bool operator==(const TemplateRef&, const TemplateRef&) = default;
};

// How many measurements are kept of the metrics whose name the pattern is found in; "*" is every
// one.
struct Retention {
    std::string metric;
    int limit = 10;
    friend bool operator==(const Retention&, const Retention&) = default;
};

struct Header {
    std::string key;
    std::string value;
    friend bool operator==(const Header&, const Header&) = default;
};
// The client that a token is asked for before the question is; the token goes with the question.
struct OAuth2 {
    std::string token_url;
    std::string client_id;
    std::string client_secret;
    std::vector<std::string> scopes;
    friend bool operator==(const OAuth2&, const OAuth2&) = default;
};
// The span of a query, from one time to another, such as now() - duration("5m").
struct RangeQuery {
    std::string start;
    std::string end;
    Written<Duration> step;
    friend bool operator==(const RangeQuery&, const RangeQuery&) = default;
};
struct Prometheus {
    std::string address;  // empty: none was named
    std::string query;
    std::vector<Header> headers;
    Duration timeout = 30s;
    bool insecure = false;
    std::optional<OAuth2> oauth2 = {};
    std::optional<RangeQuery> range = {};  // nothing: of this moment
    friend bool operator==(const Prometheus&, const Prometheus&) = default;
};
enum class Method : std::uint8_t { Get, Post, Put };
struct Web {
    Method method = Method::Get;
    std::string url;
    std::vector<Header> headers;
    std::string body;
    bool body_is_json = false;
    Duration timeout = 10s;
    std::string json_path;  // empty: the whole answer
    bool insecure = false;
    std::optional<OAuth2> oauth2 = {};
    friend bool operator==(const Web&, const Web&) = default;
};
struct Job {
    std::string metadata;  // JSON; empty: none
    std::string spec;      // JSON
    friend bool operator==(const Job&, const Job&) = default;
};
struct Unserved {
    std::string name;  // "datadog", "prometheus.authentication.sigv4"
    friend bool operator==(const Unserved&, const Unserved&) = default;
};
using Provider = std::variant<Unserved, Prometheus, Web, Job>;

struct Metric {
    std::string name;
    std::optional<Written<Duration>> interval;
    Written<Duration> initial_delay = Duration{0};
    std::optional<Written<int>> count;  // nothing: one; with an interval, until the analysis ends
    std::string success_condition;
    std::string failure_condition;
    Written<int> failure_limit = 0;  // -1: any number, while successes in a row are asked for
    Written<int> inconclusive_limit = 0;
    Written<int> consecutive_error_limit = 4;
    Written<int> consecutive_success_limit = 0;  // 0: none are asked for
    Provider provider;
    std::string source;  // the JSON that it was read from: a run carries it unchanged
    friend bool operator==(const Metric&, const Metric&) = default;
};

struct Template {
    std::vector<Metric> metrics;
    std::vector<Argument> args;
    std::vector<std::string> dry_run;  // patterns as in Retention
    std::vector<Retention> retention;
    std::vector<TemplateRef> templates;  // whose metrics are added
    friend bool operator==(const Template&, const Template&) = default;
};

std::expected<Template, FieldErrors> read_template(const model::CustomObject& object);

}  // namespace sluice::api::analysis
