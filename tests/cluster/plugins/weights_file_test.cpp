// The plugin that listens by itself, examples/plugins/weights-file: a real gRPC server, called by
// the operator's own client over a unix socket and over TLS.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "net/child.hpp"
#include "tests/cluster/plugins/programs.hpp"
#include "tests/unit/probe/plugin/plugin_world.hpp"

namespace sluice::probe::testing {
namespace {

using ::testing::HasSubstr;

class WeightsFile : public PluginWorld {
  protected:
    WeightsFile() { write("shop", "stable v1\ncanary v2 0\n"); }

    // Returns when it listens.
    void start(const std::vector<std::string>& options) {
        int pipe[2];
        ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
        std::vector<std::string> argv{program("SLUICE_TEST_WEIGHTS_FILE"), "--folder", folder,
                                      "--settle-ms", "3600000"};
        argv.insert(argv.end(), options.begin(), options.end());
        auto started = net::Child::start(loop, {.argv = argv, .out = pipe[1]}, [](int) {});
        ::close(pipe[1]);
        ASSERT_TRUE(started) << started.error().message;
        server = std::move(*started);
        char text[200] = {};
        ASSERT_GT(::read(pipe[0], text, sizeof text - 1), 0) << "it did not start";
        ::close(pipe[0]);
        const std::string line = text;
        port = line.substr(line.rfind(' ') + 1, line.find('\n') - line.rfind(' ') - 1);
    }
    void start_on_socket() { start({"--listen", "unix://" + folder + "/socket"}); }

    PluginCall call(PluginMethod method, int weight = 0) {
        return {.plugin = "weights",
                .address = PluginEndpoint{"unix://" + folder + "/socket"},
                .method = method,
                .api_version = "example.com/v1",
                .kind = "TrafficSplit",
                .name = "shop",
                .ns = "default",
                .weight = weight,
                .timeout = 30s};
    }
    // As if the file had been written two hours ago.
    void let_the_proxy_read() {
        const timespec times[] = {{.tv_sec = ::time(nullptr) - 7200, .tv_nsec = 0},
                                  {.tv_sec = ::time(nullptr) - 7200, .tv_nsec = 0}};
        ASSERT_EQ(::utimensat(AT_FDCWD, (folder + "/shop").c_str(), times, 0), 0);
    }
    std::string file() {
        std::ifstream in(folder + "/shop");
        return {std::istreambuf_iterator<char>(in), {}};
    }

