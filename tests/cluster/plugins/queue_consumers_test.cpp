// The plugin that is started as a program, examples/plugins/queue-consumers: made with the real
// go-plugin library, started, killed, restarted and ended by the operator's own code.
#include <openssl/evp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cluster/plugins/programs.hpp"
#include "tests/unit/probe/plugin/plugin_world.hpp"

namespace sluice::probe::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string sha256_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_Digest(bytes.data(), bytes.size(), sum, &size, EVP_sha256(), nullptr);
    std::string text;
    for (unsigned i = 0; i < size; ++i)
        text += "0123456789abcdef"[sum[i] >> 4], text += "0123456789abcdef"[sum[i] & 15];
    return text;
}

class QueueConsumers : public PluginWorld {
  protected:
    QueueConsumers() {
        const std::string path = program("SLUICE_TEST_QUEUE_CONSUMERS");
        consumers = {path, sha256_of(path)};
        PluginBounds bounds;
        bounds.programs.backoff = {1ms, 100ms};
        bounds.programs.process.shutdown = 60s;
        open_caller(bounds);
    }

    PluginCall call(PluginMethod method, int weight = 0) {
        return {.plugin = "queue",
                .address = consumers,
                .method = method,
                .api_version = "example.com/v1",
                .kind = "ConsumerGroup",
                .name = "orders",
                .ns = "shop",
                .weight = weight,
                .config = R"({"consumers": "10", "current": "v1", "revision": "v2"})",
                .timeout = 30s};
    }
    void verify(int weight) {
        run_until([&] {
            const auto got = ask(call(PluginMethod::VerifyWeight, weight));
            return got && got->verified;
        });
    }
    ResourceStatus status() {
        const auto got = ask(call(PluginMethod::GetResourceStatus));
        EXPECT_TRUE(got) << got.error().message;
        return got ? got->status : ResourceStatus{};
    }
    int pid() { return caller->pid_of("queue", consumers); }

    PluginProgram consumers;
};

TEST_F(QueueConsumers, AGroupIsRolledOut) {
    EXPECT_EQ(ask(call(PluginMethod::Init)), PluginAnswer{});
    EXPECT_EQ(status(), (ResourceStatus{10, 0, 10, 10, "v1", "v2", true}));
    EXPECT_EQ(ask(call(PluginMethod::SetWeight, 40)), PluginAnswer{});
    verify(40);
    EXPECT_EQ(status(), (ResourceStatus{10, 4, 10, 10, "v1", "v2", true}));
    EXPECT_TRUE(ask(call(PluginMethod::Promote)));
    run_until([&] { return status().current_revision == "v2"; });
    EXPECT_EQ(status(), (ResourceStatus{10, 10, 10, 10, "v2", "v2", true}));
    EXPECT_THAT(log, Contains("plugin \"queue\": orders goes to 40 percent"));
    EXPECT_FALSE(is_gone(pid()));
}

TEST_F(QueueConsumers, AnAbortBringsThemBack) {
    ASSERT_TRUE(ask(call(PluginMethod::SetWeight, 30)));
    verify(30);
    EXPECT_TRUE(ask(call(PluginMethod::Abort)));
    verify(0);
    EXPECT_EQ(status(), (ResourceStatus{10, 0, 10, 10, "v1", "v2", true}));
}

TEST_F(QueueConsumers, ItsErrorsAreSentences) {
    PluginCall wrong = call(PluginMethod::Init);
    wrong.config = "{";
    EXPECT_EQ(sentence_of(ask(wrong)),
              "plugin \"queue\" answered INVALID_ARGUMENT: spec.plugin.config must be an object "
              "with consumers, current and revision");
}

TEST_F(QueueConsumers, AnotherFileThanTheDeclaredOneIsNotStarted) {
    consumers.sha256 = std::string(64, 'f');
    EXPECT_THAT(sentence_of(ask(call(PluginMethod::Init))),
                StartsWith("plugin \"queue\" is not started: the SHA-256 of its file is "));
    EXPECT_EQ(pid(), 0);
}

