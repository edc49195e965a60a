#include "kube/material.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "kube/bearer.hpp"
#include "kube/pem.hpp"

namespace sluice::kube {
namespace {

constexpr std::size_t authority_bytes_max = 1 << 20;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

Result<Redacted> read(FileReader& files, const std::string& where, const std::string& path,
                      std::size_t bytes_max) {
    Result<Redacted> text = files.read(path, bytes_max);
    if (!text)
        return failure(text.error().kind,
                       fmt::format("{}: {} {}", where, path, text.error().message));
    return text;
}

bool is_port(const std::string& text) {
    unsigned port = 0;
    const char* end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, port);
    return failed == std::errc{} && stop == end && port >= 1 && port <= 65535;
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
    const Result<Redacted> token = read(files, where, directory + "/token", token_bytes_max);
    if (!token) return std::unexpected(token.error());
    const Result<Redacted> ca = read(files, where, directory + "/ca.crt", authority_bytes_max);
    if (!ca) return std::unexpected(ca.error());
    if (!holds_certificate(ca->reveal()))
        return failure(ErrorKind::Malformed,
                       fmt::format("{}: {}/ca.crt holds no PEM certificate", where, directory));
    Result<Redacted> authorization =
        bearer(where + ": " + directory + "/token", trimmed(token->reveal()));
    if (!authorization) return std::unexpected(authorization.error());
    const Result<Redacted> ns = files.read(directory + "/namespace", 1024);

    Material material;
    material.server_where = "KUBERNETES_SERVICE_HOST";
    material.server = fmt::format("https://{}:{}", bracketed(host), port);
    material.ns = ns ? std::string(trimmed(ns->reveal())) : "";
    material.tls.ca_pem = std::string(ca->reveal());
    material.authorization = *std::move(authorization);
    return material;
}

}  // namespace

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
