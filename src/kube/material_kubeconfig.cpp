#include <fmt/format.h>

#include <utility>

#include "base/base64.hpp"
#include "kube/bearer.hpp"
#include "kube/exec_credential.hpp"
#include "kube/material.hpp"
#include "kube/pem.hpp"

namespace sluice::kube {
namespace {

constexpr std::size_t pem_bytes_max = 1 << 20;

struct Pem {
    std::string where;  // the field, and the file if it names one
    Redacted text;
};

Result<Pem> read_pem(FileReader& files, const PemSource& source) {
    if (source.file.empty()) return Pem{source.where, source.data};
    const std::string where = fmt::format("{}: {}", source.where, source.file);
    Result<Redacted> text = files.read(source.file, pem_bytes_max);
    if (!text) return failure(text.error().kind, fmt::format("{} {}", where, text.error().message));
    return Pem{where, *std::move(text)};
}

Result<void> add_server_proof(FileReader& files, const ClusterEntry& cluster, Material& into) {
    into.tls.server_name = cluster.server_name;
    into.tls.verify = cluster.verify;
    if (cluster.authority.empty()) return {};
    const Result<Pem> pem = read_pem(files, cluster.authority);
    if (!pem) return std::unexpected(pem.error());
    if (!holds_certificate(pem->text.reveal()))
        return failure(ErrorKind::Malformed,
                       fmt::format("{} holds no PEM certificate", pem->where));
    into.tls.ca_pem = std::string(pem->text.reveal());
    return {};
}

Result<void> add_client_certificate(FileReader& files, const UserEntry& user, Material& into) {
    if (user.client_cert.empty()) return {};
    const Result<Pem> cert = read_pem(files, user.client_cert);
    if (!cert) return std::unexpected(cert.error());
    const Result<Pem> key = read_pem(files, user.client_key);
    if (!key) return std::unexpected(key.error());
    if (!holds_certificate(cert->text.reveal()))
        return failure(ErrorKind::Malformed,
                       fmt::format("{} holds no PEM certificate", cert->where));
    if (!holds_private_key(key->text.reveal()))
        return failure(ErrorKind::Malformed,
                       fmt::format("{} holds no PEM private key, or an encrypted one", key->where));
    if (!is_pair(cert->text.reveal(), key->text.reveal()))
        return failure(ErrorKind::Invalid,
                       fmt::format("{} does not belong to the client certificate", key->where));
    into.tls.client_cert_pem = std::string(cert->text.reveal());
    into.tls.client_key_pem = key->text;
    into.client_cert_where = cert->where;
    into.client_cert_expiry = certificate_expiry(cert->text.reveal());
    return {};
}

std::string_view without_trailing_blanks(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
        text.remove_suffix(1);
    return text;
}

// A token file that can be read goes before a token in the kubeconfig, as kubectl documents.
Result<Redacted> authorization_of(FileReader& files, const UserEntry& user) {
    if (!user.token_file.empty()) {
        const std::string where = fmt::format("{}.tokenFile: {}", user.where, user.token_file);
        const Result<Redacted> text = files.read(user.token_file, token_bytes_max);
        if (text) return bearer(where, without_trailing_blanks(text->reveal()));
        if (user.token.empty())
            return failure(text.error().kind, fmt::format("{} {}", where, text.error().message));
    }
    if (!user.token.empty()) return bearer(user.where + ".token", user.token.reveal());
    if (user.username.empty() && user.password.empty()) return Redacted();
    const Redacted pair(fmt::format("{}:{}", user.username, user.password.reveal()));
    return Redacted("Basic " + encode_base64(pair.reveal()));
}

// Names are resolved by the proxy, as kubectl's socks5 does; libcurl calls that socks5h.
std::string proxy_for_curl(const std::string& proxy) {
    constexpr std::string_view socks = "socks5://";
    return proxy.starts_with(socks) ? "socks5h://" + proxy.substr(socks.size()) : proxy;
}

Result<Material> assemble(FileReader& files, KubeconfigTarget target) {
    Material material;
    material.server_where = target.cluster.where + ".server";
    material.server = target.cluster.server;
    material.proxy = proxy_for_curl(target.cluster.proxy);
    material.ns = target.ns;
    if (!material.server.starts_with("https://")) return material;

    if (auto done = add_server_proof(files, target.cluster, material); !done)
        return std::unexpected(done.error());
    if (auto done = add_client_certificate(files, target.user, material); !done)
        return std::unexpected(done.error());
    Result<Redacted> authorization = authorization_of(files, target.user);
    if (!authorization) return std::unexpected(authorization.error());
    material.authorization = *std::move(authorization);
    if (target.user.exec)
        material.exec_info = exec_info(*target.user.exec, target.cluster, material.tls.ca_pem);
    material.exec = std::move(target.user.exec);
    return material;
}

std::string joined(const std::vector<std::string>& paths) {
    std::string all;
    for (const std::string& path : paths)
        all += (all.empty() ? "" : ", ") + path;
    return all;
}

// As kubectl: in a list, files that do not exist are skipped; a single one must exist.
Result<std::vector<KubeconfigText>> read_all(FileReader& files,
                                             const std::vector<std::string>& paths) {
    std::vector<KubeconfigText> texts;
    for (const std::string& path : paths) {
        if (path.empty()) continue;
        Result<Redacted> text = files.read(path, kubeconfig_bytes_max);
        if (text) {
            texts.push_back({path, *std::move(text)});
        } else if (paths.size() == 1 || exists(path)) {
            return failure(text.error().kind,
                           fmt::format("kubeconfig {}: {}", path, text.error().message));
        }
    }
    if (texts.empty() && !paths.empty())
        return failure(ErrorKind::Unreadable,
                       fmt::format("kubeconfig: none of these files exists: {}", joined(paths)));
    return texts;
}

}  // namespace

Gather gather_from_kubeconfig(std::vector<std::string> paths, std::string context) {
    return [paths = std::move(paths),
            context = std::move(context)](FileReader& files) mutable -> Result<Material> {
        const auto texts = read_all(files, paths);
        if (!texts) return std::unexpected(texts.error());
        Result<KubeconfigTarget> target = read_kubeconfig(*texts, context);
        if (!target) return std::unexpected(target.error());
        const std::string chosen = target->context;
        Result<Material> material = assemble(files, *std::move(target));
        if (material) context = chosen;
        return material;
    };
}

}  // namespace sluice::kube
