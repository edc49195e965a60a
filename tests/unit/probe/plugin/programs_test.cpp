// Programs that are plugins: which are started, what becomes of those that misbehave, and that none
// stays behind. The programs are scripts that say where the test's own server listens.
#include "probe/plugin/programs.hpp"

#include <signal.h>

#include "probe/plugin/handshake.hpp"
#include "tests/unit/probe/plugin/plugin_world.hpp"

namespace sluice::probe::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ProgramsTest : public PluginWorld {
  protected:
    ProgramsTest() { open(bounds()); }

    static ProgramBounds bounds() {
        ProgramBounds quick;
        quick.backoff = {1ms, 2ms};
        quick.process.handshake = 10s;
        return quick;
    }
    void open(PluginBounds limits) {
        limits.programs = bounds();
        open_caller(limits);
    }
    void open(const ProgramBounds& limits) { open_caller({.programs = limits}); }

    PluginCall call(const PluginProgram& program, Duration timeout = 30s) {
        return {.plugin = "queue",
                .address = program,
                .method = PluginMethod::VerifyWeight,
                .timeout = timeout};
    }
    PluginProgram script(const std::string& body, const std::string& name = "plugin") {
        return {write(name, "#!/bin/sh\n" + body, 0755)};
    }
    // Listens where the test does, and counts how often it was started.
    PluginProgram good(const std::string& more = "exec sleep 1000") {
        return script("echo >> " + folder + "/starts\necho '1|1|unix|" + folder + "/s|grpc'\n" +
                      more + "\n");
    }
    std::string folder_of_sockets(int pid) {
        std::ifstream environment("/proc/" + std::to_string(pid) + "/environ");
        for (std::string line; std::getline(environment, line, '\0');)
            if (line.starts_with("PLUGIN_UNIX_SOCKET_DIR=")) return line.substr(23);
        return "";
    }
    std::size_t starts() {
        std::ifstream file(folder + "/starts");
        return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(file),
                                                   std::istreambuf_iterator<char>(), '\n'));
    }
    static bool is_gone(int pid) { return ::kill(pid, 0) != 0; }

    std::unique_ptr<H2Server> serve(const H2Session::Script& script) {
        return std::make_unique<H2Server>(loop, script, nullptr, folder + "/s");
    }
};

TEST_F(ProgramsTest, AProgramIsStartedOnceForManyCalls) {
    const auto server = serve(grpc_answer(verified()));
    const PluginProgram program = good();
    for (int i = 0; i < 5; ++i) {
        const auto got = ask(call(program));
        ASSERT_TRUE(got) << got.error().message;
        EXPECT_TRUE(got->verified);
    }
    EXPECT_EQ(starts(), 1u);
    EXPECT_THAT(log, Contains(StartsWith("plugin \"queue\" was started, process ")));
}

TEST_F(ProgramsTest, ItsSocketsLieInAFolderOfOursThatGoesWithIt) {
    const auto server = serve(grpc_answer(verified()));
    const PluginProgram program = good();
    ASSERT_TRUE(ask(call(program)));
    const int pid = caller->pid_of("queue", program);
    const std::string sockets = folder_of_sockets(pid);
    struct stat seen{};
    ASSERT_EQ(::stat(sockets.c_str(), &seen), 0) << sockets;
    EXPECT_EQ(seen.st_mode & 07777u, 0700u);
    caller.reset();
    EXPECT_TRUE(is_gone(pid));
    EXPECT_NE(::stat(sockets.c_str(), &seen), 0);
}

TEST_F(ProgramsTest, ItGetsItsArgumentsAndTheCookie) {
    PluginProgram program =
        script("echo \"$1 $SLUICE_PLUGIN_MAGIC $PLUGIN_PROTOCOL_VERSIONS\" >&2");
    program.args = {"two words"};
    EXPECT_EQ(
        sentence_of(ask(call(program))),
        "plugin \"queue\" ended with exit code 0: two words " + std::string(cookie_value) + " 1");
}

TEST_F(ProgramsTest, WhatIsNoPluginIsNamed) {
    for (const auto& [body, sentence] : std::vector<std::pair<std::string, std::string>>{
             {"echo hello; exec sleep 1000", "printed \"hello\" instead of a handshake"},
             {"echo hello", "printed \"hello\" instead of a handshake"},
             {"exec cat /dev/zero", "instead of a handshake"},
             {"echo '1|1|unix|/p|netrpc'; exec sleep 1000", "wants to speak \"netrpc\""},
             {"echo '1|1|unix|/p|grpc|cert'; exec sleep 1000", "demands TLS"},
             {"echo one; echo broken >&2; exit 3", "printed \"one\" instead of a handshake"},
             {"echo broken >&2; exit 3", "ended with exit code 3: broken"},
             {"kill -9 $$", "was ended by signal 9"}}) {
        EXPECT_THAT(sentence_of(ask(call(script(body)))), StartsWith("plugin \"queue\" ")) << body;
        caller.reset();
        open(bounds());
        EXPECT_THAT(sentence_of(ask(call(script(body)))), HasSubstr(sentence)) << body;
    }
}

