#include "api/analysis/inquire.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "api/analysis/token.hpp"
#include "api/inquiry/text.hpp"
#include "api/metrics/prometheus.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "language/expression.hpp"

namespace sluice::api::analysis {
namespace {

constexpr std::size_t document_bytes_max = 1u << 20;

// What HTTP itself is made of is not for users to say.
bool may_carry(std::string_view name) {
    constexpr std::array<std::string_view, 8> own{"host",    "content-length", "transfer-encoding",
                                                  "trailer", "connection",     "upgrade",
                                                  "te",      "expect"};
    const std::string lower = in_lower_case(name);
    return is_token(lower) && !lower.starts_with("proxy-") &&
           std::ranges::find(own, lower) == own.end();
}

bool is_header_text(std::string_view text) {
    return std::ranges::all_of(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return c == '\t' || (byte >= 0x20 && byte != 0x7F);
    });
}

Wanted<std::vector<AskHeader>> filled_headers(const std::vector<Header>& headers,
                                              const Filling& filling) {
    std::vector<AskHeader> filled;
    for (const Header& header : headers) {
        if (!may_carry(header.key))
            return stop("the header " + quoted(header.key) + " is not one that can be sent");
        auto text = filling.put_into(header.value);
        if (!text) return std::unexpected(text.error());
        if (!is_header_text(*text))
            return stop("the value of the header " + quoted(header.key) +
                        " holds bytes that a header cannot carry");
        filled.push_back({header.key, Redacted{std::move(*text)}});
    }
    return filled;
}

// What is not a header is written down in many places on its way, so no Secret stands in it.
std::optional<std::string> secret_outside_headers(
    std::initializer_list<std::pair<const char*, std::string_view>> parts) {
    for (const auto& [name, text] : parts)
        if (holds_argument(text))
            return std::string{"the "} + name + " must not hang on a Secret: headers may";
    return std::nullopt;
}

// The last of these answers, once it is there, as a finding.
template <class Read>
FindingStep read_last(std::span<const Result<Answer>> answers, const Learnt& learnt,
                      const Admission& admitted, Read read) {
    const Result<Answer>& answer = answers.back();
    const Result<language::Value> value = answer ? read(*answer) : std::unexpected(answer.error());
    if (!value)
        return Finding{NotMeasured{confined(value.error().message, learnt, admitted.confidential)}};
    return Finding{Measured{*value, confined(to_text(*value), learnt, admitted.confidential)}};
}

// The answers to the question itself.
std::span<const Result<Answer>> behind(const Admission& admitted, const Learnt& learnt) {
    return std::span{learnt.answers}.subspan(admitted.answers);
}

Wanted<Ask> web_request(const WebQuestion& question, const Inquiring& inquiring) {
    const Web& web = question.provider;
    if (const auto why = secret_outside_headers({{"url", web.url}, {"body", web.body}}))
        return stop(*why);
    const auto peer = peer_at("url", read_url(web.url, "a header with a Secret"), !web.insecure,
                              inquiring.allowed);
    if (!peer) return std::unexpected(peer.error());
    const auto filling = Filling::of(question.secrets, *peer, inquiring);
    if (!filling) return std::unexpected(filling.error());
    auto headers = filled_headers(web.headers, *filling);
    if (!headers) return std::unexpected(headers.error());
    constexpr std::array methods{"GET", "POST", "PUT"};
    Ask ask;
    ask.method = methods[static_cast<std::size_t>(web.method)];
    ask.url = to_text(peer->host);
    ask.headers = std::move(*headers);
    ask.body = web.body;
    if (web.body_is_json) ask.headers.push_back({"Content-Type", Redacted{"application/json"}});
    ask.timeout = web.timeout;
    ask.body_max = document_bytes_max;
    ask.verify = !web.insecure;
    return ask;
}

// The moments that a range query is about.
Wanted<std::optional<metrics::Span>> span_of(const PrometheusQuestion& question) {
    const std::optional<RangeQuery>& range = question.provider.range;
    if (!range) return std::nullopt;
    const Duration* step = std::get_if<Duration>(&range->step);
    if (!step) return stop("rangeQuery.step must not hang on a Secret");
    const Result<Instant> start = language::time_at(range->start, question.at);
    if (!start) return stop("rangeQuery.start " + start.error().message);
    const Result<Instant> end = language::time_at(range->end, question.at);
    if (!end) return stop("rangeQuery.end " + end.error().message);
    if (*end < *start) return stop("rangeQuery.end must not be before rangeQuery.start");
    return metrics::Span{*start, *end, *step};
}

struct PrometheusRequest {
    Url url;
    metrics::QueryText query;
    Ask common;
};
Wanted<PrometheusRequest> prometheus_request(const PrometheusQuestion& question,
                                             const Inquiring& inquiring) {
    const Prometheus& prometheus = question.provider;
    if (const auto why =
            secret_outside_headers({{"address", prometheus.address}, {"query", prometheus.query}}))
        return stop(*why);
    const auto peer = peer_at("url", metrics::prometheus_url(prometheus.address),
                              !prometheus.insecure, inquiring.allowed);
    if (!peer) return std::unexpected(peer.error());
    const auto filling = Filling::of(question.secrets, *peer, inquiring);
    if (!filling) return std::unexpected(filling.error());
    if (const auto problem = metrics::promql_problem(prometheus.query))
        return stop("the query " + *problem);
    const auto span = span_of(question);
    if (!span) return std::unexpected(span.error());
    auto headers = filled_headers(prometheus.headers, *filling);
    if (!headers) return std::unexpected(headers.error());
    Ask common;
    common.headers = std::move(*headers);
    common.timeout = prometheus.timeout;
    common.verify = !prometheus.insecure;
    return PrometheusRequest{peer->host, {prometheus.query, *span}, std::move(common)};
}

template <class Asked>
Wanted<Admission> admission_to(const Asked& question, const Inquiring& inquiring) {
    return admission(question.provider.oauth2, question.secrets, !question.provider.insecure,
                     question.provider.timeout, inquiring);
}

Ask carrying(const Admission& admitted, Ask ask) {
    ask.headers.insert(ask.headers.end(), admitted.headers.begin(), admitted.headers.end());
    return ask;
}

}  // namespace

