#include "api/analysis/filling.hpp"

#include "api/inquiry/secrets.hpp"
#include "base/names.hpp"
#include "base/printable.hpp"

namespace sluice::api::analysis {

std::unexpected<FindingStep> stop(std::string_view why) {
    return std::unexpected<FindingStep>(Finding{NotMeasured{printable(why, advice_bytes_max)}});
}

Wanted<Peer> peer_at(std::string_view field, const Result<Url>& url, bool is_verified,
                     const HostList& allowed) {
    if (!url) return stop("the " + std::string{field} + " " + url.error().message);
    if (!allowed.empty() && !lists(allowed, *url))
        return stop("the host " + quoted(url->host) + " is not one that Sluice may ask");
    return Peer{*url, is_verified};
}

Wanted<Filling> Filling::of(const std::vector<SecretArgument>& secrets, const Peer& peer,
                            const Inquiring& inquiring) {
    Filling filling;
    for (const SecretArgument& secret : secrets) {
        if (!is_dns_subdomain(secret.from.name))
            return stop(quoted(secret.from.name) + " is not the name of a Secret");
        const auto reader = read_secret(inquiring.ns, inquiring.learnt, secret.from.name);
        if (!reader) {
            if (const auto* need = std::get_if<NeedSecret>(&reader.error()))
                return std::unexpected<FindingStep>(*need);
            return stop(std::get<Error>(reader.error()).message);
        }
        const Result<void> sent = reader->may_go_to(peer.host, peer.is_verified, inquiring.allowed);
        if (!sent) return stop(sent.error().message);
        const Result<std::string_view> value = reader->text(secret.from.key);
        if (!value) return stop(value.error().message);
        filling.values_.emplace(secret.name, Redacted{std::string{*value}});
    }
    return filling;
}

Wanted<std::string> Filling::put_into(std::string_view text) const {
    auto out = substituted(text, [&](const std::string& name) -> std::optional<std::string> {
        const auto found = values_.find(name);
        if (found == values_.end()) return std::nullopt;
        return std::string{found->second.reveal()};
    });
    if (!out) return stop("the question " + out.error().message);
    return std::move(*out);
}

}  // namespace sluice::api::analysis
