#include "net/subprocess.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "net/spawn.hpp"

namespace sluice::net {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Descriptor = asio::posix::stream_descriptor;
using Done = std::function<void(Result<ProgramOutput>)>;

constexpr int exit_code_lost = 255 << 8;  // somebody else reaped it: certainly not a success

Error cannot_run(const std::string& program, int os_error) {
    return {ErrorKind::Unreadable,
            fmt::format("cannot run {}: {}", program, std::generic_category().message(os_error))};
}

// One program under way. Its handlers own it; it ends when the program has been reaped.
class Run : public std::enable_shared_from_this<Run> {
  public:
    Run(asio::io_context& loop, const Program& program, Done done)
        : name_(program.argv[0]),
          deadline_(program.deadline),
          output_max_(program.output_max),
          done_(std::move(done)),
          alarm_(loop),
          exit_(loop),
          out_(loop),
          err_(loop) {}
    ~Run() {
        if (pid_ <= 0) return;
        kill();
        ::waitpid(pid_, nullptr, 0);
    }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    std::optional<Error> start(const Program& program) {
        std::expected<Spawned, int> spawned = spawn(program);
        if (!spawned) return cannot_run(name_, spawned.error());
        pid_ = spawned->pid;
        exit_.assign(spawned->exit.release());
        out_.assign(spawned->out.release());
        err_.assign(spawned->err.release());
        await_exit();
        await_output(out_, &ProgramOutput::out);
        await_output(err_, &ProgramOutput::err);
        await_deadline();
        return std::nullopt;
    }

  private:
    void kill() const { ::kill(-pid_, SIGKILL); }

    void give_up(ErrorKind kind, std::string why) {
        if (failure_) return;
        failure_ = Error{kind, std::move(why)};
        kill();
    }

    void await_deadline() {
        alarm_.expires_after(deadline_);
        alarm_.async_wait([self = shared_from_this()](error_code failed) {
            if (failed || self->pid_ <= 0) return;
            self->give_up(ErrorKind::Timeout, fmt::format("{} did not end within {}", self->name_,
                                                          to_text(self->deadline_)));
        });
    }

    void await_exit() {
        exit_.async_wait(Descriptor::wait_read, [self = shared_from_this()](error_code failed) {
            if (failed) return;
            self->has_ended() ? self->reap() : self->await_exit();
        });
    }

    // The loop's word that a descriptor is readable is a hint: it may mean one that had the same
    // number before. Leaves the program to be reaped, so that its number is still its own.
    bool has_ended() const {
        siginfo_t ended{};
        const auto id = static_cast<id_t>(pid_);
        return ::waitid(P_PID, id, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid != 0;
    }

    void await_output(Descriptor& from, std::string ProgramOutput::* into) {
        from.non_blocking(true);
        from.async_wait(Descriptor::wait_read,
                        [self = shared_from_this(), &from, into](error_code failed) {
                            if (failed || self->pid_ <= 0) return;
                            if (self->drain(from, into)) self->await_output(from, into);
                        });
    }

    // Reads what is there. False once there is nothing more to come.
    bool drain(Descriptor& from, std::string ProgramOutput::* into) {
        std::string& text = output_.*into;
        std::array<char, 4096> buffer;
        while (true) {
            error_code failed;
            const std::size_t count = from.read_some(asio::buffer(buffer), failed);
            if (failed) return failed == asio::error::would_block;
            if (count > output_max_ - text.size()) {
                give_up(ErrorKind::TooLarge,
                        fmt::format("{} printed more than {} bytes", name_, output_max_));
                return false;
            }
            text.append(buffer.data(), count);
        }
    }

    void reap() {
        drain(out_, &ProgramOutput::out);
        drain(err_, &ProgramOutput::err);
        int status = 0;
        if (::waitpid(pid_, &status, 0) != pid_) status = exit_code_lost;
        pid_ = -1;
        alarm_.cancel();
        out_.close();
        err_.close();
        output_.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        if (failure_) {
            done_(std::unexpected(*failure_));
        } else {
            done_(std::move(output_));
        }
    }

    std::string name_;
    Duration deadline_;
    std::size_t output_max_;
    Done done_;
    pid_t pid_ = -1;
    ProgramOutput output_;
    std::optional<Error> failure_;
    asio::steady_timer alarm_;
    Descriptor exit_;  // a pidfd: readable once the program has ended
    Descriptor out_;
    Descriptor err_;
};

}  // namespace

void run_program(asio::io_context& loop, const Program& program, Done done) {
    std::optional<Error> failed;
    if (auto why = complaint_about(program)) {
        failed = Error{ErrorKind::Invalid, std::move(*why)};
    } else {
        failed = std::make_shared<Run>(loop, program, done)->start(program);
    }
    if (!failed) return;
    asio::post(loop, [done = std::move(done), failed = std::move(*failed)] {
        done(std::unexpected(failed));
    });
}

}  // namespace sluice::net
