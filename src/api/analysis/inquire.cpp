#include "api/analysis/inquire.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <expected>

#include "api/inquiry/secrets.hpp"
#include "api/inquiry/text.hpp"
#include "api/metrics/prometheus.hpp"
#include "api/metrics/promql.hpp"
#include "base/names.hpp"

namespace sluice::api::analysis {
namespace {

constexpr std::size_t document_bytes_max = 1u << 20;

template <class T>
using Wanted = std::expected<T, FindingStep>;

std::unexpected<FindingStep> stop(std::string_view why) {
    return std::unexpected<FindingStep>(Finding{NotMeasured{printable(why, advice_bytes_max)}});
}

// Whom a question goes to.
struct Peer {
    Url host;
    bool is_verified;
    const HostList& allowed;  // by the administrator
};

// The Secrets of a question, which go into its headers.
class Filling {
  public:
    // Or what must come first.
    static Wanted<Filling> of(const std::vector<SecretArgument>& secrets, const Peer& peer,
                              const std::string& ns, const Learnt& learnt) {
        Filling filling;
        for (const SecretArgument& secret : secrets) {
            if (!is_dns_subdomain(secret.from.name))
                return stop(quoted(secret.from.name) + " is not the name of a Secret");
            const auto reader = read_secret(ns, learnt, secret.from.name);
            if (!reader) {
                if (const auto* need = std::get_if<NeedSecret>(&reader.error()))
                    return std::unexpected<FindingStep>(*need);
                return stop(std::get<Error>(reader.error()).message);
            }
            const Result<void> sent = reader->may_go_to(peer.host, peer.is_verified, peer.allowed);
            if (!sent) return stop(sent.error().message);
            const Result<std::string_view> value = reader->text(secret.from.key);
            if (!value) return stop(value.error().message);
            filling.values_.emplace(secret.name, Redacted{std::string{*value}});
        }
        return filling;
    }

    Wanted<std::string> put_into(std::string_view text) const {
        auto out = substituted(text, [&](const std::string& name) -> std::optional<std::string> {
            const auto found = values_.find(name);
            if (found == values_.end()) return std::nullopt;
            return std::string{found->second.reveal()};
        });
        if (!out) return stop("the question " + out.error().message);
        return std::move(*out);
    }

  private:
    std::map<std::string, Redacted> values_;
};

// What HTTP itself is made of is not for users to say.
bool may_carry(std::string_view name) {
    constexpr std::array<std::string_view, 8> own{"host",    "content-length", "transfer-encoding",
                                                  "trailer", "connection",     "upgrade",
                                                  "te",      "expect"};
    std::string lower(name);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool is_token = !lower.empty() && std::ranges::all_of(lower, [](char c) {
        constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || marks.contains(c);
    });
    return is_token && !lower.starts_with("proxy-") && std::ranges::find(own, lower) == own.end();
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

// Whom the question goes to, if it may.
Wanted<Url> asked_at(const Result<Url>& url, const HostList& allowed) {
    if (!url) return stop("the url " + url.error().message);
    if (!allowed.empty() && !lists(allowed, *url))
        return stop("the host " + quoted(url->host) + " is not one that Sluice may ask");
    return *url;
}

// What is not a header is written down in many places on its way, so no Secret stands in it.
std::optional<std::string> secret_outside_headers(
    std::initializer_list<std::pair<const char*, std::string_view>> parts) {
    for (const auto& [name, text] : parts)
        if (holds_argument(text))
            return std::string{"the "} + name + " must not hang on a Secret: headers may";
    return std::nullopt;
}

FindingStep found(const Result<Value>& value, const Learnt& learnt) {
    if (!value) return Finding{NotMeasured{confined(value.error().message, learnt)}};
    return Finding{Measured{*value, confined(to_text(*value), learnt)}};
}

Wanted<Ask> web_request(const WebQuestion& question, const std::string& ns, const HostList& allowed,
                        const Learnt& learnt) {
    const Web& web = question.provider;
    if (const auto why = secret_outside_headers({{"url", web.url}, {"body", web.body}}))
        return stop(*why);
    const auto url = asked_at(read_url(web.url, "a header with a Secret"), allowed);
    if (!url) return std::unexpected(url.error());
    const auto filling = Filling::of(question.secrets, {*url, !web.insecure, allowed}, ns, learnt);
    if (!filling) return std::unexpected(filling.error());
    auto headers = filled_headers(web.headers, *filling);
    if (!headers) return std::unexpected(headers.error());
    constexpr std::array methods{"GET", "POST", "PUT"};
    Ask ask;
    ask.method = methods[static_cast<std::size_t>(web.method)];
    ask.url = to_text(*url);
    ask.headers = std::move(*headers);
    ask.body = web.body;
    if (web.body_is_json) ask.headers.push_back({"Content-Type", Redacted{"application/json"}});
    ask.timeout = web.timeout;
    ask.body_max = document_bytes_max;
    ask.verify = !web.insecure;
    return ask;
}

// The answer, once it is there, as a finding.
template <class Read>
FindingStep read_last(const Learnt& learnt, Read read) {
    const Result<Answer>& answer = learnt.answers.back();
    if (!answer) return found(std::unexpected(answer.error()), learnt);
    return found(read(*answer), learnt);
}

}  // namespace

FindingStep inquire(const PrometheusQuestion& question, const std::string& ns,
                    const HostList& allowed, const Learnt& learnt) {
    const Prometheus& prometheus = question.provider;
    if (const auto why =
            secret_outside_headers({{"address", prometheus.address}, {"query", prometheus.query}}))
        return stop(*why).error();
    const auto url = asked_at(metrics::prometheus_url(prometheus.address), allowed);
    if (!url) return url.error();
    const auto filling =
        Filling::of(question.secrets, {*url, !prometheus.insecure, allowed}, ns, learnt);
    if (!filling) return filling.error();
    if (const auto problem = metrics::promql_problem(prometheus.query))
        return stop("the query " + *problem).error();
    auto headers = filled_headers(prometheus.headers, *filling);
    if (!headers) return headers.error();
    Ask common;
    common.headers = std::move(*headers);
    common.timeout = prometheus.timeout;
    common.verify = !prometheus.insecure;
    if (auto request = metrics::next_request(std::move(common), prometheus.query, *url, learnt))
        return std::move(*request);
    return read_last(learnt, samples_of);
}

FindingStep inquire(const WebQuestion& question, const std::string& ns, const HostList& allowed,
                    const Learnt& learnt) {
    auto request = web_request(question, ns, allowed, learnt);
    if (!request) return request.error();
    if (learnt.answers.empty()) return std::move(*request);
    return read_last(learnt, [&](const Answer& answer) {
        return document_of(answer, question.provider.json_path);
    });
}

Duration longest(const PrometheusQuestion& question) {
    return 2 * question.provider.timeout + 30s;
}

Duration longest(const WebQuestion& question) {
    return question.provider.timeout + 30s;
}

}  // namespace sluice::api::analysis
