#include "kube/kubeconfig_entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

namespace sluice::kube {
namespace {

constexpr std::string_view exec_extension = "client.authentication.k8s.io/exec";

bool is_plain(std::string_view url) {
    return std::ranges::all_of(url, [](char c) { return c > ' ' && c < 0x7f; });
}

std::string_view authority(std::string_view url) {
    const std::size_t scheme = url.find("://");
    if (scheme == std::string_view::npos) return {};
    const std::string_view rest = url.substr(scheme + 3);
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

// "" stays "", an absolute name stays as it is.
std::string resolved(const std::filesystem::path& folder, const std::string& name) {
    return name.empty() ? name : (folder / name).lexically_normal().string();
}

// `<key>` names a file, `<key>-data` holds base64; both together are refused.
PemSource read_pem_source(KubeconfigFields& fields, const std::string& key,
                          const std::filesystem::path& folder) {
    const std::string data_key = key + "-data";
    if (fields.has(key) && fields.has(data_key))
        fields.complain(key, fmt::format("and {} are both set; keep one of them", data_key));
    return {.where = fields.where(fields.has(data_key) ? data_key : key),
            .file = resolved(folder, fields.text(key)),
            .data = fields.base64(data_key)};
}

constexpr std::string_view exec_group = "client.authentication.k8s.io/";

ExecVersion read_exec_version(KubeconfigFields& exec) {
    const std::string version = exec.text("apiVersion");
    if (version == std::string(exec_group) + "v1beta1") return ExecVersion::V1beta1;
    if (version != std::string(exec_group) + "v1")
        exec.complain("apiVersion", fmt::format("must be {0}v1 or {0}v1beta1", exec_group));
    return ExecVersion::V1;
}

void judge_interactive_mode(KubeconfigFields& exec) {
    const std::string mode = exec.text("interactiveMode");
    if (mode == "Always")
        exec.complain("interactiveMode",
                      "is Always, but nobody sits at an operator's keyboard; use a plugin that "
                      "works without one");
    else if (!mode.empty() && mode != "Never" && mode != "IfAvailable")
        exec.complain("interactiveMode", "must be Never or IfAvailable");
}

// As kubectl does: a name without a slash is looked up in PATH.
std::string resolved_command(const std::filesystem::path& folder, const std::string& command) {
    return command.contains('/') ? resolved(folder, command) : command;
}

bool is_variable_name(std::string_view name) {
    return !name.empty() && std::ranges::none_of(name, [](char c) { return c == '=' || c == 0; });
}

ExecPlugin read_exec(KubeconfigFields exec, const std::filesystem::path& folder) {
    ExecPlugin plugin{.where = exec.where(),
                      .command = resolved_command(folder, exec.text("command")),
                      .args = exec.texts("args"),
                      .env = {},
                      .version = read_exec_version(exec),
                      .install_hint = exec.text("installHint"),
                      .wants_cluster = exec.flag("provideClusterInfo")};
    if (plugin.command.empty()) exec.complain("command", "is not set");
    judge_interactive_mode(exec);
    for (KubeconfigFields& variable : exec.mappings("env")) {
        const std::string name = variable.text("name");
        if (!is_variable_name(name))
            variable.complain("name", "must be the name of an environment variable");
        plugin.env.emplace_back(name, variable.secret("value"));
    }
    return plugin;
}

void judge_unsupported(KubeconfigFields& fields) {
    if (fields.has("auth-provider"))
        fields.complain("auth-provider", "is not supported; use an exec plugin or a token");
    for (const std::string_view key : {"as", "as-uid", "as-groups", "as-user-extra"}) {
        if (fields.has(key))
            fields.complain(key,
                            "(impersonation) is not supported; give the operator a user of "
                            "its own");
    }
}

void judge_pairs(KubeconfigFields& fields, const UserEntry& user) {
    if (fields.has("token") && (fields.has("username") || fields.has("password")))
        fields.complain("token", "and username or password are both set; keep one way to log in");
    if (!user.client_cert.empty() && user.client_key.empty())
        fields.complain("client-certificate", "is set without client-key; set both or neither");
    if (user.client_cert.empty() && !user.client_key.empty())
        fields.complain("client-key", "is set without client-certificate; set both or neither");
}

bool has_static_login(const UserEntry& user) {
    return !user.token.empty() || !user.token_file.empty() || !user.username.empty() ||
           !user.password.empty() || !user.client_cert.empty();
}

}  // namespace

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

Result<UserEntry> read_user(KubeconfigFields fields, const std::filesystem::path& folder) {
    UserEntry user{.where = fields.where(),
                   .client_cert = read_pem_source(fields, "client-certificate", folder),
                   .client_key = read_pem_source(fields, "client-key", folder),
                   .token = fields.secret("token"),
                   .token_file = resolved(folder, fields.text("tokenFile")),
                   .username = fields.text("username"),
                   .password = fields.secret("password"),
                   .exec = std::nullopt};
    judge_unsupported(fields);
    judge_pairs(fields, user);
    if (fields.has("exec") && !has_static_login(user))
        user.exec = read_exec(fields.mapping("exec"), folder);
    if (auto judged = fields.judged(); !judged) return std::unexpected(judged.error());
    return user;
}

}  // namespace sluice::kube
