// The token that a question is asked with: the client credentials grant of OAuth 2.0, as the first
// steps of an inquiry. The client names itself in a header, and where the endpoint refuses that, in
// the body.
//
// Promises: clientId and clientSecret go to the host of tokenUrl and nowhere else, and a Secret
// among them only if it may go there; of what the endpoint answers, nothing but the token and the
// error codes of RFC 6749 is used; no sentence repeats the client's secret or a token. A token is
// asked for anew for each question. Refuses: tokens that are not of the type Bearer.
#pragma once

#include <vector>

#include "api/analysis/filling.hpp"

namespace sluice::api::analysis {

struct Admission {
    std::vector<AskHeader> headers;      // that the question carries
    std::vector<Redacted> confidential;  // what no answer may bring back into a text
    std::size_t answers = 0;             // the first so many answers were about the token
};

// The `secrets` are those of the whole question; `is_verified` and `timeout` hold for each request.
// Without a client nothing is carried and nothing is asked.
Wanted<Admission> admission(const std::optional<OAuth2>& client,
                            const std::vector<SecretArgument>& secrets, bool is_verified,
                            Duration timeout, const Inquiring& inquiring);

// How many requests that takes at most.
int token_requests_max(const std::optional<OAuth2>& client);

// The token in an answer of the endpoint.
Result<Redacted> token_in(const Answer& answer);

}  // namespace sluice::api::analysis
