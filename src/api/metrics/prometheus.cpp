#include "api/metrics/prometheus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <optional>

#include "api/inquiry/secrets.hpp"
#include "api/inquiry/text.hpp"
#include "base/names.hpp"
#include "base/percent.hpp"
#include "base/printable.hpp"

namespace sluice::api::metrics {

namespace {

const std::string query_path = "/api/v1/query";
const std::string range_path = "/api/v1/query_range";
const std::string token_key = "token";

// Instead of what was wanted, the step that must come first.
template <class T>
using Wanted = std::expected<T, MetricStep>;

std::unexpected<MetricStep> stop(std::string_view message) {
    return std::unexpected<MetricStep>(unanswerable(message));
}

// A failure that will come again until somebody changes a spec or a Secret. What the network, the
// API server or Prometheus has met passes by itself.
bool is_of_the_user(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::Refused:
        case ErrorKind::Forbidden:
        case ErrorKind::NotFound:
        case ErrorKind::Invalid:
        case ErrorKind::Malformed: return true;
        default: return false;
    }
}

// "%2e" is a dot to whoever decodes it.
bool is_dot_segment(std::string_view segment) {
    std::size_t dots = 0;
    for (; !segment.empty(); ++dots) {
        const bool encoded = segment.starts_with("%2e") || segment.starts_with("%2E");
        if (!encoded && segment.front() != '.') return false;
        segment.remove_prefix(encoded ? 3 : 1);
    }
    return dots == 1 || dots == 2;
}

bool has_dot_segment(std::string_view path) {
    while (!path.empty()) {
        const auto end = std::min(path.find('/'), path.size());
        if (is_dot_segment(path.substr(0, end))) return true;
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return false;
}

Wanted<SecretReader> find_secret(const std::string& ns, const Learnt& learnt,
                                 const std::string& name) {
    if (!is_dns_subdomain(name)) return stop(quoted(name) + " is not the name of a Secret");
    const auto secret = read_secret(ns, learnt, name);
    if (secret) return *secret;
    if (const auto* failed = std::get_if<Error>(&secret.error())) {
        if (is_of_the_user(failed->kind)) return stop(failed->message);
        return std::unexpected<MetricStep>(unknown(failed->message));
    }
    return std::unexpected<MetricStep>(std::get<NeedSecret>(secret.error()));
}

// The token counts, whatever else is there: the document's own example holds all three keys.
Result<Redacted> authorization(const SecretReader& secret) {
    const bool by_password = secret.has("username") || secret.has("password");
    const bool by_token = secret.has(token_key);
    if (by_password && !by_token) return basic_authorization(secret);
    if (!by_token) return secret.wrong("needs the keys username and password, or the key token");
    const Result<std::string_view> token = secret.header_value(token_key);
    if (!token) return std::unexpected(token.error());
    return Redacted{"Bearer " + std::string(*token)};
}

Result<std::string> authority(const SecretReader& secret, const Url& url) {
    if (url.scheme != "https") {
        return secret.wrong("key ca.crt is of no use with a url that does not begin with https://");
    }
    const Result<std::string_view> pem = secret.text(ca_key);
    if (!pem) return std::unexpected(pem.error());
    return std::string(*pem);
}

// What the Secrets add to a request.
Wanted<Ask> with_secrets(const PrometheusQuery& query, const Url& url, const std::string& ns,
                         const HostList& allowed, const Learnt& learnt) {
    Ask ask;
    ask.verify = !query.insecure_skip_verify;
    if (!query.ca_secret.empty() && !ask.verify) {
        return stop(
            "an authority is named, and certificates are not to be verified: take one away");
    }
    std::optional<SecretReader> ca;
    if (!query.ca_secret.empty()) {
        const Wanted<SecretReader> secret = find_secret(ns, learnt, query.ca_secret);
        if (!secret) return std::unexpected(secret.error());
        ca.emplace(*secret);
    }
    if (!query.secret.empty()) {
        const Wanted<SecretReader> secret = find_secret(ns, learnt, query.secret);
        if (!secret) return std::unexpected(secret.error());
        if (const Result<void> sent = secret->may_go_to(url, ask.verify, allowed); !sent) {
            return stop(sent.error().message);
        }
        const Result<Redacted> authorized = authorization(*secret);
        if (!authorized) return stop(authorized.error().message);
        ask.headers.push_back({"Authorization", *authorized});
        if (!ca && ask.verify && secret->has(ca_key)) ca.emplace(*secret);
    }
    if (ca) {
        const Result<std::string> pem = authority(*ca, url);
        if (!pem) return stop(pem.error().message);
        ask.ca_pem = *pem;
    }
    return ask;
}

// A server without POST says 405 or 501. A proxy that lets read, and takes POST for writing, says
// 403.
bool wants_get(const Result<Answer>& answer) {
    return answer && (answer->status == 405 || answer->status == 501 || answer->status == 403);
}

std::string in_seconds(std::int64_t ms) {
    return fmt::format("{:.3f}", static_cast<double>(ms) / 1000);
}

std::string form_of(const QueryText& query) {
    std::string form = "query=" + percent_encoded(query.expr);
    if (!query.span) return form;
    return form + "&start=" + in_seconds(query.span->start.ms) +
           "&end=" + in_seconds(query.span->end.ms) +
           "&step=" + in_seconds(query.span->step.count());
}

Ask post(Ask ask, const std::string& form, const std::string& address) {
    ask.method = "POST";
    ask.url = address;
    ask.headers.push_back({"Content-Type", Redacted{"application/x-www-form-urlencoded"}});
    ask.body = form;
    return ask;
}

Ask get(Ask ask, const std::string& form, const std::string& address) {
    ask.method = "GET";
    ask.url = address + "?" + form;
    return ask;
}

}  // namespace

Result<Url> prometheus_url(std::string_view text) {
    const std::string scheme = text.contains("://") ? "" : "http://";
    Result<Url> url = read_url(scheme + std::string(text), "the Secret");
    if (!url) return url;
    if (!url->query.empty()) return failure(ErrorKind::Invalid, "must not have a query (\"?\")");
    if (has_dot_segment(url->path)) {
        return failure(ErrorKind::Invalid, "must not have \".\" or \"..\" between slashes");
    }
    while (url->path.ends_with('/'))
        url->path.pop_back();
    for (const std::string& added : {query_path, range_path})
        if (url->path.ends_with(added))
            return failure(ErrorKind::Invalid,
                           "must not end in " + added + ", which Sluice adds itself");
    return url;
}

std::optional<Ask> next_request(Ask common, const QueryText& query, const Url& url,
                                std::span<const Result<Answer>> answers) {
    common.headers.push_back({"Accept", Redacted{"application/json"}});
    common.body_max = answer_bytes_max;
    const std::string address = to_text(url) + (query.span ? range_path : query_path);
    if (answers.empty()) return post(std::move(common), form_of(query), address);
    if (answers.size() == 1 && wants_get(answers.back()))
        return get(std::move(common), form_of(query), address);
    return std::nullopt;
}

Duration longest(const PrometheusQuery& query) {
    return 2 * query.timeout + 30s;
}

MetricStep ask_prometheus(const PrometheusQuery& query, const std::string& ns,
                          const HostList& allowed, const Learnt& learnt) {
    if (const auto problem = promql_problem(query.expr))
        return unanswerable("the query " + *problem);
    const Result<Url> url = prometheus_url(query.url);
    if (!url) return unanswerable("the url " + url.error().message);
    if (!allowed.empty() && !lists(allowed, *url)) {
        return unanswerable("the host " + quoted(url->host) + " is not one that Sluice may ask");
    }
    Wanted<Ask> ask = with_secrets(query, *url, ns, allowed, learnt);
    if (!ask) return ask.error();
    ask->timeout = query.timeout;
    if (auto request = next_request(std::move(*ask), {query.expr}, *url, learnt.answers))
        return std::move(*request);
    const Result<Answer>& answer = learnt.answers.back();
    if (!answer) {
        const std::string why = confined(answer.error().message, learnt);
        // An address that nobody may be sent to; any other trouble on the way may pass.
        return answer.error().kind == ErrorKind::Refused ? unanswerable(why) : unknown(why);
    }
    return read_prometheus_answer(*answer);
}

std::optional<Inquiry> inquire(const engine::Question& question, const Asking& asking) {
    const auto* query = engine::opened<PrometheusQuery>(question);
    if (!query) return std::nullopt;
    const auto said = [](const MetricReading& reading) {
        return engine::answer_of(to_answer(reading));
    };
    return Inquiry{asking.ns, longest(*query),
                   [query = *query, asking, said](const Learnt& learnt) {
                       return move_of<MetricReading>(
                           ask_prometheus(query, asking.ns, asking.metric_hosts, learnt), said);
                   },
                   [said](const Error& error) { return said(unknown(error.message)); }};
}

}  // namespace sluice::api::metrics
