#include "kube/material.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "kube/bearer.hpp"
#include "kube/exec_plugin.hpp"
#include "kube/pem.hpp"

namespace sluice::kube {
namespace {

struct Text {
    std::string where;  // the field, and the file if it names one
    Redacted bytes;
};

Result<Text> read(FileReader& files, const std::string& field, const std::string& path,
                  std::size_t bytes_max) {
    const std::string where = fmt::format("{}: {}", field, path);
    Result<Redacted> bytes = files.read(path, bytes_max);
    if (bytes) return Text{where, *std::move(bytes)};
    return failure(bytes.error().kind, fmt::format("{} {}", where, bytes.error().message));
}

Result<Text> read_pem(FileReader& files, const PemSource& source) {
    if (source.file.empty()) return Text{source.where, source.data};
    return read(files, source.where, source.file, pem_bytes_max);
}

Result<Text> read_certificate(FileReader& files, const PemSource& source) {
    Result<Text> pem = read_pem(files, source);
    if (!pem || holds_certificate(pem->bytes.reveal())) return pem;
    return failure(ErrorKind::Malformed, fmt::format("{} holds no PEM certificate", pem->where));
}

Result<void> add_server_proof(FileReader& files, const ClusterEntry& cluster, Material& into) {
    into.tls.server_name = cluster.server_name;
    into.tls.verify = cluster.verify;
    if (cluster.authority.empty()) return {};
    const Result<Text> pem = read_certificate(files, cluster.authority);
    if (!pem) return std::unexpected(pem.error());
    into.tls.ca_pem = std::string(pem->bytes.reveal());
    return {};
}

Result<void> add_client_certificate(FileReader& files, const UserEntry& user, Material& into) {
    if (user.client_cert.empty()) return {};
    const Result<Text> cert = read_certificate(files, user.client_cert);
    if (!cert) return std::unexpected(cert.error());
    const Result<Text> key = read_pem(files, user.client_key);
    if (!key) return std::unexpected(key.error());
    if (!holds_private_key(key->bytes.reveal()))
        return failure(ErrorKind::Malformed,
                       fmt::format("{} holds no PEM private key, or an encrypted one", key->where));
    if (!is_pair(cert->bytes.reveal(), key->bytes.reveal()))
        return failure(ErrorKind::Invalid,
                       fmt::format("{} does not belong to the client certificate", key->where));
    into.tls.client_cert_pem = std::string(cert->bytes.reveal());
    into.tls.client_key_pem = key->bytes;
    into.client_cert_where = cert->where;
    into.client_cert_expiry = certificate_expiry(cert->bytes.reveal());
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
        return failure(
            ErrorKind::Unreadable,
            fmt::format("kubeconfig: none of these files exists: {}", fmt::join(paths, ", ")));
    return texts;
}

bool is_port(const std::string& text) {
    const auto port = whole_number<unsigned>(text);
    return port && *port >= 1 && *port <= 65535;
}

std::string bracketed(const std::string& host) {
    const bool is_bare_ipv6 = host.contains(':') && !host.starts_with('[');
    return is_bare_ipv6 ? '[' + host + ']' : host;
}

Result<Material> look_at_service_account(FileReader& files, const std::string& directory,
                                         const std::string& host, const std::string& port) {
    const std::string where = fmt::format("service account {}", directory);
    if (host.empty() || !is_port(port))
        return failure(ErrorKind::Invalid,
                       "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT do not name a server; "
                       "outside of a pod, use a kubeconfig");
    const Result<Text> token = read(files, where, directory + "/token", token_bytes_max);
    if (!token) return std::unexpected(token.error());
    const Result<Text> ca = read_certificate(files, {where, directory + "/ca.crt", {}});
    if (!ca) return std::unexpected(ca.error());
    Result<Redacted> authorization = bearer(token->where, trimmed(token->bytes.reveal()));
    if (!authorization) return std::unexpected(authorization.error());
    const Result<Redacted> ns = files.read(directory + "/namespace", 1024);

    Material material;
    material.server_where = "KUBERNETES_SERVICE_HOST";
    material.server = fmt::format("https://{}:{}", bracketed(host), port);
    material.ns = ns ? std::string(trimmed(ns->reveal())) : "";
    material.tls.ca_pem = std::string(ca->bytes.reveal());
    material.authorization = *std::move(authorization);
    return material;
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

Gather gather_from_service_account(std::string directory, std::string host, std::string port) {
    return [directory = std::move(directory), host = std::move(host), port = std::move(port)](
               FileReader& files) { return look_at_service_account(files, directory, host, port); };
}

bool is_same(const net::Tls& a, const net::Tls& b) {
    return a.ca_pem == b.ca_pem && a.client_cert_pem == b.client_cert_pem &&
           a.client_key_pem.reveal() == b.client_key_pem.reveal() &&
           a.server_name == b.server_name && a.verify == b.verify;
}

bool is_same(const ExecPlugin& a, const ExecPlugin& b) {
    const auto is_same_variable = [](const auto& x, const auto& y) {
        return x.first == y.first && x.second.reveal() == y.second.reveal();
    };
    return a.command == b.command && a.args == b.args && a.version == b.version &&
           a.wants_cluster == b.wants_cluster && std::ranges::equal(a.env, b.env, is_same_variable);
}

}  // namespace sluice::kube
