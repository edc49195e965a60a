#include "api/analysis/token.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "api/inquiry/text.hpp"
#include "base/base64.hpp"
#include "base/percent.hpp"
#include "base/text.hpp"
#include "model/json_text.hpp"

namespace sluice::api::analysis {
namespace {

// More than any header line that servers accept.
constexpr std::size_t token_bytes_max = 8u << 10;

struct Client {
    Peer endpoint;
    Redacted id;
    Redacted secret;
    std::string scope;
};

Wanted<Client> client_of(const OAuth2& written, const std::vector<SecretArgument>& secrets,
                         bool is_verified, const Inquiring& inquiring) {
    const std::string scope = fmt::format("{}", fmt::join(written.scopes, " "));
    if (holds_argument(written.token_url) || holds_argument(scope))
        return stop("tokenUrl and scopes must not hang on a Secret: clientId and clientSecret may");
    const auto endpoint = peer_at("tokenUrl", read_url(written.token_url, "clientSecret"),
                                  is_verified, inquiring.allowed);
    if (!endpoint) return std::unexpected(endpoint.error());
    const auto filling = Filling::of(
        secrets_in({written.client_id, written.client_secret}, secrets), *endpoint, inquiring);
    if (!filling) return std::unexpected(filling.error());
    auto id = filling->put_into(written.client_id);
    if (!id) return std::unexpected(id.error());
    auto secret = filling->put_into(written.client_secret);
    if (!secret) return std::unexpected(secret.error());
    return Client{*endpoint, Redacted{std::move(*id)}, Redacted{std::move(*secret)}, scope};
}

// What a header says of the client, before it is encoded.
Redacted pair_of(const Client& client) {
    return Redacted{percent_encoded(client.id.reveal()) + ":" +
                    percent_encoded(client.secret.reveal())};
}

Ask request(const Client& client, Duration timeout) {
    Ask ask;
    ask.method = "POST";
    ask.url = to_text(client.endpoint.host);
    ask.headers = {{"Accept", Redacted{"application/json"}},
                   {"Content-Type", Redacted{"application/x-www-form-urlencoded"}}};
    ask.body = "grant_type=client_credentials";
    if (!client.scope.empty()) ask.body += "&scope=" + percent_encoded(client.scope);
    ask.timeout = timeout;
    ask.verify = client.endpoint.is_verified;
    return ask;
}

Ask request_in_header(const Client& client, Duration timeout) {
    Ask ask = request(client, timeout);
    ask.headers.push_back(
        {"Authorization", Redacted{"Basic " + encode_base64(pair_of(client).reveal())}});
    return ask;
}

Ask request_in_body(const Client& client, Duration timeout) {
    Ask ask = request(client, timeout);
    ask.body += "&client_id=" + percent_encoded(client.id.reveal()) +
                "&client_secret=" + percent_encoded(client.secret.reveal());
    return ask;
}

// An endpoint that does not know the client from a header may know it from the body.
bool wants_body(const Result<Answer>& answer) {
    return answer && (answer->status == 400 || answer->status == 401 || answer->status == 403);
}

// The endpoint's own words go no further, but for these codes.
std::string known_error(std::string_view code) {
    constexpr std::array<std::string_view, 6> known{"invalid_request",        "invalid_client",
                                                    "invalid_grant",          "unauthorized_client",
                                                    "unsupported_grant_type", "invalid_scope"};
    return std::ranges::find(known, code) == known.end() ? "" : fmt::format(": {}", code);
}

Result<Redacted> token_from(const Result<Answer>& answer) {
    if (answer) return token_in(*answer);
    return failure(answer.error().kind,
                   "the token endpoint gave no answer: " + answer.error().message);
}

bool can_be_carried(std::string_view token) {
    return token.size() <= token_bytes_max &&
           std::ranges::all_of(token, [](char c) { return c > 0x20 && c < 0x7F; });
}

}  // namespace

Result<Redacted> token_in(const Answer& answer) {
    const Result<boost::json::value> whole = json_in(answer);
    if (const Result<void> served = is_served_by("the token endpoint", answer); !served)
        return failure(
            served.error().kind,
            served.error().message + (whole ? known_error(model::text_at(*whole, "/error")) : ""));
    if (!whole) return failure(ErrorKind::Malformed, "the token endpoint's answer is not JSON");
    const std::string_view token = model::text_at(*whole, "/access_token");
    const std::string type = in_lower_case(model::text_at(*whole, "/token_type"));
    if (token.empty())
        return failure(ErrorKind::Malformed, "the token endpoint's answer holds no access_token");
    if (!type.empty() && type != "bearer")
        return failure(ErrorKind::Invalid,
                       "the token endpoint gave a token of another type than Bearer");
    if (!can_be_carried(token))
        return failure(ErrorKind::Malformed,
                       "the token endpoint gave a token that a header cannot carry");
    return Redacted{std::string{token}};
}

Wanted<Admission> admission(const std::optional<OAuth2>& client,
                            const std::vector<SecretArgument>& secrets, bool is_verified,
                            Duration timeout, const Inquiring& inquiring) {
    Admission admitted;
    if (!client) return admitted;
    const auto known = client_of(*client, secrets, is_verified, inquiring);
    if (!known) return std::unexpected(known.error());
    const std::vector<Result<Answer>>& answers = inquiring.learnt.answers;
    if (answers.empty()) return std::unexpected<FindingStep>(request_in_header(*known, timeout));
    if (answers.size() == 1 && wants_body(answers[0]))
        return std::unexpected<FindingStep>(request_in_body(*known, timeout));
    admitted.answers = wants_body(answers[0]) ? 2 : 1;
    admitted.confidential = {known->secret, pair_of(*known)};
    auto token = token_from(answers[admitted.answers - 1]);
    if (!token)
        return stop(confined(token.error().message, inquiring.learnt, admitted.confidential));
    admitted.headers.push_back(
        {"Authorization", Redacted{"Bearer " + std::string{token->reveal()}}});
    admitted.confidential.push_back(std::move(*token));
    return admitted;
}

int token_requests_max(const std::optional<OAuth2>& client) {
    return client ? 2 : 0;
}

}  // namespace sluice::api::analysis
