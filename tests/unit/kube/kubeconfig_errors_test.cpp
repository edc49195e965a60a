// What a person reads when a kubeconfig is wrong: whole sentences, without the secrets in it.
#include <gtest/gtest.h>

#include "kube/kubeconfig.hpp"

namespace sluice::kube {
namespace {

struct Wrong {
    const char* what;
    std::string text;
    std::string sentence;
};

std::string config(const std::string& cluster, const std::string& user) {
    return "current-context: prod\n"
           "contexts: [{name: prod, context: {cluster: k, user: u}}]\n"
           "clusters: [{name: k, cluster: " +
           cluster + "}]\nusers: [{name: u, user: " + user + "}]\n";
}

std::string with_cluster(const std::string& cluster) {
    return config(cluster, "{}");
}
std::string with_user(const std::string& user) {
    return config("{server: 'https://h'}", user);
}
std::string with_exec(const std::string& exec) {
    return with_user("{exec: " + exec + "}");
}

std::string complaint(const std::string& text, const std::string& context = "") {
    const auto target = read_kubeconfig({{"/x/y", Redacted(text)}}, context);
    return target ? "no complaint" : target.error().message;
}

void expect_sentences(const std::vector<Wrong>& table) {
    for (const Wrong& wrong : table)
        EXPECT_EQ(complaint(wrong.text), "kubeconfig /x/y: " + wrong.sentence) << wrong.what;
}

TEST(KubeconfigErrors, name_the_file_and_what_is_wrong_with_it) {
    expect_sentences({
        {"not yaml", "a: [b", "is not YAML: see line 1, column 1"},
        {"a list", "- a\n", "must be a mapping"},
        {"text", "hello\n", "must be a mapping"},
        {"another kind", "kind: Pod\napiVersion: v1\n",
         "kind must be Config; this file is something else"},
        {"another version", "apiVersion: v2\n", "apiVersion must be v1"},
        {"contexts that are no list", "contexts: {a: b}\n", "contexts must be a list"},
        {"an entry that is no mapping", "clusters: [a]\n", "clusters[0] must be a mapping"},
        {"an entry without name", "clusters: [{name: a}, {cluster: {}}]\n",
         "clusters[1].name is not set"},
        {"a number as name", "users: [{name: 7}]\n",
         "users[0].name must be a string; put the value in quotes"},
        {"two of one name", "users: [{name: a}, {name: a}]\n",
         "users has two entries named \"a\"; remove one"},
    });
}

TEST(KubeconfigErrors, name_the_context) {
    const std::string contexts =
        "contexts:\n- {name: dev}\n- {name: test, context: {cluster: k}}\n";
    expect_sentences({
        {"nothing at all", "", "current-context is not set; name one of the contexts: none"},
        {"no current one", contexts,
         "current-context is not set; name one of the contexts: dev, test"},
        {"an unknown one", contexts + "current-context: prod\n",
         "there is no context \"prod\"; the contexts are: dev, test"},
        {"one without cluster", contexts + "current-context: dev\n",
         "contexts[name=dev].context.cluster is not set"},
        {"one with an unknown cluster", contexts + "current-context: test\n",
         "contexts[name=test].context.cluster names cluster \"k\", which is not in the file"},
        {"one with an unknown user",
         contexts +
             "current-context: test\nclusters: [{name: k, cluster: {server: 'https://h'}}]\n",
         "contexts[name=test].context.user is not set"},
        {"a namespace that is none",
         "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u, namespace: "
         "a/b}}]\n"
         "clusters: [{name: k}]\nusers: [{name: u}]\n",
         "contexts[name=c].context.namespace is not the name of a namespace"},
    });
    EXPECT_EQ(complaint(contexts, "stage"),
              "kubeconfig /x/y: there is no context \"stage\"; the contexts are: dev, test");
}

TEST(KubeconfigErrors, say_when_several_files_were_searched) {
    const auto target =
        read_kubeconfig({{"/1", Redacted("current-context: c\n")},
                         {"/2", Redacted("contexts: [{name: c, context: {cluster: k, user: u}}]")}},
                        "");
    ASSERT_FALSE(target.has_value());
    EXPECT_EQ(
        target.error().message,
        "kubeconfig /2: contexts[name=c].context.cluster names cluster \"k\", which is in none "
        "of the files");
    const auto unknown = read_kubeconfig({{"/1", Redacted("")}, {"/2", Redacted("")}}, "c");
    ASSERT_FALSE(unknown.has_value());
    EXPECT_EQ(unknown.error().message,
              "kubeconfig /1 and 1 more: there is no context \"c\"; the contexts are: none");
    EXPECT_EQ(read_kubeconfig({}, "").error().message,
              "no kubeconfig was given; set KUBECONFIG or name a file");
}

TEST(KubeconfigErrors, name_the_cluster_and_its_field) {
    const std::string at = "clusters[name=k].cluster.";
    expect_sentences({
        {"no server", with_cluster("{}"), at + "server is not set"},
        {"no scheme", with_cluster("{server: 'h:6443'}"),
         at + "server must start with https:// or http://"},
        {"no host", with_cluster("{server: 'https://'}"), at + "server is not an address"},
        {"a blank", with_cluster("{server: 'https://a b'}"), at + "server is not an address"},
        {"a password", with_cluster("{server: 'https://canary:canary@h'}"),
         at + "server holds a user name; put it into the user's entry instead"},
        {"a query", with_cluster("{server: 'https://h?a=b'}"),
         at + "server has a query or a fragment; remove it"},
        {"a proxy of another kind",
         with_cluster("{server: 'https://h', proxy-url: 'ftp://canary'}"),
         at + "proxy-url must start with http://, https:// or socks5://"},
        {"bad base64", with_cluster("{server: 'https://h', certificate-authority-data: canary}"),
         at + "certificate-authority-data is not valid base64"},
        {"both",
         with_cluster("{server: 'https://h', certificate-authority: a, "
                      "certificate-authority-data: YQ==}"),
         at +
             "certificate-authority and certificate-authority-data are both set; keep one of them"},
        {"insecure with authority",
         with_cluster("{server: 'https://h', certificate-authority: a, "
                      "insecure-skip-tls-verify: true}"),
         at + "insecure-skip-tls-verify is set beside a certificate authority; remove one of them"},
        {"a flag that is none",
         with_cluster("{server: 'https://h', insecure-skip-tls-verify: yes}"),
         at + "insecure-skip-tls-verify must be true or false"},
    });
}

TEST(KubeconfigErrors, name_the_user_and_its_field) {
    const std::string at = "users[name=u].user.";
    expect_sentences({
        {"a number as token", with_user("{token: 12345}"),
         at + "token must be a string; put the value in quotes"},
        {"an auth provider", with_user("{auth-provider: {name: gcp}}"),
         at + "auth-provider is not supported; use an exec plugin or a token"},
        {"impersonation", with_user("{token: canary, as: boss}"),
         at + "as (impersonation) is not supported; give the operator a user of its own"},
        {"impersonated groups", with_user("{as-groups: [a]}"),
         at + "as-groups (impersonation) is not supported; give the operator a user of its own"},
        {"two ways to log in", with_user("{token: canary, password: canary}"),
         at + "token and username or password are both set; keep one way to log in"},
        {"a certificate without key", with_user("{client-certificate: a}"),
         at + "client-certificate is set without client-key; set both or neither"},
        {"a key without certificate", with_user("{client-key-data: a2V5}"),
         at + "client-key is set without client-certificate; set both or neither"},
        {"a bad key", with_user("{client-certificate: a, client-key-data: canary}"),
         at + "client-key-data is not valid base64"},
    });
}

TEST(KubeconfigErrors, name_the_plugin_and_its_field) {
    const std::string at = "users[name=u].user.exec.";
    const std::string v1 = "apiVersion: client.authentication.k8s.io/v1";
    expect_sentences({
        {"no command", with_exec("{" + v1 + "}"), at + "command is not set"},
        {"an old version", with_exec("{apiVersion: client.authentication.k8s.io/v1alpha1}"),
         at + "apiVersion must be client.authentication.k8s.io/v1 or "
              "client.authentication.k8s.io/v1beta1"},
        {"a keyboard", with_exec("{" + v1 + ", command: a, interactiveMode: Always}"),
         at + "interactiveMode is Always, but nobody sits at an operator's keyboard; use a plugin "
              "that works without one"},
        {"an unknown mode", with_exec("{" + v1 + ", command: a, interactiveMode: Maybe}"),
         at + "interactiveMode must be Never or IfAvailable"},
        {"args that are no list", with_exec("{" + v1 + ", command: a, args: b}"),
         at + "args must be a list"},
        {"a number as arg", with_exec("{" + v1 + ", command: a, args: [b, 1]}"),
         at + "args[1] must be a string; put the value in quotes"},
        {"a nameless variable", with_exec("{" + v1 + ", command: a, env: [{value: canary}]}"),
         at + "env[0].name must be the name of an environment variable"},
        {"a number as value", with_exec("{" + v1 + ", command: a, env: [{name: A, value: 1}]}"),
         at + "env[0].value must be a string; put the value in quotes"},
    });
}

TEST(KubeconfigErrors, say_that_a_file_is_too_large) {
    EXPECT_EQ(complaint(std::string((1 << 20) + 1, ' ')),
              "kubeconfig /x/y: is larger than 1024 KiB");
}

TEST(KubeconfigErrors, quote_names_without_control_characters) {
    EXPECT_EQ(complaint("current-context: \"a\\u001b[31m\"\n"),
              "kubeconfig /x/y: there is no context \"a [31m\"; the contexts are: none");
}

}  // namespace
}  // namespace sluice::kube
