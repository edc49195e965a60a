#include "net/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <system_error>
#include <vector>

#include "net/spawn.hpp"

namespace sluice::net {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr int exit_not_executable = 127;

constexpr int image_fd = STDERR_FILENO + 1;

// All that the new process needs, made before there is one.
struct Prepared {
    explicit Prepared(const ChildProgram& program)
        : lines(merge_environment(program.env)),
          env(pointers_to(lines)),
          argv(pointers_to(program.argv)) {}

    std::vector<Redacted> lines;
    std::vector<char*> env;
    std::vector<char*> argv;
};

// The file itself, not what its name leads to. A script's interpreter opens it once more, so it
// must stay open; other programs do not get to see it.
void execute_image(const Prepared& made) {
    ::fcntl(image_fd, F_SETFD, FD_CLOEXEC);
    ::execveat(image_fd, "", made.argv.data(), made.env.data(), AT_EMPTY_PATH);
    if (errno != ENOENT) return;
    ::fcntl(image_fd, F_SETFD, 0);
    ::execveat(image_fd, "", made.argv.data(), made.env.data(), AT_EMPTY_PATH);
}

// What the new process does before it becomes the program: nothing here may allocate or lock.
[[noreturn]] void become(const ChildProgram& program, const Prepared& made, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(exit_not_executable);  // it died before the line above
    ::setpgid(0, 0);
    for (int number = 1; number < NSIG; ++number)
        ::signal(number, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    const int nothing = ::open("/dev/null", O_RDONLY);
    const int out = program.out < 0 ? STDERR_FILENO : program.out;
    if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0 || ::dup2(out, STDOUT_FILENO) < 0 ||
        (program.err >= 0 && ::dup2(program.err, STDERR_FILENO) < 0) ||
        (program.image >= 0 && ::dup2(program.image, image_fd) < 0))
        ::_exit(exit_not_executable);
    ::close_range(program.image < 0 ? image_fd : image_fd + 1, ~0u, 0);
    if (program.image < 0) {
        ::execve(made.argv[0], made.argv.data(), made.env.data());
    } else {
        execute_image(made);
    }
    ::_exit(exit_not_executable);
}

}  // namespace

struct Child::State : std::enable_shared_from_this<State> {
    explicit State(asio::io_context& loop) : exit(loop) {}
    ~State() { kill(); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    void kill() {
        if (pid <= 0) return;
        ::kill(-pid, SIGKILL);  // and, if it did not come to lead a group yet:
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
        pid = -1;
    }

    void await_exit() {
        exit.async_wait(asio::posix::stream_descriptor::wait_read,
                        [self = shared_from_this()](error_code failed) {
                            if (!failed) self->reap();
                        });
    }

    void reap() {
        int status = 0;
        const pid_t reaped = ::waitpid(pid, &status, WNOHANG);
        if (reaped == 0) return await_exit();
        pid = -1;
        exit.close();
        const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        if (const auto told = std::exchange(ended, nullptr)) told(code);
    }

    asio::posix::stream_descriptor exit;  // a pidfd: readable once the program has ended
    std::function<void(int)> ended;
    pid_t pid = -1;
};

Result<std::unique_ptr<Child>> Child::start(asio::io_context& loop, const ChildProgram& program,
                                            std::function<void(int)> ended) {
    const Prepared made(program);
    auto state = std::make_shared<State>(loop);
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) become(program, made, parent);
    state->pid = pid;
    const int watched = pid < 0 ? -1 : static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (watched < 0) {
        return failure(ErrorKind::Unreadable, fmt::format("cannot start {}: {}", program.argv[0],
                                                          std::generic_category().message(errno)));
    }
    state->exit.assign(watched);
    state->ended = std::move(ended);
    state->await_exit();
    return std::unique_ptr<Child>(new Child(std::move(state)));
}

Child::Child(std::shared_ptr<State> state) : state_(std::move(state)) {}

Child::~Child() {
    state_->ended = nullptr;
    state_->kill();
    error_code ignored;
    ignored = state_->exit.close(ignored);
}

void Child::terminate() {
    if (state_->pid > 0) ::kill(state_->pid, SIGTERM);
}

int Child::pid() const {
    return state_->pid;
}

}  // namespace sluice::net
