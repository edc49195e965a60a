#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "kube/kubeconfig_entries.hpp"

namespace sluice::kube {
namespace {

constexpr std::string_view exec_extension = "client.authentication.k8s.io/exec";

bool is_plain(std::string_view url) {
    return std::ranges::all_of(url, [](char c) { return c > ' ' && c < 0x7f; });
}

std::string_view without_scheme(std::string_view url) {
    const std::size_t at = url.find("://");
    return at == std::string_view::npos ? std::string_view{} : url.substr(at + 3);
}

std::string_view authority(std::string_view url) {
    const std::string_view rest = without_scheme(url);
    return rest.substr(0, rest.find_first_of("/?#"));
}

// What is wrong with the address, or nothing. The value is not quoted: it may hold a password.
std::string_view fault_of_server(std::string_view url) {
    if (url.empty()) return "is not set";
    if (!url.starts_with("https://") && !url.starts_with("http://"))
        return "must start with https:// or http://";
    if (!is_plain(url) || authority(url).empty()) return "is not an address";
    if (authority(url).contains('@'))
        return "holds a user name; put it into the user's entry instead";
    if (url.find_first_of("?#") != std::string_view::npos)
        return "has a query or a fragment; remove it";
    return {};
}

std::string_view fault_of_proxy(std::string_view url) {
    const bool is_known =
        url.starts_with("http://") || url.starts_with("https://") || url.starts_with("socks5://");
    if (!is_known) return "must start with http://, https:// or socks5://";
    if (!is_plain(url) || authority(url).empty()) return "is not an address";
    return {};
}

std::string without_trailing_slashes(std::string url) {
    while (url.ends_with('/'))
        url.pop_back();
    return url;
}

boost::json::value exec_settings(KubeconfigFields& fields) {
    for (KubeconfigFields& extension : fields.mappings("extensions")) {
        if (extension.text("name") == exec_extension) return extension.raw("extension");
    }
    return nullptr;
}

}  // namespace

std::string resolved(const std::filesystem::path& folder, const std::string& name) {
    return name.empty() ? name : (folder / name).lexically_normal().string();
}

PemSource read_pem_source(KubeconfigFields& fields, const std::string& key,
                          const std::filesystem::path& folder) {
    const std::string data_key = key + "-data";
    if (fields.has(key) && fields.has(data_key))
        fields.complain(key, fmt::format("and {} are both set; keep one of them", data_key));
    return {.where = fields.where(fields.has(data_key) ? data_key : key),
            .file = resolved(folder, fields.text(key)),
            .data = fields.base64(data_key)};
}

Result<ClusterEntry> read_cluster(KubeconfigFields fields, const std::filesystem::path& folder) {
    ClusterEntry cluster{.where = fields.where(),
                         .server = fields.text("server"),
                         .proxy = fields.text("proxy-url"),
                         .server_name = fields.text("tls-server-name"),
                         .verify = !fields.flag("insecure-skip-tls-verify"),
                         .authority = read_pem_source(fields, "certificate-authority", folder),
                         .exec_settings = exec_settings(fields)};
    if (const auto fault = fault_of_server(cluster.server); !fault.empty())
        fields.complain("server", fault);
    if (!cluster.proxy.empty()) {
        if (const auto fault = fault_of_proxy(cluster.proxy); !fault.empty())
            fields.complain("proxy-url", fault);
    }
    if (!cluster.verify && !cluster.authority.empty())
        fields.complain("insecure-skip-tls-verify",
                        "is set beside a certificate authority; remove one of them");
    if (auto judged = fields.judged(); !judged) return std::unexpected(judged.error());
    cluster.server = without_trailing_slashes(std::move(cluster.server));
    return cluster;
}

}  // namespace sluice::kube
