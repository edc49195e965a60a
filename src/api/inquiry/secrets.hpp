// Reading a Secret that an inquiry was given. Every refusal names the Secret and the key, never
// what the key holds.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "api/inquiry/hosts.hpp"
#include "api/inquiry/inquiry.hpp"
#include "api/inquiry/url.hpp"

namespace sluice::api {

inline const std::string ca_key = "ca.crt";
// On a Secret, set by people: the hosts that it may be sent to, as read_hosts() reads them.
inline const std::string allowed_hosts_annotation = "sluice.dev/allowed-hosts";

// Refers to the Learnt it was made from.
class SecretReader {
  public:
    SecretReader(std::string full_name, const Secret& secret)
        : full_name_(std::move(full_name)), secret_(secret) {}

    bool has(const std::string& key) const { return secret_.data.contains(key); }
    const SecretData& data() const { return secret_.data; }
    // The value of a key that must be there and not empty, without a trailing newline.
    Result<std::string_view> text(const std::string& key) const;
    // The same, where it is also fit to be sent as the value of a header.
    Result<std::string_view> header_value(const std::string& key) const;
    // Whether the Secret may be sent to the host of this URL, which a user chose: its annotation or
    // the administrator must list the host, with its scheme if that is plain http; and what answers
    // over https must have proven who it is.
    Result<void> may_go_to(const Url& url, bool is_verified,
                           const HostList& by_administrator) const;
    // The same where the administrator chose the URL, or the workload itself is asked: yes, unless
    // the annotation lists other hosts only, or cannot be read.
    Result<void> is_not_kept_from(const Url& url) const;
    // "Secret ns/name: <what>".
    std::unexpected<Error> wrong(const std::string& what) const;

  private:
    Result<HostList> allowed_hosts() const;

    std::string full_name_;
    const Secret& secret_;
};

// Instead of a Secret: it is still to be fetched, or it could not be.
using NoSecret = std::variant<NeedSecret, Error>;

// The Secret of this name, of the namespace that the inquiry is made for.
std::expected<SecretReader, NoSecret> read_secret(const std::string& ns, const Learnt& learnt,
                                                  const std::string& name);

// "Basic ..." of the keys username and password: the value of an Authorization header.
Result<Redacted> basic_authorization(const SecretReader& secret);

}  // namespace sluice::api
