#include "kube/kubeconfig.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace sluice::kube {
namespace {

KubeconfigText file(std::string path, std::string text) {
    return {std::move(path), Redacted(std::move(text))};
}

const char* const two_contexts = R"(
apiVersion: v1
kind: Config
preferences: {}
current-context: dev
contexts:
- name: dev
  context: {cluster: near, user: me}
- name: prod
  context: {cluster: far, user: robot, namespace: shop}
clusters:
- name: near
  cluster:
    server: https://127.0.0.1:6443/
- name: far
  cluster:
    server: https://api.example.com:6443/k8s/clusters/c-1
    tls-server-name: kubernetes
    certificate-authority: pki/ca.crt
    proxy-url: socks5://proxy.example.com:1080
users:
- name: me
  user:
    client-certificate-data: Y2VydA==
    client-key-data: a2V5
- name: robot
  user:
    tokenFile: /var/token
)";

KubeconfigTarget read(const std::string& text, const std::string& context = "") {
    auto target = read_kubeconfig({file("/home/a/.kube/config", text)}, context);
    EXPECT_TRUE(target.has_value()) << target.error().message;
    return target ? *std::move(target) : KubeconfigTarget{};
}

// The one user of a kubeconfig whose user entry has these lines.
std::string with_user(const std::string& lines) {
    return R"(
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {server: "https://h"}}]
users:
- name: u
  user:
)" + lines;
}

TEST(Kubeconfig, gives_the_current_context) {
    const KubeconfigTarget target = read(two_contexts);
    EXPECT_EQ(target.context, "dev");
    EXPECT_EQ(target.ns, "");
    EXPECT_EQ(target.cluster.server, "https://127.0.0.1:6443");
    EXPECT_TRUE(target.cluster.verify);
    EXPECT_EQ(target.user.client_cert.data.reveal(), "cert");
    EXPECT_EQ(target.user.client_key.data.reveal(), "key");
}

TEST(Kubeconfig, gives_the_context_that_was_asked_for) {
    const KubeconfigTarget target = read(two_contexts, "prod");
    EXPECT_EQ(target.ns, "shop");
    EXPECT_EQ(target.cluster.server, "https://api.example.com:6443/k8s/clusters/c-1");
    EXPECT_EQ(target.cluster.server_name, "kubernetes");
    EXPECT_EQ(target.cluster.proxy, "socks5://proxy.example.com:1080");
}

TEST(Kubeconfig, resolves_files_against_its_own_folder) {
    const KubeconfigTarget target = read(two_contexts, "prod");
    EXPECT_EQ(target.cluster.authority.file, "/home/a/.kube/pki/ca.crt");
    EXPECT_EQ(target.user.token_file, "/var/token");
}

TEST(Kubeconfig, resolves_files_against_the_folder_of_the_file_that_names_them) {
    const std::string users = "users: [{name: u, user: {tokenFile: ../token}}]";
    const std::string rest = R"(
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {server: "https://h", certificate-authority: ca}}]
)";
    const auto target =
        read_kubeconfig({file("/one/config", rest), file("/two/b/config", users)}, "");
    ASSERT_TRUE(target.has_value()) << target.error().message;
    EXPECT_EQ(target->cluster.authority.file, "/one/ca");
    EXPECT_EQ(target->user.token_file, "/two/token");
}

TEST(Kubeconfig, lets_the_first_file_win_whole_entries) {
    const auto first = file("/1", R"(
clusters: [{name: k, cluster: {server: "https://first"}}]
users: [{name: u, user: {token: first}}]
)");
    const auto second = file("/2", R"(
current-context: c
contexts: [{name: c, context: {cluster: k, user: u, namespace: second}}]
clusters: [{name: k, cluster: {server: "https://second", tls-server-name: second}}]
users: [{name: u, user: {token: second}}]
)");
    const auto third = file("/3", R"(
current-context: other
contexts: [{name: c, context: {cluster: none, user: none}}]
)");
    const auto target = read_kubeconfig({first, second, third}, "");
    ASSERT_TRUE(target.has_value()) << target.error().message;
    EXPECT_EQ(target->context, "c");
    EXPECT_EQ(target->ns, "second");
    EXPECT_EQ(target->cluster.server, "https://first");
    EXPECT_EQ(target->cluster.server_name, "");
    EXPECT_EQ(target->user.token.reveal(), "first");
}

