// The texts of a question with their Secrets in place, for one peer.
//
// Promises: a Secret is put into a text only for a peer that it may go to; a host that Sluice may
// not ask is no peer; instead of what is missing or refused there is the step that comes first.
#pragma once

#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/analysis/inquire.hpp"
#include "api/inquiry/url.hpp"

namespace sluice::api::analysis {

// Or the step that comes first.
template <class T>
using Wanted = std::expected<T, FindingStep>;

// Ends the inquiry with this sentence of ours.
std::unexpected<FindingStep> stop(std::string_view why);

// What all steps of one inquiry have in common.
struct Inquiring {
    const std::string& ns;    // where the Secrets are
    const HostList& allowed;  // by the administrator; empty: any
    const Learnt& learnt;
};

// Whom a text goes to.
struct Peer {
    Url host;
    bool is_verified;  // https only with a certificate that proves who it is
};

// The peer at a URL that stands in the field of this name, if it may be asked.
Wanted<Peer> peer_at(std::string_view field, const Result<Url>& url, bool is_verified,
                     const HostList& allowed);

class Filling {
  public:
    // The values of these Secrets, all of which may go to the peer.
    static Wanted<Filling> of(const std::vector<SecretArgument>& secrets, const Peer& peer,
                              const Inquiring& inquiring);

    Wanted<std::string> put_into(std::string_view text) const;

  private:
    std::map<std::string, Redacted> values_;
};

}  // namespace sluice::api::analysis