TEST_F(ProgramsTest, OneThatNeverSaysWhereItListensIsKilled) {
    ProgramBounds hasty = bounds();
    hasty.process.handshake = 50ms;
    open(hasty);
    EXPECT_EQ(sentence_of(ask(call(script("exec sleep 1000")))),
              "plugin \"queue\" did not say where it listens within 50ms");
    EXPECT_EQ(caller->pid_of("queue", {folder + "/plugin"}), 0);
}

TEST_F(ProgramsTest, ACallDoesNotWaitLongerThanItsTimeout) {
    EXPECT_EQ(sentence_of(ask(call(script("exec sleep 1000"), 50ms))),
              "plugin \"queue\" was not ready within 50ms");
}

TEST_F(ProgramsTest, OnlyTheDeclaredFileIsStarted) {
    const auto server = serve(grpc_answer(verified()));
    PluginProgram program = good();
    program.sha256 = std::string(64, '0');
    const std::string refused = sentence_of(ask(call(program)));
    EXPECT_THAT(refused,
                StartsWith("plugin \"queue\" is not started: the SHA-256 of its file is "));
    EXPECT_EQ(starts(), 0u);
    program.sha256 = refused.substr(refused.find("file is ") + 8, 64);
    EXPECT_TRUE(ask(call(program)));
    EXPECT_EQ(starts(), 1u);
}

TEST_F(ProgramsTest, TheDigestIsCheckedBeforeEveryStart) {
    const auto server = serve(grpc_answer(verified()));
    PluginProgram program = good();
    program.sha256 = std::string(64, '0');
    const std::string refused = sentence_of(ask(call(program)));
    program.sha256 = refused.substr(refused.find("file is ") + 8, 64);
    ASSERT_TRUE(ask(call(program)));
    good("exec sleep 999");
    ::kill(caller->pid_of("queue", program), SIGKILL);
    run_until([&] { return caller->pid_of("queue", program) == 0; });
    std::string sentence;
    run_until([&] {
        sentence = sentence_of(ask(call(program)));
        return sentence.contains("SHA-256");
    });
    EXPECT_EQ(starts(), 1u);
}

TEST_F(ProgramsTest, FilesThatAreNoProgramsAreRefused) {
    write("plain", "text");
    write("open", "#!/bin/sh\n", 0777);
    write("other", "#!/bin/sh\n", 04755);
    ::mkfifo((folder + "/pipe").c_str(), 0755);
    for (const auto& [name, sentence] : std::vector<std::pair<std::string, std::string>>{
             {"plain", "which is not executable"},
             {"open", "which may be changed by everybody"},
             {"other", "which would run as another user"},
             {"pipe", "which is not a file"},
             {".", "which is not a file"},
             {"gone", "which cannot be opened: No such file or directory"}}) {
        EXPECT_EQ(sentence_of(ask(call({folder + "/" + name}))),
                  "plugin \"queue\" is " + folder + "/" + name + ", " + sentence);
    }
}

TEST_F(ProgramsTest, NoLinkLeadsOutOfTheFolder) {
    std::filesystem::create_directory(folder + "/allowed");
    std::filesystem::create_symlink("/bin/true", folder + "/allowed/out");
    std::filesystem::create_symlink("../plugin", folder + "/allowed/up");
    std::filesystem::create_symlink("/bin", folder + "/allowed/bin");
    std::filesystem::create_symlink("loop", folder + "/allowed/loop");
    std::filesystem::create_symlink("in", folder + "/allowed/link");
    script("exit 7", "allowed/in");
    const auto below = [&](const std::string& name) {
        return PluginProgram{folder + "/allowed/" + name, "", {}, folder + "/allowed"};
    };
    for (const std::string name : {"out", "up", "bin/true", "loop", "../plugin"})
        EXPECT_THAT(sentence_of(ask(call(below(name)))), HasSubstr("which leads out of")) << name;
    EXPECT_THAT(sentence_of(ask(call(below("link")))), HasSubstr("ended with exit code 7"));
}

TEST_F(ProgramsTest, OneThatWasKilledIsStartedAgain) {
    const auto server = serve(grpc_answer(verified()));
    const PluginProgram program = good();
    ASSERT_TRUE(ask(call(program)));
    const int pid = caller->pid_of("queue", program);
    ::kill(pid, SIGKILL);
    run_until([&] { return log.back() == "plugin \"queue\" was ended by signal 9"; });
    EXPECT_EQ(caller->pid_of("queue", program), 0);
    run_until([&] { return ask(call(program)).has_value(); });
    EXPECT_NE(caller->pid_of("queue", program), pid);
    EXPECT_EQ(starts(), 2u);
}

