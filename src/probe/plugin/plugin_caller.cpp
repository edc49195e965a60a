#include "probe/plugin/plugin_caller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <map>
#include <utility>

#include "base/printable.hpp"
#include "kube/file_reader.hpp"
#include "net/http_client.hpp"
#include "probe/plugin/messages.hpp"

namespace sluice::probe {

namespace asio = boost::asio;
using api::PluginAnswer;
using api::PluginCall;
using api::PluginEndpoint;
using api::PluginProgram;
using api::PluginTls;
using SteadyClock = std::chrono::steady_clock;

namespace {

constexpr std::size_t pem_bytes_max = 256 << 10;  // a bundle of authorities

constexpr std::size_t lines_kept_max = 32;

// Connections to one plugin.
struct Line {
    Line(asio::io_context& loop, std::size_t connections_max) : http(loop, connections_max) {}

    net::HttpClient http;
    std::size_t calls = 0;
};

struct Conversation {
    Conversation(asio::io_context& loop, PluginCall what, PluginCaller::Done whom)
        : asked(std::move(what)), done(std::move(whom)), alarm(loop) {}

    std::string subject() const { return "plugin " + quoted(asked.plugin); }
    PluginPrograms::Named program() const {
        return {asked.plugin, std::get<PluginProgram>(asked.address)};
    }
    bool is_for_program() const { return std::holds_alternative<PluginProgram>(asked.address); }

    bool has_tls() const {
        return !is_for_program() && std::get<PluginEndpoint>(asked.address).tls;
    }
    // Plugins of one name in different places do not share one.
    std::string line() const {
        const std::string& place = is_for_program()
                                       ? std::get<PluginProgram>(asked.address).path
                                       : std::get<PluginEndpoint>(asked.address).address;
        return asked.plugin + "\n" + place;
    }

    PluginCall asked;
    PluginCaller::Done done;
    SteadyClock::time_point until;
    asio::steady_timer alarm;  // while its program starts
    net::TransferId transfer = 0;
    bool has_place = false;
    bool is_sent = false;
    bool is_decided = false;  // the outcome is on its way
};

Result<Redacted> read_pem(const char* field, const std::string& path) {
    if (path.empty()) return Redacted();
    Result<Redacted> bytes = kube::FileReader().read(path, pem_bytes_max);
    if (bytes) return bytes;
    return failure(bytes.error().kind, fmt::format("{} {} {}", field, path, bytes.error().message));
}

Result<std::shared_ptr<const net::Tls>> read_tls(const PluginTls& files) {
    auto ca = read_pem("caFile", files.ca_file);
    if (!ca) return std::unexpected(ca.error());
    auto cert = read_pem("certFile", files.cert_file);
    if (!cert) return std::unexpected(cert.error());
    auto key = read_pem("keyFile", files.key_file);
    if (!key) return std::unexpected(key.error());
    return std::make_shared<net::Tls>(net::Tls{.ca_pem = std::string(ca->reveal()),
                                               .client_cert_pem = std::string(cert->reveal()),
                                               .client_key_pem = std::move(*key)});
}

Result<GrpcPeer> peer_of(const PluginEndpoint& endpoint) {
    constexpr std::string_view unix_scheme = "unix://";
    if (endpoint.address.starts_with(unix_scheme)) {
        return GrpcPeer{.unix_socket = endpoint.address.substr(unix_scheme.size())};
    }
    GrpcPeer peer{.authority = endpoint.address};
    if (endpoint.tls) {
        auto tls = read_tls(*endpoint.tls);
        if (!tls) return std::unexpected(tls.error());
        peer.tls = std::move(*tls);
    }
    return peer;
}

}  // namespace

// Callbacks find their call by id and the state by weak pointer: one that comes late finds nothing.
struct PluginCaller::State : std::enable_shared_from_this<PluginCaller::State> {
    State(asio::io_context& io, PluginLog log, PluginBounds limits, const kube::Lead& leading)
        : loop(io), bounds(limits), lead(leading), programs(io, std::move(log), limits.programs) {}

    template <class React>
    auto when_there(CallId id, React react) {
        return [weak = weak_from_this(), id, react](auto... came) {
            const std::shared_ptr<State> self = weak.lock();
            if (!self) return;
            const auto found = self->calls.find(id);
            if (found == self->calls.end() || found->second->is_decided) return;
            const std::shared_ptr<Conversation> call = found->second;
            react(*self, *call, std::move(came)...);
        };
    }

    void begin(CallId id, Conversation& call);
    void begin_with_program(CallId id, Conversation& call);
    void send(CallId id, Conversation& call, Result<GrpcPeer> peer);
    void take(CallId id, Conversation& call, Result<net::HttpResponse> answer);
    void settle(CallId id, Result<PluginAnswer> result);
    std::shared_ptr<Conversation> extract(CallId id);