TEST(Kubeconfig, may_be_json) {
    const KubeconfigTarget target = read(R"({
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
        "clusters": [{"name": "k", "cluster": {"server": "https://h"}}],
        "users": [{"name": "u", "user": {"token": "t"}}]
    })");
    EXPECT_EQ(target.user.token.reveal(), "t");
}

TEST(Kubeconfig, does_not_judge_what_the_context_does_not_use) {
    const KubeconfigTarget target = read(std::string(two_contexts) + R"(
- name: broken
  user: {auth-provider: {name: gcp}, token: 7, exec: {interactiveMode: Always}}
- name: worse
  user: [1, 2]
)");
    EXPECT_EQ(target.context, "dev");
}

TEST(Kubeconfig, reads_name_and_password) {
    const KubeconfigTarget target = read(with_user("    username: a\n    password: b\n"));
    EXPECT_EQ(target.user.username, "a");
    EXPECT_EQ(target.user.password.reveal(), "b");
}

TEST(Kubeconfig, reads_a_user_without_any_credentials) {
    const KubeconfigTarget target = read(with_user("    {}\n"));
    EXPECT_TRUE(target.user.token.empty());
    EXPECT_FALSE(target.user.exec.has_value());
}

TEST(Kubeconfig, reads_an_exec_plugin) {
    const KubeconfigTarget target = read(with_user(R"(    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./bin/login
      args: [get-token, --cluster, c]
      env:
      - {name: PROFILE, value: prod}
      - {name: QUIET, value: ""}
      installHint: brew install login
      interactiveMode: IfAvailable
      provideClusterInfo: true
)"));
    ASSERT_TRUE(target.user.exec.has_value());
    const ExecPlugin& plugin = *target.user.exec;
    EXPECT_EQ(plugin.command, "/home/a/.kube/bin/login");
    EXPECT_EQ(plugin.args, (std::vector<std::string>{"get-token", "--cluster", "c"}));
    ASSERT_EQ(plugin.env.size(), 2u);
    EXPECT_EQ(plugin.env[0].first, "PROFILE");
    EXPECT_EQ(plugin.env[0].second.reveal(), "prod");
    EXPECT_EQ(plugin.version, ExecVersion::V1);
    EXPECT_EQ(plugin.install_hint, "brew install login");
    EXPECT_TRUE(plugin.wants_cluster);
}

TEST(Kubeconfig, looks_up_a_bare_plugin_name_in_path) {
    const KubeconfigTarget target = read(with_user(
        "    exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: aws, env: null}\n"));
    ASSERT_TRUE(target.user.exec.has_value());
    EXPECT_EQ(target.user.exec->command, "aws");
    EXPECT_EQ(target.user.exec->version, ExecVersion::V1beta1);
}

TEST(Kubeconfig, prefers_a_token_to_an_exec_plugin) {
    const KubeconfigTarget target =
        read(with_user("    token: t\n    exec: {command: never-run}\n"));
    EXPECT_FALSE(target.user.exec.has_value());
}

TEST(Kubeconfig, keeps_the_settings_that_plugins_may_ask_for) {
    const KubeconfigTarget target = read(R"(
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters:
- name: k
  cluster:
    server: https://h
    extensions:
    - {name: other, extension: 1}
    - {name: client.authentication.k8s.io/exec, extension: {audience: x, days: 3}}
users: [{name: u, user: {}}]
)");
    EXPECT_EQ(boost::json::serialize(target.cluster.exec_settings), R"({"audience":"x","days":3})");
}

}  // namespace
}  // namespace sluice::kube
