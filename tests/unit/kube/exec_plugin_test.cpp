#include "kube/exec_plugin.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "tests/unit/kube/credentials_world.hpp"

namespace sluice::kube::test {
namespace {

namespace json = boost::json;

const std::string v1 = "client.authentication.k8s.io/v1";
const std::string v1beta1 = "client.authentication.k8s.io/v1beta1";

std::string answer(const std::string& status, const std::string& version = v1) {
    return R"({"apiVersion":")" + version + R"(","kind":"ExecCredential","status":)" + status + "}";
}

class ExecPluginCredentials : public CredentialsWorld {
  protected:
    // A plugin that counts its runs, does what `lines` say and prints `status` as its answer.
    void use_plugin(const std::string& status, const std::string& lines = "",
                    const std::string& more = "", const std::string& version = v1) {
        folder.write("answer", answer(status, version));
        use_script("echo run >> '" + folder.path("runs") + "'\n" + lines + "\ncat '" +
                       folder.path("answer") + "'\n",
                   more, version);
    }
    void use_script(const std::string& lines, const std::string& more = "",
                    const std::string& version = v1) {
        folder.write_program("login", "#!/bin/sh\n" + lines);
        write_kubeconfig("{exec: {apiVersion: " + version + ", command: ./login" + more + "}}");
        open();
    }
    void plugin_answers(const std::string& status) { folder.write("answer", answer(status)); }
    std::size_t runs() const { return folder.read("runs").size() / std::string("run\n").size(); }
    std::string at_plugin() const { return at_user("exec: "); }
    std::string program() const { return '"' + folder.path("login") + '"'; }
};

TEST_F(ExecPluginCredentials, come_from_its_standard_output) {
    use_plugin(R"({"token":"abc"})");
    EXPECT_EQ(authorization(), "Bearer abc");
    EXPECT_EQ(authorization(), "Bearer abc");
    now = now + std::chrono::hours{1000};
    EXPECT_EQ(authorization(), "Bearer abc");
    EXPECT_EQ(runs(), 1u) << "a token without an end is used until it is refused";
}

TEST_F(ExecPluginCredentials, may_be_of_v1beta1) {
    use_plugin(R"({"token":"abc"})", "", "", v1beta1);
    EXPECT_EQ(authorization(), "Bearer abc");
}

TEST_F(ExecPluginCredentials, are_fetched_once_for_all_who_wait) {
    use_plugin(R"({"token":"abc"})");
    int answered = 0;
    for (int i = 0; i < 3; ++i)
        credentials->access(
            [&](const Result<Access>& got) { answered += got.has_value() ? 1 : 0; });
    loop.run();
    EXPECT_EQ(answered, 3);
    EXPECT_EQ(runs(), 1u);
}

TEST_F(ExecPluginCredentials, are_renewed_shortly_before_they_end) {
    now = *parse_rfc3339("2030-01-01T00:00:00Z");
    use_plugin(R"({"token":"first","expirationTimestamp":"2030-01-01T01:01:00+01:00"})");
    EXPECT_EQ(authorization(), "Bearer first");
    plugin_answers(R"({"token":"second","expirationTimestamp":"2030-01-01T01:00:00.5Z"})");
    now = now + 49s;
    EXPECT_EQ(authorization(), "Bearer first");
    now = now + 1s;
    EXPECT_EQ(authorization(), "Bearer second");
    EXPECT_EQ(runs(), 2u);
}

TEST_F(ExecPluginCredentials, are_used_even_if_they_end_at_once) {
    use_plugin(R"({"token":"short","expirationTimestamp":"2001-01-01T00:00:00Z"})");
    EXPECT_EQ(authorization(), "Bearer short");
    EXPECT_EQ(authorization(), "Bearer short");
    EXPECT_EQ(runs(), 2u);
}

TEST_F(ExecPluginCredentials, are_fetched_anew_after_a_refusal) {
    use_plugin(R"({"token":"first"})");
    const auto tls = access()->tls;
    plugin_answers(R"({"token":"second"})");
    credentials->refused();
    EXPECT_EQ(authorization(), "Bearer second");
    EXPECT_EQ(access()->tls, tls);
}

TEST_F(ExecPluginCredentials, are_dropped_when_the_plugin_is_replaced) {
    use_plugin(R"({"token":"first"})");
    EXPECT_EQ(authorization(), "Bearer first");
    plugin_answers(R"({"token":"second"})");
    write_kubeconfig("{exec: {apiVersion: " + v1 + ", command: ./login, args: [other]}}");
    now = now + 1s;
    EXPECT_EQ(authorization(), "Bearer second");
}

TEST_F(ExecPluginCredentials, may_be_a_certificate) {
    const auto me = authority().issue("me", "");
    use_plugin(json::serialize(
        json::object{{"clientCertificateData", me.cert}, {"clientKeyData", me.key}}));
    const Result<Access> got = access();
    ASSERT_TRUE(got.has_value()) << got.error().message;
    EXPECT_EQ(got->tls->client_cert_pem, me.cert);
    EXPECT_EQ(got->tls->client_key_pem.reveal(), me.key);
    EXPECT_TRUE(got->authorization.empty());
}

TEST_F(ExecPluginCredentials, reach_the_plugin_with_arguments_and_environment) {
    use_plugin(R"({"token":"abc"})",
               "echo \"$1 $2 $FLAVOR $KUBERNETES_EXEC_INFO\" > '" + folder.path("seen") + "'",
               ", args: [get, token], env: [{name: FLAVOR, value: sweet}]");
    EXPECT_EQ(authorization(), "Bearer abc");
    EXPECT_EQ(folder.read("seen"),
              R"(get token sweet {"apiVersion":"client.authentication.k8s.io/v1",)"
              R"("kind":"ExecCredential","spec":{"interactive":false}})"
              "\n");
}

TEST_F(ExecPluginCredentials, tell_the_plugin_about_the_cluster_if_it_wants) {
    folder.write("answer", answer(R"({"token":"abc"})"));
    folder.write_program("login", "#!/bin/sh\necho \"$KUBERNETES_EXEC_INFO\" > '" +
                                      folder.path("seen") + "'\ncat '" + folder.path("answer") +
                                      "'\n");
    write_kubeconfig(
        "{exec: {apiVersion: " + v1 + ", command: ./login, provideClusterInfo: true}}",
        "{server: 'https://h', certificate-authority-data: " + encode_base64(authority().pem()) +
            ", extensions: [{name: client.authentication.k8s.io/exec, extension: {a: 1}}]}");
    open();
    EXPECT_EQ(authorization(), "Bearer abc");
    const json::value told = json::parse(folder.read("seen"));
    const json::object& cluster = told.at("spec").at("cluster").as_object();
    EXPECT_EQ(cluster.at("server").as_string(), "https://h");
    EXPECT_EQ(cluster.at("certificate-authority-data").as_string(),
              encode_base64(authority().pem()));
    EXPECT_EQ(json::serialize(cluster.at("config")), R"({"a":1})");
}

TEST_F(ExecPluginCredentials, show_the_last_line_of_a_failed_plugin) {
    use_script("echo one >&2; echo 'session expired, run: login again' >&2; exit 3\n");
    EXPECT_EQ(complaint(), at_plugin() + program() +
                               " ended with exit code 3: session expired, run: login again");
}

TEST_F(ExecPluginCredentials, recover_from_a_failed_plugin) {
    use_plugin(R"({"token":"abc"})", "test -e '" + folder.path("ok") + "' || exit 1");
    EXPECT_EQ(complaint(), at_plugin() + program() + " ended with exit code 1");
    folder.write("ok", "");
    EXPECT_EQ(authorization(), "Bearer abc");
}

TEST_F(ExecPluginCredentials, keep_secrets_out_of_the_sentence) {
    use_script(
        "echo \"$API_TOKEN eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln canary-profile\" >&2; exit "
        "1\n",
        ", env: [{name: API_TOKEN, value: canary-token}, {name: PROFILE, value: canary-profile}]");
    EXPECT_EQ(complaint(), at_plugin() + program() +
                               " ended with exit code 1: [redacted] [redacted] canary-profile");
}

TEST_F(ExecPluginCredentials, cut_a_long_complaint) {
    use_script("printf '%0500d' 0 >&2; exit 1\n");
    EXPECT_EQ(complaint(), at_plugin() + program() +
                               " ended with exit code 1: " + std::string(200, '0') + "...");
}

TEST_F(ExecPluginCredentials, hint_at_how_to_install_what_is_missing) {
    write_kubeconfig("{exec: {apiVersion: " + v1 +
                     ", command: ./none, installHint: \"install it\\nwith care\"}}");
    open();
    EXPECT_EQ(complaint(), at_plugin() + "cannot run " + folder.path("none") +
                               ": No such file or directory; install it with care");
}

TEST_F(ExecPluginCredentials, say_what_is_wrong_with_an_answer) {
    const auto me = authority().issue("me", "");
    const auto other = authority().issue("other", "");
    const auto pair = [](const std::string& cert, const std::string& key) {
        return answer(
            json::serialize(json::object{{"clientCertificateData", cert}, {"clientKeyData", key}}));
    };
    struct Wrong {
        std::string answer;
        std::string sentence;
    };
    const Wrong table[] = {
        {"", "is not a JSON object"},
        {"canary", "is not a JSON object"},
        {std::string(100, '['), "is not a JSON object"},
        {"{}", "is not of kind ExecCredential"},
        {answer("{}", v1beta1),
         "is not of apiVersion client.authentication.k8s.io/v1, which the kubeconfig names"},
        {answer("null"), "has no status"},
        {answer("{}"), "has neither a token nor a client certificate"},
        {answer(R"({"token":7})"), "has a status field that is not a string"},
        {answer(R"({"token":"canary\ncanary"})"), "has a token that cannot stand in a header"},
        {answer(R"({"token":"canary","expirationTimestamp":"soon"})"),
         "has an expirationTimestamp that is not a time"},
        {pair(me.cert, ""), "has a client certificate or a key, but not both"},
        {pair(me.cert, other.key),
         "has a client certificate and a key that do not belong together"},
    };
    for (const Wrong& wrong : table) {
        const auto got = parse_exec_credential(wrong.answer, ExecVersion::V1);
        ASSERT_FALSE(got.has_value()) << wrong.answer;
        EXPECT_EQ(got.error().message, wrong.sentence);
    }
}

TEST_F(ExecPluginCredentials, name_the_plugin_whose_answer_is_wrong) {
    use_script("echo canary; echo 'debug: no profile' >&2\n");
    EXPECT_EQ(complaint(),
              at_plugin() + program() + ": its answer is not a JSON object: debug: no profile");
}

TEST_F(ExecPluginCredentials, refuse_an_endless_answer) {
    use_script("while :; do echo canarycanarycanarycanary; done\n");
    EXPECT_EQ(complaint(), at_plugin() + folder.path("login") + " printed more than 1048576 bytes");
}

TEST_F(ExecPluginCredentials, run_with_a_deadline_and_without_input) {
    ExecPlugin plugin;
    plugin.command = "login";
    const net::Program program = plugin_program(plugin, "{}");
    EXPECT_EQ(program.deadline, 30s);
    EXPECT_EQ(program.output_max, 1u << 20);
    EXPECT_EQ(program.input, "");
}

TEST_F(ExecPluginCredentials, may_go_away_while_the_plugin_runs) {
    use_script("sleep 600\n");
    credentials->access([](const Result<Access>&) { FAIL() << "nobody is there to be told"; });
    loop.poll();
    credentials.reset();
    loop.poll();
}

}  // namespace
}  // namespace sluice::kube::test
