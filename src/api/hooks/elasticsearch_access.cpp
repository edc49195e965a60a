#include <cstdint>

#include "api/hooks/built_in.hpp"
#include "api/hooks/elasticsearch.hpp"
#include "api/inquiry/url.hpp"
#include "base/names.hpp"
#include "base/printable.hpp"

namespace sluice::api::hooks {

namespace {

const std::string scheme_annotation{elasticsearch_annotations[0]};
const std::string port_annotation{elasticsearch_annotations[1]};
const std::string secret_annotation{elasticsearch_annotations[2]};

std::string annotation_or(const Transition& transition, const std::string& name,
                          const std::string& otherwise) {
    const auto given = transition.annotations.find(name);
    return given == transition.annotations.end() ? otherwise : given->second;
}

std::unexpected<HookStep> not_so(const std::string& annotation, const std::string& value,
                                 const std::string& expected) {
    return std::unexpected<HookStep>(
        refuse("annotation " + annotation + ": " + quoted(value) + " is not " + expected));
}

Result<Redacted> api_key_authorization(const SecretReader& secret) {
    const Result<std::string_view> key = secret.header_value("apiKey");
    if (!key) return std::unexpected(key.error());
    return Redacted{"ApiKey " + std::string(*key)};
}

// Exactly one way to authenticate: with two, nobody could say which of them is in use.
Result<Redacted> authorization(const SecretReader& secret) {
    const bool by_password = secret.has("username") || secret.has("password");
    const bool by_api_key = secret.has("apiKey");
    if (by_password && by_api_key) {
        return secret.wrong("holds both username/password and apiKey; keep one of them");
    }
    if (by_api_key) return api_key_authorization(secret);
    if (by_password) return basic_authorization(secret);
    return secret.wrong("needs the keys username and password, or the key apiKey");
}

// The pods are what is asked, by their addresses.
Result<void> may_go_to_pods(const SecretReader& secret, const Transition& transition,
                            const ElasticsearchAccess& access) {
    for (const std::optional<HookPod>& pod : {transition.prev, transition.next}) {
        if (!pod || pod->ip.empty()) continue;
        const Result<void> sent =
            secret.is_not_kept_from({access.scheme, pod->ip, access.port, "", ""});
        if (!sent) return sent;
    }
    return {};
}

Result<std::string> certificate_authority(const SecretReader& secret, const std::string& scheme) {
    if (!secret.has(ca_key)) return "";
    if (scheme != "https") {
        return secret.wrong("key ca.crt is of no use with http; set annotation " +
                            scheme_annotation + ": https");
    }
    const Result<std::string_view> pem = secret.text(ca_key);
    if (!pem) return std::unexpected(pem.error());
    return std::string(*pem);
}

}  // namespace

std::expected<ElasticsearchAccess, HookStep> elasticsearch_access(const Transition& transition,
                                                                  const Learnt& learnt) {
    ElasticsearchAccess access;
    access.scheme = annotation_or(transition, scheme_annotation, access.scheme);
    if (access.scheme != "http" && access.scheme != "https") {
        return not_so(scheme_annotation, access.scheme, "http or https");
    }
    access.port = annotation_or(transition, port_annotation, access.port);
    if (!is_port(access.port)) {
        return not_so(port_annotation, access.port, "a port between 1 and 65535");
    }
    const std::string secret_name = annotation_or(transition, secret_annotation, "");
    if (!transition.annotations.contains(secret_annotation)) return access;
    if (!is_dns_subdomain(secret_name)) {
        return not_so(secret_annotation, secret_name, "the name of a Secret");
    }

    const auto secret = read_secret(transition, learnt, secret_name);
    if (!secret) return std::unexpected(secret.error());
    if (const Result<void> sent = may_go_to_pods(*secret, transition, access); !sent) {
        return std::unexpected<HookStep>(refuse(sent.error().message));
    }
    const Result<Redacted> authorized = authorization(*secret);
    if (!authorized) return std::unexpected<HookStep>(refuse(authorized.error().message));
    const Result<std::string> ca_pem = certificate_authority(*secret, access.scheme);
    if (!ca_pem) return std::unexpected<HookStep>(refuse(ca_pem.error().message));
    access.authorization = *authorized;
    access.ca_pem = *ca_pem;
    return access;
}

}  // namespace sluice::api::hooks
