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
#include "base/percent.hpp"

namespace sluice::api::analysis {
namespace {

namespace json = boost::json;

constexpr std::size_t document_bytes_max = 1u << 20;

template <class T>
using Wanted = std::expected<T, FindingStep>;

std::unexpected<FindingStep> stop(std::string_view why) {
    return std::unexpected<FindingStep>(Finding{NotMeasured{printable(why)}});
}

// How a value stands in the text that it is put into.
enum class Spelling { Plain, InUrl, InJson };

std::string spelt(std::string_view value, Spelling spelling) {
    if (spelling == Spelling::InUrl) return percent_encoded(value);
    if (spelling == Spelling::Plain) return std::string{value};
    const std::string quoted_text = json::serialize(json::string(value));
    return quoted_text.substr(1, quoted_text.size() - 2);
}

// The text of a URL up to the end of its host and port.
std::string_view origin_of(std::string_view url) {
    const auto scheme = url.find("://");
    const std::size_t begin = scheme == std::string_view::npos ? 0 : scheme + 3;
    return url.substr(0, std::min(url.find_first_of("/?#", begin), url.size()));
}

// The Secrets of a question, and where they may be put.
class Filling {
  public:
    // Or what must come first.
    static Wanted<Filling> of(const std::vector<SecretArgument>& secrets, const Url& host,
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
            if (const Result<void> sent = reader->may_go_to(host); !sent)
                return stop(sent.error().message);
            const Result<std::string_view> value = reader->text(secret.from.key);
            if (!value) return stop(value.error().message);
            filling.values_.emplace(secret.name, Redacted{std::string{*value}});
        }
        return filling;
    }

    Wanted<std::string> put_into(std::string_view text, Spelling spelling) const {
        auto out = substituted(text, [&](const std::string& name) -> std::optional<std::string> {
            const auto found = values_.find(name);
            if (found == values_.end()) return std::nullopt;
            return spelt(found->second.reveal(), spelling);
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
        auto text = filling.put_into(header.value, Spelling::Plain);
        if (!text) return std::unexpected(text.error());
        if (!is_header_text(*text))
            return stop("the value of the header " + quoted(header.key) +
                        " holds bytes that a header cannot carry");
        filled.push_back({header.key, Redacted{std::move(*text)}});
    }
    return filled;
}

// Whom the question goes to, if it may; nothing of it is secret.
Wanted<Url> host_of(std::string_view url, const HostList& allowed) {
    const std::string_view origin = origin_of(url);
    if (holds_argument(origin)) return stop("the host must not hang on a Secret");
    const std::string scheme = origin.contains("://") ? "" : "http://";
    const Result<Url> host = read_url(scheme + std::string{origin}, "an argument from a Secret");
    if (!host) return stop("the url " + host.error().message);
    if (!allowed.empty() && !lists(allowed, *host))
        return stop("the host " + quoted(host->host) + " is not one that Sluice may ask");
    return *host;
}

// Whoever echoes a Secret may echo it as it stood in the request.
std::string blotted(std::string_view text, Learnt learnt) {
    for (auto& [name, secret] : learnt.secrets) {
        if (!secret) continue;
        const SecretData plain = secret->data;
        for (const auto& [key, value] : plain)
            for (const Spelling spelling : {Spelling::InUrl, Spelling::InJson})
                secret->data.emplace(
                    key + (spelling == Spelling::InUrl ? " in a URL" : " in JSON"),
                    Redacted{spelt(without_trailing_newline(value.reveal()), spelling)});
    }
    return confined(text, learnt);
}

FindingStep found(const Result<Value>& value, const Learnt& learnt) {
    if (!value) return Finding{NotMeasured{blotted(value.error().message, learnt)}};
    return Finding{Measured{*value, blotted(to_text(*value), learnt)}};
}

Wanted<Ask> web_request(const WebQuestion& question, const std::string& ns, const HostList& allowed,
                        const Learnt& learnt) {
    const Web& web = question.provider;
    const auto host = host_of(web.url, allowed);
    if (!host) return std::unexpected(host.error());
    const auto filling = Filling::of(question.secrets, *host, ns, learnt);
    if (!filling) return std::unexpected(filling.error());
    const auto address = filling->put_into(web.url, Spelling::InUrl);
    if (!address) return std::unexpected(address.error());
    const Result<Url> url = read_url(*address, "an argument from a Secret");
    if (!url) return stop("the url " + url.error().message);
    auto headers = filled_headers(web.headers, *filling);
    if (!headers) return std::unexpected(headers.error());
    auto body = filling->put_into(web.body, web.body_is_json ? Spelling::InJson : Spelling::Plain);
    if (!body) return std::unexpected(body.error());
    constexpr std::array methods{"GET", "POST", "PUT"};
    Ask ask;
    ask.method = methods[static_cast<std::size_t>(web.method)];
    ask.url = to_text(*url);
    ask.headers = std::move(*headers);
    ask.body = std::move(*body);
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
    const auto host = host_of(prometheus.address, allowed);
    if (!host) return host.error();
    const auto filling = Filling::of(question.secrets, *host, ns, learnt);
    if (!filling) return filling.error();
    const auto address = filling->put_into(prometheus.address, Spelling::InUrl);
    if (!address) return address.error();
    const Result<Url> url = metrics::prometheus_url(*address);
    if (!url) return stop("the address " + url.error().message).error();
    const auto query = filling->put_into(prometheus.query, Spelling::Plain);
    if (!query) return query.error();
    if (const auto problem = metrics::promql_problem(*query))
        return stop("the query " + *problem).error();
    auto headers = filled_headers(prometheus.headers, *filling);
    if (!headers) return headers.error();
    Ask common;
    common.headers = std::move(*headers);
    common.timeout = prometheus.timeout;
    common.verify = !prometheus.insecure;
    if (auto request = metrics::next_request(std::move(common), *query, *url, learnt))
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