TEST_F(ProgramsTest, OneThatFailsIsNotStartedAtOnceAgain) {
    ProgramBounds patient = bounds();
    patient.backoff = {1h, 1h};
    open(patient);
    const PluginProgram program = script("echo >> " + folder + "/starts; echo broken >&2; exit 3");
    EXPECT_THAT(sentence_of(ask(call(program))), HasSubstr("ended with exit code 3: broken"));
    for (int i = 0; i < 3; ++i)
        EXPECT_THAT(
            sentence_of(ask(call(program))),
            HasSubstr("ended with exit code 3: broken; it is started again within a minute"));
    EXPECT_EQ(starts(), 1u);
}

TEST_F(ProgramsTest, OneThatStopsAnsweringIsKilled) {
    const auto server = serve([](const auto&, const auto&) {});
    const PluginProgram program = good();
    run_until([&] {
        EXPECT_FALSE(ask(call(program, 100ms)));
        return std::ranges::count(
                   log, "plugin \"queue\" did not answer 3 times in a row, and was killed") == 1;
    });
    EXPECT_EQ(caller->pid_of("queue", program), 0);
}

TEST_F(ProgramsTest, AnErrorIsAnAnswer) {
    const auto server = serve(grpc_error("13"));
    const PluginProgram program = good();
    for (int i = 0; i < 10; ++i)
        EXPECT_FALSE(ask(call(program)));
    EXPECT_EQ(starts(), 1u);
}

TEST_F(ProgramsTest, OneThatIsNoLongerDeclaredEnds) {
    ProgramBounds hasty = bounds();
    hasty.process.shutdown = 20ms;
    open(hasty);
    const auto server = serve(grpc_answer(verified()));
    const PluginProgram program = good();
    ASSERT_TRUE(ask(call(program)));
    const int pid = caller->pid_of("queue", program);
    caller->keep({{"queue", program}});
    ASSERT_TRUE(ask(call(program)));
    EXPECT_EQ(starts(), 1u);
    caller->keep({});
    run_until([&] { return is_gone(pid); });
    run_until([&] { return ask(call(program)).has_value(); });
    EXPECT_EQ(starts(), 2u);
}

TEST_F(ProgramsTest, OneThatARolloutNamedEndsWhenNobodyAsks) {
    ProgramBounds hasty = bounds();
    hasty.process.shutdown = 20ms;
    hasty.idle_max = 5s;
    open(hasty);
    const auto server = serve(grpc_answer(verified()));
    PluginProgram program = good();
    program.below = folder;
    ASSERT_TRUE(ask(call(program)));
    const int pid = caller->pid_of("queue", program);
    caller->keep({});
    run_until([&] { return is_gone(pid); });
}

TEST_F(ProgramsTest, EvenAStubbornOneEnds) {
    ProgramBounds hasty = bounds();
    hasty.process.shutdown = 20ms;
    hasty.process.termination = 20ms;
    open(hasty);
    const auto server = serve([](const auto&, const auto&) {});
    const PluginProgram program = script("trap '' TERM\necho '1|1|unix|" + folder +
                                         "/s|grpc'\nwhile :; do sleep 1000; done\n");
    caller->ask(call(program), [](const auto&) {});
    run_until([&] { return !server->received.empty(); });
    const int pid = caller->pid_of("queue", program);
    bool ended = false;
    caller->end_programs([&] { ended = true; });
    EXPECT_FALSE(ended);
    run_until([&] { return ended; });
    EXPECT_TRUE(is_gone(pid));
    EXPECT_THAT(log, Contains(HasSubstr("did not end when it was told to, and was killed")));
}

TEST_F(ProgramsTest, WithNothingRunningTheEndComesAtOnce) {
    bool ended = false;
    caller->end_programs([&] { ended = true; });
    EXPECT_FALSE(ended);
    run_until([&] { return ended; });
}

TEST_F(ProgramsTest, WhatItPrintsIsInTheLog) {
    const auto server = serve(grpc_answer(verified()));
    const PluginProgram program =
        good("echo 'consumers: 3' >&2; echo 'on stdout'; exec sleep 1000");
    ASSERT_TRUE(ask(call(program)));
    run_until([&] {
        return std::ranges::count(log, "plugin \"queue\": consumers: 3") == 1 &&
               std::ranges::count(log, "plugin \"queue\": on stdout") == 1;
    });
}

TEST_F(ProgramsTest, OneThatFloodsTheLogIsStillAskedAndHeard) {
    const auto server = serve(grpc_answer(verified()));
    const PluginProgram program = good("yes >&2 & exec yes");
    for (int i = 0; i < 50; ++i)
        ASSERT_TRUE(ask(call(program)));
    run_until([&] { return std::ranges::count(log, "plugin \"queue\": y") >= 50; });
    EXPECT_LT(log.size(), 1000u);
}

TEST_F(ProgramsTest, ThereIsABoundOnHowManyRun) {
    ProgramBounds few = bounds();
    few.programs_max = 1;
    open(few);
    const auto server = serve(grpc_answer(verified()));
    ASSERT_TRUE(ask(call(good())));
    EXPECT_EQ(sentence_of(ask(call(script("", "another")))),
              "plugin \"queue\" is not started: 1 others already are");
}

}  // namespace
}  // namespace sluice::probe::testing
