#include "probe/plugin/process.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "net/child.hpp"
#include "net/spawn.hpp"
#include "probe/plugin/handshake.hpp"
#include "probe/plugin/program_file.hpp"

namespace sluice::probe {

namespace asio = boost::asio;
using api::PluginProgram;
using boost::system::error_code;
using Descriptor = asio::posix::stream_descriptor;
using Level = controller::Log::Level;

namespace {

constexpr std::size_t stdio_connections = 2;  // one for the stream, one to say goodbye
constexpr Duration last_words_wait = 1s;
constexpr Duration flood_pause = 100ms;
constexpr int signal_base = 128;  // as shells count exit codes
constexpr int exit_not_executable = 127;

// Ours alone (0700).
Result<std::string> make_folder() {
    const char* base = ::getenv("TMPDIR");
    std::string name = base != nullptr && *base == '/' ? base : "/tmp";
    name += "/sluice-plugin-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) {
        return failure(ErrorKind::Unreadable,
                       fmt::format("cannot be started: no folder for its socket can be made in "
                                   "{}: {}",
                                   name.substr(0, name.find_last_of('/')),
                                   std::generic_category().message(errno)));
    }
    return name;
}

std::string how_it_ended(int exit_code) {
    if (exit_code == exit_not_executable) return "could not be executed";
    if (exit_code > signal_base) {
        return fmt::format("was ended by signal {}", exit_code - signal_base);
    }
    return fmt::format("ended with exit code {}", exit_code);
}

}  // namespace

