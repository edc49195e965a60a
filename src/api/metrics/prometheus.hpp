// One question to Prometheus, as an inquiry: its Secrets, one query, and the reading.
//
// Promises: the query goes to <url>/api/v1/query of the host that was named and nowhere else, or to
// <url>/api/v1/query_range if it has a span; by POST, and by GET where POST is not let through; a
// Secret goes only to hosts that its annotation sluice.dev/allowed-hosts lists, if it has one.
// Everything that cannot be known, from a wrong field to a broken answer, is Unknown with a
// sentence. Pure; the Inquirer does the asking.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/inquiry/hosts.hpp"
#include "api/inquiry/inquiry.hpp"
#include "api/inquiry/url.hpp"
#include "api/metrics/reading.hpp"
#include "engine/probe.hpp"

namespace sluice::api::metrics {

using PrometheusQuery = engine::MetricQuery;

// The base address of Prometheus: no user, query or fragment, no slash at the end, no "." or ".."
// between slashes, and not the path of the query itself, which is added. The Error completes the
// sentence `<field>: ...` and does not repeat the text.
Result<Url> prometheus_url(std::string_view text);

// Longer ones are not written by people, and a GET has to carry them, percent-encoded.
inline constexpr std::size_t promql_bytes_max = 8u << 10;

// What can be said about a PromQL expression without Prometheus: whether it is there, short enough,
// and closes what it opens. Whether it means anything, Prometheus says when it is asked first.
// Nothing: no problem was seen. Otherwise what completes the sentence `<field>: ...`; of the
// expression it repeats nothing but a bracket or a quote. Positions count bytes from 1.
std::optional<std::string> promql_problem(std::string_view expr);

// A query of many moments: from the first to the last, with a step between them.
struct Span {
    Instant start;
    Instant end;
    Duration step;
};
struct QueryText {
    std::string expr;
    std::optional<Span> span = {};  // nothing: of this moment
};

// The request that asks this Prometheus, made of what is common to all requests: by POST, and by
// GET where that was not let through. Nothing once the last of its answers is there.
std::optional<Ask> next_request(Ask common, const QueryText& query, const Url& url,
                                std::span<const Result<Answer>> answers);

// The whole inquiry: two requests, and what the API server needs to give two Secrets.
Duration longest(const PrometheusQuery& query);

// `ns` is where the Secrets are; `allowed` are the hosts that may be asked at all, empty: any.
MetricStep ask_prometheus(const PrometheusQuery& query, const std::string& ns,
                          const HostList& allowed, const Learnt& learnt);

// How a query is asked, in the name of a namespace: it ends in an engine::MetricAnswer. More at
// once than hooks get, for every rollout asks again and again, and each answer comes soon.
inline constexpr InquiryBounds metric_bounds{
    .calls_max = 128, .per_namespace_max = 16, .first_places = 64};
std::optional<Inquiry> inquire(const engine::Question& question, const Asking& asking);

}  // namespace sluice::api::metrics
