#include <fmt/format.h>

#include <algorithm>

#include "kube/kubeconfig_entries.hpp"
#include "kube/sentence.hpp"

namespace sluice::kube {
namespace {

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