FindingStep inquire(const PrometheusQuestion& question, const std::string& ns,
                    const HostList& allowed, const Learnt& learnt) {
    const Inquiring inquiring{ns, allowed, learnt};
    auto request = prometheus_request(question, inquiring);
    if (!request) return request.error();
    const auto admitted = admission_to(question, inquiring);
    if (!admitted) return admitted.error();
    const auto answers = behind(*admitted, learnt);
    auto next = metrics::next_request(carrying(*admitted, std::move(request->common)),
                                      request->query, request->url, answers);
    if (next) return std::move(*next);
    return read_last(answers, learnt, *admitted, samples_of);
}

FindingStep inquire(const WebQuestion& question, const std::string& ns, const HostList& allowed,
                    const Learnt& learnt) {
    const Inquiring inquiring{ns, allowed, learnt};
    auto request = web_request(question, inquiring);
    if (!request) return request.error();
    const auto admitted = admission_to(question, inquiring);
    if (!admitted) return admitted.error();
    const auto answers = behind(*admitted, learnt);
    if (answers.empty()) return carrying(*admitted, std::move(*request));
    return read_last(answers, learnt, *admitted, [&](const Answer& answer) {
        return document_of(answer, question.provider.json_path);
    });
}

Duration longest(const PrometheusQuestion& question) {
    const int requests = 2 + token_requests_max(question.provider.oauth2);
    return requests * question.provider.timeout + 30s;
}

Duration longest(const WebQuestion& question) {
    const int requests = 1 + token_requests_max(question.provider.oauth2);
    return requests * question.provider.timeout + 30s;
}

namespace {

Inquiry inquiry_of(const auto& what, const std::string& key, const Asking& asking) {
    const auto said = [key](auto reply) {
        return engine::answer_of(MeasurementAnswer{key, std::move(reply), {}});
    };
    return {asking.ns, longest(what),
            [what, asking, said](const Learnt& learnt) {
                return move_of<Finding>(
                    inquire(what, asking.ns, asking.metric_hosts, learnt),
                    [&](Finding finding) { return std::visit(said, std::move(finding)); });
            },
            [said](const Error& error) {
                return error.kind == ErrorKind::Throttled ? said(NotAsked{})
                                                          : said(NotMeasured{error.message});
            }};
}

}  // namespace

std::optional<Inquiry> inquire(const engine::Question& question, const Asking& asking) {
    const auto* asked = engine::opened<Question>(question);
    if (!asked) return std::nullopt;
    if (const auto* web = std::get_if<WebQuestion>(&asked->what))
        return inquiry_of(*web, asked->key, asking);
    return inquiry_of(std::get<PrometheusQuestion>(asked->what), asked->key, asking);
}

}  // namespace sluice::api::analysis