    asio::io_context& loop;
    const PluginBounds bounds;
    const kube::Lead& lead;  // of the caller, which outlives us
    PluginPrograms programs;
    std::map<std::string, std::shared_ptr<Line>> lines;
    std::map<CallId, std::shared_ptr<Conversation>> calls;
    CallId last_id = 0;
};

void PluginCaller::State::begin(CallId id, Conversation& call) {
    std::shared_ptr<Line>& line = lines[call.line()];
    if (!line) line = std::make_shared<Line>(loop, bounds.in_flight_max);
    ++line->calls;
    call.has_place = true;
    if (line->calls > bounds.in_flight_max + bounds.waiting_max) {
        return settle(id, failure(ErrorKind::Throttled,
                                  fmt::format("too many calls wait for {}; this one will be tried "
                                              "again",
                                              call.subject())));
    }
    if (call.is_for_program()) return begin_with_program(id, call);
    send(id, call, peer_of(std::get<PluginEndpoint>(call.asked.address)));
}

void PluginCaller::State::begin_with_program(CallId id, Conversation& call) {
    call.alarm.expires_at(call.until);
    call.alarm.async_wait(
        when_there(id, [id](State& self, Conversation& late, boost::system::error_code stopped) {
            if (stopped || late.is_sent) return;
            self.settle(id, failure(ErrorKind::Timeout,
                                    fmt::format("{} was not ready within {}", late.subject(),
                                                to_text(late.asked.timeout))));
        }));
    programs.reach(call.program(),
                   when_there(id, [id](State& self, Conversation& here, Result<GrpcPeer> peer) {
                       // The programs speak of the plugin by themselves.
                       if (!peer) return self.settle(id, std::unexpected(peer.error()));
                       self.send(id, here, std::move(peer));
                   }));
}

void PluginCaller::State::send(CallId id, Conversation& call, Result<GrpcPeer> peer) {
    if (!peer) {
        return settle(id, failure(peer.error().kind,
                                  fmt::format("{}: {}", call.subject(), peer.error().message)));
    }
    if (lead && !lead()) return settle(id, failure(ErrorKind::Throttled, kube::not_leading));
    const auto left = std::chrono::duration_cast<Duration>(call.until - SteadyClock::now());
    call.is_sent = true;
    call.alarm.cancel();
    call.transfer =
        lines.at(call.line())
            ->http.start(grpc_request(*peer, path_of(call.asked.method), to_message(call.asked),
                                      std::max(left, 1ms), bounds.answer_bytes_max),
                         when_there(id, [id](State& self, Conversation& here,
                                             Result<net::HttpResponse> answer) {
                             self.take(id, here, std::move(answer));
                         }));
}

void PluginCaller::State::take(CallId id, Conversation& call, Result<net::HttpResponse> answer) {
    if (call.is_for_program()) {
        const bool is_silent = !answer && answer.error().kind == ErrorKind::Timeout;
        programs.heard(call.program(), !is_silent);
    }
    const Result<std::string> message = read_grpc_answer(std::move(answer), call.subject());
    if (!message) return settle(id, std::unexpected(message.error()));
    Result<PluginAnswer> result = read_message(call.asked.method, *message);
    if (!result) result.error().message = call.subject() + " " + result.error().message;
    settle(id, std::move(result));
}

// The outcome is handed over from the loop, not from inside a client's callback: whoever gets it
// may destroy us. Until then it can be cancelled.
void PluginCaller::State::settle(CallId id, Result<PluginAnswer> result) {
    calls.at(id)->is_decided = true;
    asio::post(loop, [weak = weak_from_this(), id, result = std::move(result)] {
        const std::shared_ptr<State> self = weak.lock();
        const std::shared_ptr<Conversation> call = self ? self->extract(id) : nullptr;
        if (call) call->done(result);
    });
}

std::shared_ptr<Conversation> PluginCaller::State::extract(CallId id) {
    auto node = calls.extract(id);
    if (!node) return nullptr;
    std::shared_ptr<Conversation> call = std::move(node.mapped());
    call->alarm.cancel();
    if (!call->has_place) return call;
    const std::shared_ptr<Line> line = lines.at(call->line());
    line->http.cancel(call->transfer);
    --line->calls;
    // A connection with TLS was dear and will be wanted again.
    const bool is_worth_keeping = call->has_tls() && lines.size() <= lines_kept_max;
    if (line->calls == 0 && !is_worth_keeping) lines.erase(call->line());
    return call;
}

PluginCaller::PluginCaller(asio::io_context& loop, PluginLog log, PluginBounds bounds)
    : state_(std::make_shared<State>(loop, std::move(log), bounds, lead)) {}

PluginCaller::~PluginCaller() {
    state_->calls.clear();
    state_->lines.clear();
}

PluginCaller::CallId PluginCaller::ask(PluginCall call, Done done) {
    const CallId id = ++state_->last_id;
    call.timeout = std::clamp(call.timeout, Duration(1ms), state_->bounds.timeout_max);
    auto made = std::make_shared<Conversation>(state_->loop, std::move(call), std::move(done));
    made->until = SteadyClock::now() + made->asked.timeout;
    state_->calls.emplace(id, std::move(made));
    asio::post(state_->loop, state_->when_there(id, [id](State& self, Conversation& here) {
        self.begin(id, here);
    }));
    return id;
}

void PluginCaller::cancel(CallId id) {
    state_->extract(id);
}

std::size_t PluginCaller::in_flight() const {
    return state_->calls.size();
}

void PluginCaller::keep(const std::vector<api::NamedProgram>& programs) {
    state_->programs.keep(programs);
}

void PluginCaller::end_programs(std::function<void()> done) {
    state_->programs.end_all(std::move(done));
}

int PluginCaller::pid_of(const std::string& plugin, const PluginProgram& program) const {
    return state_->programs.pid_of({plugin, program});
}

}  // namespace sluice::probe