// Callbacks find the state by weak pointer: one that comes late finds nothing.
struct PluginProcess::State : std::enable_shared_from_this<PluginProcess::State> {
    State(asio::io_context& io, std::string whom, PluginProgram what, const PluginLog& sink,
          ProcessBounds limits, Events on)
        : loop(io),
          subject(std::move(whom)),
          program(std::move(what)),
          log(sink),
          bounds(limits),
          events(std::move(on)),
          out{Descriptor(io), asio::steady_timer(io), LogLines(subject, sink)},
          err{Descriptor(io), asio::steady_timer(io), LogLines(subject, sink)},
          timer(io),
          http(io, stdio_connections),
          streamed(subject, sink) {}
    ~State() { clean_up(); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    // Its stdout or its stderr, on the way into our log.
    struct Stream {
        Descriptor from;
        asio::steady_timer calm;
        LogLines lines;
    };

    // What `react` does with the state and what came, if it is still there and not over.
    template <class React>
    auto unless_over(React react) {
        return [weak = weak_from_this(), react = std::move(react)](auto... came) {
            const std::shared_ptr<State> self = weak.lock();
            if (self && !self->is_over) react(*self, std::move(came)...);
        };
    }

    void open_file();
    void check_file();
    Result<void> launch();
    void read(Stream State::* which);
    void after_a_breath(Stream State::* which);
    void take_out(std::string_view bytes);
    void shake_hands(std::string_view line);
    void listen_to_stdio(const GrpcPeer& from);
    void say_goodbye();
    void terminate();
    void on_exit(int code);
    void stream_ended();
    void tell_exit();
    void finish(Error why);
    void clean_up();
    void wait(Duration span, void (*then)(State&));

    asio::io_context& loop;
    const std::string subject;
    const PluginProgram program;
    const PluginLog log;
    const ProcessBounds bounds;
    Events events;
    std::unique_ptr<ProgramFile> file;
    std::string folder;
    std::unique_ptr<net::Child> child;
    Stream out;
    Stream err;
    asio::steady_timer timer;
    net::HttpClient http;
    LogLines streamed;
    StdioFrames frames;
    std::string greeting;
    std::optional<GrpcPeer> peer;
    std::optional<int> exit_code;
    int open_streams = 2;  // stdout and stderr
    bool is_ending = false;
    bool is_over = false;
};

void PluginProcess::State::open_file() {
    Result<ProgramFile> opened = ProgramFile::open(program);
    if (!opened) return finish(opened.error());
    file = std::make_unique<ProgramFile>(std::move(*opened));
    check_file();
}

void PluginProcess::State::check_file() {
    const std::optional<Result<void>> checked = file->check_some();
    if (!checked) {
        asio::post(loop, unless_over([](State& self) { self.check_file(); }));
        return;
    }
    if (!*checked) return finish(checked->error());
    if (const Result<void> launched = launch(); !launched) finish(launched.error());
}

Result<void> PluginProcess::State::launch() {
    std::optional<net::Pipe> to_out = net::make_pipe();
    std::optional<net::Pipe> to_err = net::make_pipe();
    if (!to_out || !to_err)
        return failure(ErrorKind::Unreadable, "cannot be started: there is no pipe for it");
    Result<std::string> made = make_folder();
    if (!made) return std::unexpected(made.error());
    folder = std::move(*made);

    net::ChildProgram start{.argv = {program.path},
                            .env = handshake_environment(folder),
                            .image = file->fd(),
                            .out = to_out->write.get(),
                            .err = to_err->write.get()};
    start.argv.insert(start.argv.end(), program.args.begin(), program.args.end());
    auto started = net::Child::start(
        loop, start, unless_over([](State& self, int code) { self.on_exit(code); }));
    if (!started) return std::unexpected(started.error());
    child = std::move(*started);
    file.reset();
    out.from.assign(to_out->read.release());
    err.from.assign(to_err->read.release());
    read(&State::out);
    read(&State::err);
    wait(bounds.handshake, [](State& self) {
        self.finish({ErrorKind::Timeout, fmt::format("did not say where it listens within {}",
                                                     to_text(self.bounds.handshake))});
    });
    return {};
}

void PluginProcess::State::wait(Duration span, void (*then)(State&)) {
    timer.expires_after(span);
    timer.async_wait(unless_over([then](State& self, error_code stopped) {
        if (!stopped) then(self);
    }));
}

void PluginProcess::State::read(Stream State::* which) {
    const auto buffer = std::make_shared<std::array<char, 4096>>();
    Stream& stream = this->*which;
    stream.from.async_read_some(
        asio::buffer(*buffer),
        unless_over([buffer, which](State& self, error_code failed, std::size_t count) {
            const std::string_view bytes{buffer->data(), count};
            which == &State::out ? self.take_out(bytes) : self.err.lines.take(bytes);
            if (failed) return self.stream_ended();
            self.after_a_breath(which);
        }));
}

// Who prints more than anybody reads has to wait, instead of keeping us busy.
void PluginProcess::State::after_a_breath(Stream State::* which) {
    Stream& stream = this->*which;
    if (is_over) return;
    if (!stream.lines.is_flooded()) return read(which);
    stream.calm.expires_after(flood_pause);
    stream.calm.async_wait(unless_over([which](State& self, error_code stopped) {
        if (!stopped) self.read(which);
    }));
}

void PluginProcess::State::take_out(std::string_view bytes) {
    if (peer) return out.lines.take(bytes);
    const auto end = std::min(bytes.find('\n'), bytes.size());
    greeting += bytes.substr(0, end);
    if (end == bytes.size() && greeting.size() <= bounds.handshake_bytes_max) return;
    shake_hands(greeting);
    if (peer && end < bytes.size()) out.lines.take(bytes.substr(end + 1));
}

void PluginProcess::State::shake_hands(std::string_view line) {
    Result<GrpcPeer> said = read_handshake(line);
    if (!said) return finish(said.error());
    peer = *said;
    if (!exit_code) timer.cancel();
    log(Level::Info, fmt::format("{} was started, process {}", subject, child->pid()));
    listen_to_stdio(*said);
    events.ready(std::move(*said));
}

// After its handshake, go-plugin keeps what a program prints until somebody asks for it, and in the
// end blocks it. A plugin without that service says so, which is fine.
void PluginProcess::State::listen_to_stdio(const GrpcPeer& from) {
    net::HttpRequest request = grpc_request(from, "/plugin.GRPCStdio/StreamStdio", "", 0ms, 4096);
    http.stream(
        std::move(request),
        [weak = weak_from_this()](std::string_view bytes) {
            const std::shared_ptr<State> self = weak.lock();
            return self && self->frames.take(bytes, self->streamed);
        },
        [](const Result<net::HttpResponse>&) {});
}

void PluginProcess::State::say_goodbye() {
    if (std::exchange(is_ending, true) || exit_code) return;
    if (!peer) return finish({ErrorKind::Unreachable, "was ended before it was ready"});
    http.start(grpc_request(*peer, "/plugin.GRPCController/Shutdown", "", bounds.shutdown, 4096),
               [](const Result<net::HttpResponse>&) {});
    wait(bounds.shutdown, [](State& self) { self.terminate(); });
}

void PluginProcess::State::terminate() {
    child->terminate();
    wait(bounds.termination, [](State& self) {
        self.finish({ErrorKind::Unreachable, "did not end when it was told to, and was killed"});
    });
}

// What it printed before it ended says why. Somebody whom it left behind may keep the pipes open.
void PluginProcess::State::on_exit(int code) {
    exit_code = code;
    if (open_streams == 0) return tell_exit();
    wait(last_words_wait, [](State& self) { self.tell_exit(); });
}

void PluginProcess::State::stream_ended() {
    --open_streams;
    if (open_streams == 0 && exit_code) tell_exit();
}

void PluginProcess::State::tell_exit() {
    err.lines.finish();
    std::string why = how_it_ended(exit_code.value_or(0));
    if (!peer && !err.lines.last_line().empty()) why += ": " + err.lines.last_line();
    finish({ErrorKind::Unreachable, std::move(why)});
}

void PluginProcess::State::finish(Error why) {
    if (std::exchange(is_over, true)) return;
    why.message = subject + " " + why.message;
    asio::post(loop, [weak = weak_from_this(), why = std::move(why)] {
        const std::shared_ptr<State> self = weak.lock();
        if (!self) return;
        self->clean_up();
        if (const auto ended = std::exchange(self->events.ended, nullptr)) ended(why);
    });
}

void PluginProcess::State::clean_up() {
    child.reset();
    file.reset();
    timer.cancel();
    for (Stream* stream : {&out, &err}) {
        error_code ignored;
        stream->calm.cancel();
        ignored = stream->from.close(ignored);
    }
    std::error_code left_behind;
    if (!folder.empty()) std::filesystem::remove_all(folder, left_behind);
    folder.clear();
}

PluginProcess::PluginProcess(asio::io_context& loop, std::string subject, PluginProgram program,
                             const PluginLog& log, ProcessBounds bounds, Events events)
    : state_(std::make_shared<State>(loop, std::move(subject), std::move(program), log, bounds,
                                     std::move(events))) {
    asio::post(loop, state_->unless_over([](State& self) { self.open_file(); }));
}

PluginProcess::~PluginProcess() {
    state_->is_over = true;
    state_->events = {};
    state_->clean_up();
}

void PluginProcess::end() {
    if (!state_->is_over) state_->say_goodbye();
}

void PluginProcess::kill(Error why) {
    state_->finish(std::move(why));
}

int PluginProcess::pid() const {
    return state_->child ? std::max(state_->child->pid(), 0) : 0;
}

}  // namespace sluice::probe
