#include "kube/api_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "kube/sentence.hpp"
#include "kube/status.hpp"
#include "kube/user_agent.hpp"
#include "net/clock.hpp"

namespace sluice::kube {
namespace {

namespace asio = boost::asio;
using SteadyTime = std::chrono::steady_clock::time_point;

Duration since(SteadyTime start) {
    return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - start);
}

bool is_success(int status) {
    return status >= 200 && status < 300;
}

bool is_same_identity(const Access& a, const Access& b) {
    return a.tls == b.tls && a.authorization.reveal() == b.authorization.reveal();
}

// The part of the header's value behind "Bearer " or "Basic ".
std::string_view secret_of(const Access& access) {
    const std::string_view value = access.authorization.reveal();
    return value.substr(value.find(' ') + 1);
}

std::vector<net::Header> headers_of(const ApiRequest& request, const Access& access) {
    std::vector<net::Header> headers{{"Accept", Redacted(std::string(request.accept))},
                                     {"User-Agent", Redacted(std::string(user_agent))}};
    if (!request.content_type.empty())
        headers.push_back({"Content-Type", Redacted(request.content_type)});
    if (!access.authorization.empty()) headers.push_back({"Authorization", access.authorization});
    return headers;
}

}  // namespace

struct ApiClient::State : std::enable_shared_from_this<ApiClient::State> {
    struct Call {
        ApiRequest request;  // deadline zero: a watch
        Duration idle_timeout{0};
        Chunk chunk{};
        Done done{};
        SteadyTime start = std::chrono::steady_clock::now();
        Access used{};
        bool is_repeated = false;
        net::TransferId transfer = 0;                    // zero: none under way
        std::unique_ptr<asio::steady_timer> patience{};  // while waiting for credentials
    };

    State(asio::io_context& io, std::shared_ptr<Credentials> who, std::size_t connections_max,
          ApiClient* client)
        : loop(io),
          credentials(std::move(who)),
          connections(connections_max),
          watches(new_client()),
          requests(new_client()),
          owner(client) {}

    net::TransferId begin(Call call);
    void cancel(net::TransferId id);
    void close();
    void rest();

    std::unique_ptr<net::HttpClient> new_client() {
        return std::make_unique<net::HttpClient>(loop, connections);
    }
    net::HttpClient& carrier_of(const Call& call) { return call.chunk ? *watches : *requests; }

    void ask_for_access(net::TransferId id, std::function<void(Result<Access>)> got);
    void transfer(net::TransferId id, const Result<Access>& access);
    void answered(net::TransferId id, Result<net::HttpResponse> response);
    void renew(net::TransferId id);
    void fail(net::TransferId id, ApiError error);
    void finish(net::TransferId id, int status, ApiResult<ApiResponse> result);
    net::HttpRequest http_request(const Call& call, Duration deadline) const;

    // A callback that does nothing once the client or the call is gone.
    template <class Action>
    auto guarded(net::TransferId id, Action action) {
        return [weak = weak_from_this(), id, action = std::move(action)](auto&&... args) {
            const auto state = weak.lock();
            if (state && state->calls.contains(id))
                action(*state, std::forward<decltype(args)>(args)...);
        };
    }

    asio::io_context& loop;
    std::shared_ptr<Credentials> credentials;
    const std::size_t connections;
    // Apart, so that all that is left of a wave of requests can go while watches go on.
    std::unique_ptr<net::HttpClient> watches;
    std::unique_ptr<net::HttpClient> requests;
    ApiClient* owner;  // null once it is gone
    std::map<net::TransferId, Call> calls;
    net::TransferId last_id = 0;
    std::shared_ptr<const net::Tls> last_tls;
};

net::TransferId ApiClient::State::begin(Call call) {
    const net::TransferId id = ++last_id;
    calls.emplace(id, std::move(call));
    asio::post(loop, guarded(id, [id](State& state) {
                   state.ask_for_access(id, state.guarded(id, [id](State& self, auto access) {
                       self.transfer(id, access);
                   }));
               }));
    return id;
}

void ApiClient::State::cancel(net::TransferId id) {
    const auto found = calls.find(id);
    if (found == calls.end()) return;
    const Call call = std::move(found->second);
    calls.erase(found);
    if (call.transfer != 0) carrier_of(call).cancel(call.transfer);
}

void ApiClient::State::close() {
    owner = nullptr;
    watches.reset();
    requests.reset();
    std::exchange(calls, {});
}

// libcurl frees idle connections only with their pool.
void ApiClient::State::rest() {
    if (requests && requests->in_flight() == 0) requests = new_client();
}

