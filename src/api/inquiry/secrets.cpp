#include "api/inquiry/secrets.hpp"

#include <algorithm>

#include "api/inquiry/hosts.hpp"
#include "api/inquiry/text.hpp"
#include "base/base64.hpp"
#include "base/printable.hpp"

namespace sluice::api {

namespace {

// More than any header line that servers accept.
constexpr std::size_t header_bytes_max = 8u << 10;

bool is_header_character(char c) {
    return c == '\t' || (c >= 0x20 && c < 0x7F);
}

}  // namespace

Result<std::string_view> SecretReader::text(const std::string& key) const {
    const auto found = secret_.data.find(key);
    if (found == secret_.data.end()) return wrong("has no key " + printable(key, 64));
    const std::string_view value = without_trailing_newline(found->second.reveal());
    if (value.empty()) return wrong("key " + printable(key, 64) + " is empty");
    return value;
}

Result<std::string_view> SecretReader::header_value(const std::string& key) const {
    const Result<std::string_view> value = text(key);
    if (!value) return value;
    if (value->size() > header_bytes_max) {
        return wrong("key " + printable(key, 64) + " is longer than 8 KiB");
    }
    if (!std::ranges::all_of(*value, is_header_character)) {
        return wrong("key " + printable(key, 64) + " holds bytes that a header cannot carry");
    }
    return value;
}

Result<HostList> SecretReader::allowed_hosts() const {
    const auto listed = secret_.annotations.find(allowed_hosts_annotation);
    if (listed == secret_.annotations.end()) return HostList{};
    Result<HostList> hosts = read_hosts(listed->second);
    if (hosts) return hosts;
    return wrong("annotation " + allowed_hosts_annotation + ": " + hosts.error().message);
}

Result<void> SecretReader::may_go_to(const Url& url, bool is_verified,
                                     const HostList& by_administrator) const {
    const Result<HostList> hosts = allowed_hosts();
    if (!hosts) return std::unexpected(hosts.error());
    const std::string origin =
        url.scheme + "://" + url.host + (url.port.empty() ? "" : ":" + url.port);
    if (url.scheme == "https" && !is_verified)
        return wrong("is not sent to " + printable(origin, 256) +
                     ", whose certificate is not to be verified");
    if (lists_for_secrets(*hosts, url) || lists_for_secrets(by_administrator, url)) return {};
    const auto listed = secret_.annotations.find(allowed_hosts_annotation);
    const bool has_some = listed != secret_.annotations.end() && !listed->second.empty();
    const std::size_t slash = full_name_.find('/');
    const std::string entry = url.scheme == "https" ? origin.substr(8) : origin;
    return wrong("may not be sent to " + printable(origin, 256) + ". To allow it: kubectl -n " +
                 full_name_.substr(0, slash) + " annotate --overwrite secret " +
                 full_name_.substr(slash + 1) + " " + allowed_hosts_annotation + "=" +
                 (has_some ? printable(listed->second, 256) + "," : "") + printable(entry, 256) +
                 ", or start the operator with --allowed-metric-hosts=" + printable(entry, 256));
}

Result<void> SecretReader::is_not_kept_from(const Url& url) const {
    const Result<HostList> hosts = allowed_hosts();
    if (!hosts) return std::unexpected(hosts.error());
    if (!secret_.annotations.contains(allowed_hosts_annotation) || lists(*hosts, url)) return {};
    return wrong("its annotation " + allowed_hosts_annotation + " does not list the host " +
                 quoted(url.host));
}

std::unexpected<Error> SecretReader::wrong(const std::string& what) const {
    return failure(ErrorKind::Invalid, "Secret " + full_name_ + ": " + what);
}

std::expected<SecretReader, NoSecret> read_secret(const std::string& ns, const Learnt& learnt,
                                                  const std::string& name) {
    const auto found = learnt.secrets.find(name);
    if (found == learnt.secrets.end()) return std::unexpected<NoSecret>(NeedSecret{name});
    const Result<Secret>& secret = found->second;
    if (!secret) return std::unexpected<NoSecret>(secret.error());
    return SecretReader{ns + "/" + name, *secret};
}

Result<Redacted> basic_authorization(const SecretReader& secret) {
    const Result<std::string_view> username = secret.text("username");
    if (!username) return std::unexpected(username.error());
    const Result<std::string_view> password = secret.text("password");
    if (!password) return std::unexpected(password.error());
    if (username->contains(':')) return secret.wrong("key username must not hold a colon");
    const Redacted pair{std::string(*username) + ":" + std::string(*password)};
    return Redacted{"Basic " + encode_base64(pair.reveal())};
}

}  // namespace sluice::api
