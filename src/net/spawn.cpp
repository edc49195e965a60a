#include "net/spawn.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <vector>

extern char** environ;

namespace sluice::net {

namespace {

// A file in memory, so that nobody has to feed a pipe whose reader may be gone.
Fd make_input(std::string_view text) {
    Fd file(::memfd_create("stdin", MFD_CLOEXEC));
    while (file.get() >= 0 && !text.empty()) {
        const ssize_t written = ::write(file.get(), text.data(), text.size());
        if (written <= 0) return Fd();
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    if (file.get() >= 0) ::lseek(file.get(), 0, SEEK_SET);
    return file;
}

struct SpawnOptions {
    SpawnOptions() {
        ::posix_spawnattr_init(&attributes);
        ::posix_spawn_file_actions_init(&files);
    }
    ~SpawnOptions() {
        ::posix_spawn_file_actions_destroy(&files);
        ::posix_spawnattr_destroy(&attributes);
    }
    SpawnOptions(const SpawnOptions&) = delete;
    SpawnOptions& operator=(const SpawnOptions&) = delete;

    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
};

// A group of its own, to be killed as one; default signals; nothing open but the three.
void configure(SpawnOptions& options, int input, int out, int err) {
    sigset_t signals;
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&options.attributes, &signals);
    ::sigfillset(&signals);
    ::posix_spawnattr_setsigdefault(&options.attributes, &signals);
    ::posix_spawnattr_setpgroup(&options.attributes, 0);
    ::posix_spawnattr_setflags(&options.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                        POSIX_SPAWN_SETPGROUP);
    ::posix_spawn_file_actions_adddup2(&options.files, input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&options.files, out, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&options.files, err, STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&options.files, STDERR_FILENO + 1);
}

}  // namespace

std::optional<Pipe> make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
    return Pipe{Fd(ends[0]), Fd(ends[1])};
}

std::vector<Redacted> merge_environment(const std::vector<Variable>& extra) {
    std::vector<Redacted> lines;
    for (char** ours = environ; ours != nullptr && *ours != nullptr; ++ours) {
        const std::string_view line = *ours;
        const std::string_view name = line.substr(0, line.find('='));
        const bool is_replaced = std::ranges::any_of(
            extra, [&](const Variable& variable) { return variable.name == name; });
        if (!is_replaced) lines.emplace_back(std::string(line));
    }
    for (const Variable& variable : extra) {
        lines.emplace_back(variable.name + "=" + std::string(variable.value.reveal()));
    }
    return lines;
}

std::optional<std::string> complaint_about(const Program& program) {
    const auto has_nul = [](std::string_view text) { return text.find('\0') != text.npos; };
    if (program.argv.empty() || program.argv[0].empty()) return "no program to run was named";
    if (std::ranges::any_of(program.argv, has_nul)) return "a program's argument has a NUL in it";
    for (const Variable& variable : program.env) {
        if (variable.name.empty() || variable.name.find('=') != std::string::npos ||
            has_nul(variable.name) || has_nul(variable.value.reveal())) {
            return "a program's environment variable has a malformed name or a NUL in it";
        }
    }
    return std::nullopt;
}

std::expected<Spawned, int> spawn(const Program& program) {
    std::optional<Pipe> out = make_pipe();
    if (!out) return std::unexpected(errno);
    std::optional<Pipe> err = make_pipe();
    if (!err) return std::unexpected(errno);
    const Fd input = make_input(program.input);
    if (input.get() < 0) return std::unexpected(errno);

    const std::vector<Redacted> lines = merge_environment(program.env);
    const auto env = pointers_to(lines);
    const auto argv = pointers_to(program.argv);
    SpawnOptions options;
    configure(options, input.get(), out->write.get(), err->write.get());
    pid_t pid = -1;
    const int failed =
        ::posix_spawnp(&pid, argv[0], &options.files, &options.attributes, argv.data(), env.data());
    if (failed != 0) return std::unexpected(failed);

    Fd exit(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (exit.get() < 0) {
        const int why = errno;
        ::kill(-pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
        return std::unexpected(why);
    }
    return Spawned{pid, std::move(exit), std::move(out->read), std::move(err->read)};
}

}  // namespace sluice::net