// A plugin may take longer to answer than the request may take altogether.
void ApiClient::State::ask_for_access(net::TransferId id, std::function<void(Result<Access>)> got) {
    Call& call = calls.at(id);
    if (call.request.deadline > Duration{0}) {
        call.patience = std::make_unique<asio::steady_timer>(loop);
        call.patience->expires_at(call.start + call.request.deadline);
        call.patience->async_wait(guarded(id, [id](State& state, boost::system::error_code ended) {
            if (!ended)
                state.fail(id, {{ErrorKind::Timeout,
                                 fmt::format("the credentials were not there within {}",
                                             to_text(state.calls.at(id).request.deadline))}});
        }));
    }
    credentials->access(std::move(got));
}

net::HttpRequest ApiClient::State::http_request(const Call& call, Duration deadline) const {
    return {.method = call.request.method,
            .url = call.used.server + call.request.path,
            .headers = headers_of(call.request, call.used),
            .body = call.request.body,
            .deadline = deadline,
            .idle_timeout = call.idle_timeout,
            .body_max = call.request.body_max,
            .proxy = call.used.proxy,
            .guard = net::AddressGuard::Any,
            .servers = owner->addresses,
            .tls = call.used.tls};
}

void ApiClient::State::transfer(net::TransferId id, const Result<Access>& access) {
    Call& call = calls.at(id);
    call.patience.reset();
    if (!access && call.is_repeated)
        return fail(id, {{ErrorKind::Unauthorized,
                          fmt::format("the server refused our credentials (401), and there are no "
                                      "others: {}",
                                      access.error().message)},
                         401});
    if (!access) return fail(id, {access.error()});
    call.used = *access;
    if (last_tls && last_tls != access->tls) {
        watches->drop_connections();
        requests->drop_connections();
    }
    last_tls = access->tls;

    const bool is_watch = call.chunk != nullptr;
    const bool is_bound = owner->lead && call.request.method != "GET";
    const std::optional<Duration> allowed = is_bound ? owner->lead() : call.request.deadline;
    if (!allowed) return fail(id, {{ErrorKind::Unreachable, not_leading}});
    const Duration left =
        std::max(Duration{1}, std::min(*allowed, call.request.deadline - since(call.start)));
    net::HttpRequest request = http_request(call, is_watch ? Duration{0} : left);
    auto done = guarded(id, [id](State& state, Result<net::HttpResponse> response) {
        state.answered(id, std::move(response));
    });
    call.transfer = is_watch ? watches->stream(std::move(request), call.chunk, std::move(done))
                             : requests->start(std::move(request), std::move(done));
}

void ApiClient::State::answered(net::TransferId id, Result<net::HttpResponse> response) {
    Call& call = calls.at(id);
    call.transfer = 0;
    if (!response) return fail(id, {response.error()});
    if (response->status == 401 && !call.is_repeated) return renew(id);
    if (is_success(response->status)) {
        const int status = response->status;
        return finish(id, status, ApiResponse{status, std::move(response->body)});
    }
    fail(id, api_error(call.request, *response, net::wall_time()));
}

// Another request may have renewed the credentials since ours was sent: then those are not stale.
void ApiClient::State::renew(net::TransferId id) {
    calls.at(id).is_repeated = true;
    auto repeat = guarded(id, [id](State& state, auto access) { state.transfer(id, access); });
    ask_for_access(id, guarded(id, [id, repeat](State& state, Result<Access> access) {
                       if (access && !is_same_identity(*access, state.calls.at(id).used))
                           return state.transfer(id, access);
                       state.credentials->refused();
                       state.credentials->access(repeat);
                   }));
}

void ApiClient::State::fail(net::TransferId id, ApiError error) {
    const Access& used = calls.at(id).used;
    error.error.message = without_secret(std::move(error.error.message), secret_of(used));
    const int status = error.status;
    finish(id, status, std::unexpected(std::move(error)));
}

void ApiClient::State::finish(net::TransferId id, int status, ApiResult<ApiResponse> result) {
    const auto found = calls.find(id);
    const Call call = std::move(found->second);
    calls.erase(found);
    if (owner != nullptr && owner->on_answer)
        owner->on_answer(call.request.method, call.request.path, status, since(call.start));
    call.done(std::move(result));
}

ApiClient::ApiClient(asio::io_context& loop, std::shared_ptr<Credentials> credentials,
                     std::size_t connections_max)
    : state_(std::make_shared<State>(loop, std::move(credentials), connections_max, this)) {}

ApiClient::~ApiClient() {
    state_->close();
}

net::TransferId ApiClient::send(ApiRequest request, Done done) {
    return state_->begin(
        {.request = std::move(request), .chunk = nullptr, .done = std::move(done)});
}

net::TransferId ApiClient::watch(ApiRequest request, Duration idle_timeout, Chunk chunk,
                                 Done done) {
    request.deadline = Duration{0};
    return state_->begin({.request = std::move(request),
                          .idle_timeout = idle_timeout,
                          .chunk = std::move(chunk),
                          .done = std::move(done)});
}

void ApiClient::cancel(net::TransferId id) {
    state_->cancel(id);
}

void ApiClient::rest() {
    state_->rest();
}

}  // namespace sluice::kube