TEST_F(QueueConsumers, OneThatIsKilledInMidCallIsASentenceAndRecovers) {
    ASSERT_TRUE(ask(call(PluginMethod::SetWeight, 40)));
    const int first = pid();
    stop(first);
    std::optional<Result<PluginAnswer>> got;
    caller->ask(call(PluginMethod::VerifyWeight, 40), [&](const auto& result) { got = result; });
    loop.run_for(50ms);
    EXPECT_FALSE(got);
    ::kill(first, SIGKILL);
    run_until([&] { return got.has_value(); });
    EXPECT_FALSE(*got);
    verify(40);
    EXPECT_NE(pid(), first);
    EXPECT_TRUE(is_gone(first));
    EXPECT_THAT(log, Contains("plugin \"queue\" was ended by signal 9"));
}

TEST_F(QueueConsumers, OneThatStopsAnsweringIsReplaced) {
    ASSERT_TRUE(ask(call(PluginMethod::Init)));
    const int first = pid();
    stop(first);
    PluginCall hasty = call(PluginMethod::Init);
    hasty.timeout = 200ms;
    run_until([&] {
        ask(hasty);
        return is_gone(first);
    });
    verify(0);
    EXPECT_THAT(log, Contains(HasSubstr("did not answer 3 times in a row, and was killed")));
}

TEST_F(QueueConsumers, ItEndsByItselfWhenItIsNoLongerDeclared) {
    ASSERT_TRUE(ask(call(PluginMethod::Init)));
    const int first = pid();
    caller->keep({});
    run_until([&] { return log.back() == "plugin \"queue\" ended with exit code 0"; });
    EXPECT_EQ(pid(), 0);
    EXPECT_TRUE(is_gone(first));
}

TEST_F(QueueConsumers, ItEndsWithTheOperator) {
    ASSERT_TRUE(ask(call(PluginMethod::Init)));
    const int first = pid();
    bool ended = false;
    caller->end_programs([&] { ended = true; });
    run_until([&] { return ended; });
    EXPECT_TRUE(is_gone(first));
}

TEST_F(QueueConsumers, ItDiesWhenTheOperatorIsKilled) {
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    caller.reset();
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what it leaves behind is ours to bury
    const pid_t oper = ::fork();
    if (oper == 0) {
        ::setenv("TMPDIR", folder.c_str(), 1);  // nobody is left to clean up
        asio::io_context inner;
        PluginCaller inner_caller(inner, [](auto, const auto&) {});
        inner_caller.ask(call(PluginMethod::Init), [&](const auto& got) {
            const int started = got ? inner_caller.pid_of("queue", consumers) : -1;
            if (::write(pipe[1], &started, sizeof started) < 0) ::_exit(1);
        });
        inner.run_for(std::chrono::minutes(5));
        ::_exit(0);
    }
    int started = -1;
    ASSERT_EQ(::read(pipe[0], &started, sizeof started), static_cast<ssize_t>(sizeof started));
    ::close(pipe[0]);
    ::close(pipe[1]);
    ASSERT_GT(started, 0);
    EXPECT_FALSE(is_gone(started));
    ::kill(oper, SIGKILL);
    ::waitpid(oper, nullptr, 0);
    int status = 0;
    ASSERT_EQ(::waitpid(started, &status, 0), started);
    EXPECT_TRUE(WIFSIGNALED(status));
}

TEST_F(QueueConsumers, AServerThatIsNoPluginIsNamed) {
    consumers = {
        program("SLUICE_TEST_WEIGHTS_FILE"), "", {"--listen", "unix://" + folder + "/socket"}};
    EXPECT_THAT(sentence_of(ask(call(PluginMethod::Init))),
                HasSubstr("printed \"listening on unix://"));
    EXPECT_EQ(pid(), 0);
}

}  // namespace
}  // namespace sluice::probe::testing