    std::unique_ptr<net::Child> server;
    std::string port;
};

TEST_F(WeightsFile, ATrafficSplitIsRolledOut) {
    start_on_socket();
    EXPECT_EQ(ask(call(PluginMethod::Init)), PluginAnswer{});
    EXPECT_EQ(ask(call(PluginMethod::GetResourceStatus))->status,
              (ResourceStatus{100, 0, 100, 100, "v1", "v2", true}));
    EXPECT_EQ(ask(call(PluginMethod::SetWeight, 20)), PluginAnswer{});
    EXPECT_EQ(file(), "stable v1\ncanary v2 20\n");
    EXPECT_EQ(ask(call(PluginMethod::VerifyWeight, 20)),
              (PluginAnswer{.message = "the proxy has not read its file yet"}));
    let_the_proxy_read();
    EXPECT_TRUE(ask(call(PluginMethod::SetWeight, 20))) << "which may be repeated";
    EXPECT_EQ(ask(call(PluginMethod::VerifyWeight, 20)), PluginAnswer{.verified = true});
    EXPECT_EQ(ask(call(PluginMethod::VerifyWeight, 40)),
              (PluginAnswer{.message = "the file says 20 percent"}));
    EXPECT_TRUE(ask(call(PluginMethod::Promote)));
    EXPECT_TRUE(ask(call(PluginMethod::Promote)));
    EXPECT_EQ(file(), "stable v2\n");
    EXPECT_EQ(ask(call(PluginMethod::GetResourceStatus))->status,
              (ResourceStatus{100, 100, 100, 100, "v2", "v2", true}));
}

TEST_F(WeightsFile, AnAbortGivesTheTrafficBack) {
    start_on_socket();
    ASSERT_TRUE(ask(call(PluginMethod::SetWeight, 60)));
    for (const auto method : {PluginMethod::Abort, PluginMethod::Restart}) {
        EXPECT_TRUE(ask(call(method)));
        EXPECT_EQ(file(), "stable v1\ncanary v2 0\n");
    }
}

TEST_F(WeightsFile, ItsErrorsAreSentences) {
    start_on_socket();
    PluginCall wrong = call(PluginMethod::Init);
    wrong.kind = "Deployment";
    EXPECT_EQ(sentence_of(ask(wrong)),
              "plugin \"weights\" answered INVALID_ARGUMENT: this plugin steers a TrafficSplit");
    wrong = call(PluginMethod::GetResourceStatus);
    wrong.name = "none";
    EXPECT_EQ(ask(wrong).error().kind, ErrorKind::NotFound);
    wrong.name = "../shop";
    EXPECT_THAT(sentence_of(ask(wrong)), HasSubstr("cannot be that of a file"));
    EXPECT_THAT(sentence_of(ask(call(PluginMethod::SetWeight, 101))), HasSubstr("from 0 to 100"));
}

TEST_F(WeightsFile, ManyCallsAtOnceAreAllAnswered) {
    start_on_socket();
    open_caller();
    std::size_t answered = 0;
    for (int i = 0; i < 200; ++i)
        caller->ask(call(PluginMethod::GetResourceStatus),
                    [&](const auto& got) { answered += got ? 1 : 0; });
    run_until([&] { return caller->in_flight() == 0; });
    EXPECT_EQ(answered, 200u);
}

TEST_F(WeightsFile, AHugeAnswerIsRefused) {
    start_on_socket();
    write("shop", "stable v1\ncanary " + std::string(100 << 10, 'x') + " 0\n");
    const auto got = ask(call(PluginMethod::GetResourceStatus));
    EXPECT_EQ(got.error().kind, ErrorKind::TooLarge);
    write("shop", "stable v1\ncanary " + std::string(1 << 10, 'x') + " 0\n");
    EXPECT_THAT(sentence_of(ask(call(PluginMethod::GetResourceStatus))),
                HasSubstr("sent a status whose revisions are not"));
}

TEST_F(WeightsFile, OneThatDoesNotAnswerIsATimeoutUntilItDoes) {
    start_on_socket();
    ASSERT_TRUE(ask(call(PluginMethod::Init)));
    stop(server->pid());
    PluginCall asked = call(PluginMethod::VerifyWeight, 0);
    asked.timeout = 200ms;
    EXPECT_EQ(ask(asked).error().kind, ErrorKind::Timeout);
    ::kill(server->pid(), SIGCONT);
    EXPECT_TRUE(ask(call(PluginMethod::Init)));
}

TEST_F(WeightsFile, OneThatIsKilledInMidCallIsASentenceAndRecovers) {
    start_on_socket();
    open_caller();
    ASSERT_TRUE(ask(call(PluginMethod::SetWeight, 40)));
    stop(server->pid());
    std::optional<Result<PluginAnswer>> got;
    caller->ask(call(PluginMethod::VerifyWeight, 40), [&](const auto& result) { got = result; });
    loop.run_for(50ms);
    EXPECT_FALSE(got);
    server.reset();
    run_until([&] { return got.has_value(); });
    EXPECT_FALSE(*got);
    std::filesystem::remove(folder + "/socket");
    start_on_socket();
    let_the_proxy_read();
    EXPECT_EQ(ask(call(PluginMethod::VerifyWeight, 40)), PluginAnswer{.verified = true});
}

class WeightsFileTls : public WeightsFile {
  protected:
    WeightsFileTls() {
        const Pem pem = authority.issue("weights", "IP:127.0.0.1");
        write("server.crt", pem.cert);
        write("server.key", pem.key);
        write("ca.crt", authority.pem());
        const Pem client = authority.issue("operator", "");
        write("client.crt", client.cert);
        write("client.key", client.key);
        start({"--listen", "127.0.0.1:0", "--cert", folder + "/server.crt", "--key",
               folder + "/server.key", "--client-ca", folder + "/ca.crt"});
    }
    PluginCall secure_call(const std::string& ca, const std::string& identity) {
        PluginTls tls{folder + "/" + ca};
        if (!identity.empty()) {
            tls.cert_file = folder + "/" + identity + ".crt";
            tls.key_file = folder + "/" + identity + ".key";
        }
        PluginCall asked = call(PluginMethod::GetResourceStatus);
        asked.address = PluginEndpoint{"127.0.0.1:" + port, tls};
        return asked;
    }
    Authority authority;
};

TEST_F(WeightsFileTls, BothSidesShowWhoTheyAre) {
    for (int i = 0; i < 3; ++i) {
        const auto got = ask(secure_call("ca.crt", "client"));
        ASSERT_TRUE(got) << got.error().message;
        EXPECT_EQ(got->status.updated_revision, "v2");
    }
}

TEST_F(WeightsFileTls, NobodyElseIsTrusted) {
    const Authority other("other");
    write("other.crt", other.pem());
    EXPECT_THAT(sentence_of(ask(secure_call("other.crt", "client"))),
                HasSubstr("was not accepted"));
    const Pem stranger = other.issue("stranger", "");
    write("stranger.crt", stranger.cert);
    write("stranger.key", stranger.key);
    EXPECT_FALSE(ask(secure_call("ca.crt", "stranger")));
    EXPECT_FALSE(ask(secure_call("ca.crt", "")));
    EXPECT_TRUE(ask(secure_call("ca.crt", "client")));
}

TEST_F(WeightsFileTls, WithoutTlsItCannotBeAsked) {
    PluginCall plain = call(PluginMethod::Init);
    plain.address = PluginEndpoint{"127.0.0.1:" + port};
    EXPECT_FALSE(ask(plain));
}

}  // namespace
}  // namespace sluice::probe::testing
