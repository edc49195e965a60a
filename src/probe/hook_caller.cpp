#include "probe/hook_caller.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <utility>

#include "api/pilot/hooks/text.hpp"
#include "kube/user_agent.hpp"
#include "net/http_client.hpp"
#include "probe/hook_objects.hpp"

namespace sluice::probe {

using namespace api::pilot;

namespace {

struct Call {
    Call(boost::asio::io_context& loop, std::shared_ptr<const HookCatalogue> hooks,
         Transition asked, HookCaller::Done when_done)
        : catalogue(std::move(hooks)),
          transition(std::move(asked)),
          done(std::move(when_done)),
          deadline(loop) {
        if (transition.prev) transition.prev->json.clear();
        if (transition.next) transition.next->json.clear();
    }

    std::shared_ptr<const HookCatalogue> catalogue;
    Transition transition;
    HookCaller::Done done;
    Learnt learnt;
    int steps = 0;
    boost::asio::steady_timer deadline;
    net::TransferId api_transfer = 0;
    net::TransferId hook_transfer = 0;
    bool is_decided = false;  // the verdict is on its way
};

// A pod of the transition that is known by name only.
HookPod* pod_to_fetch(Transition& transition) {
    if (transition.prev && transition.prev->json.empty()) return &*transition.prev;
    if (transition.next && transition.next->json.empty()) return &*transition.next;
    return nullptr;
}

net::HttpRequest to_request(const Ask& ask, bool allow_local_hooks, std::size_t body_max) {
    net::HttpRequest request;
    request.method = ask.method;
    request.url = ask.url;
    for (const auto& [name, value] : ask.headers)
        request.headers.push_back({name, value});
    request.headers.push_back({"User-Agent", Redacted(std::string(kube::user_agent))});
    request.body = ask.body;
    request.deadline = ask.timeout;
    request.body_max = body_max;
    // No pod has a loopback address either, so pods and strangers are held to the same guard.
    request.guard = allow_local_hooks ? net::AddressGuard::NoLinkLocal : net::AddressGuard::NoLocal;
    if (!ask.ca_pem.empty()) {
        const auto tls = std::make_shared<net::Tls>();
        tls->ca_pem = ask.ca_pem;
        request.tls = tls;
    }
    return request;
}

}  // namespace

// Callbacks find their call by id and the state by weak pointer: one that comes late finds nothing.
struct HookCaller::State : std::enable_shared_from_this<HookCaller::State> {
    State(boost::asio::io_context& io, kube::ApiClient& client, bool local, HookBounds limits)
        : loop(io),
          api(client),
          allow_local_hooks(local),
          bounds(limits),
          http(io, limits.calls_max) {}

    void admit(CallId id);
    void begin_waiting();
    void start_deadline(CallId id, Call& call);
    void proceed(CallId id);
    void fetch_pod(CallId id, Call& call, const HookPod& pod);
    void fetch_secret(CallId id, Call& call, const std::string& name);
    void ask_hook(CallId id, Call& call, const Ask& ask);
    void finish(CallId id, HookVerdict verdict);
    void settle(CallId id, const HookVerdict& verdict);
    void cancel(CallId id);
    void drop_transfers(const Call& call);

    // The call that is still to be decided.
    std::shared_ptr<Call> find(CallId id) const {
        const auto found = running.find(id);
        return found == running.end() || found->second->is_decided ? nullptr : found->second;
    }

    std::size_t places_of(const std::string& ns) const {
        return static_cast<std::size_t>(std::ranges::count_if(
            running, [&](const auto& one) { return one.second->transition.ns == ns; }));
    }

    // What `react` does with the state, the call and what came, if both are still there.
    template <class React>
    auto when_answered(CallId id, React react) {
        return [weak = weak_from_this(), id, react = std::move(react)](auto answer) {
            const std::shared_ptr<State> self = weak.lock();
            const std::shared_ptr<Call> call = self ? self->find(id) : nullptr;
            if (call) react(*self, *call, std::move(answer));
        };
    }

    boost::asio::io_context& loop;
    kube::ApiClient& api;
    const bool allow_local_hooks;
    const HookBounds bounds;
    net::HttpClient http;
    std::map<CallId, std::shared_ptr<Call>> running;
    std::map<CallId, std::shared_ptr<Call>> waiting;  // ids grow, so the first is the oldest
    CallId last_id = 0;
};

void HookCaller::State::admit(CallId id) {
    begin_waiting();
    if (waiting.size() <= bounds.waiting_max) return;
    auto refused = waiting.extract(id);
    if (refused) {
        refused.mapped()->done(
            refuse("too many hook calls are waiting; this one will be tried again"));
    }
}

void HookCaller::State::begin_waiting() {
    for (auto next = waiting.begin(); next != waiting.end() && running.size() < bounds.calls_max;) {
        const auto [id, call] = *next++;
        if (places_of(call->transition.ns) >= bounds.per_namespace_max) continue;
        running.insert(waiting.extract(id));
        start_deadline(id, *call);
        proceed(id);
    }
}

void HookCaller::State::start_deadline(CallId id, Call& call) {
    const auto react = [id](State& self, Call&, boost::system::error_code stopped) {
        if (stopped) return;
        self.finish(id, refuse("the hook gave no verdict within " + to_text(self.bounds.deadline)));
    };
    call.deadline.expires_after(bounds.deadline);
    call.deadline.async_wait(when_answered(id, react));
}

void HookCaller::State::proceed(CallId id) {
    const std::shared_ptr<Call> call = find(id);
    if (!call) return;
    const HookPod* pod =
        needs_pods(call->transition.hook) ? pod_to_fetch(call->transition) : nullptr;
    if (pod) return fetch_pod(id, *call, *pod);
    if (++call->steps > bounds.steps_max) {
        return finish(id, refuse("the hook gave no verdict within " +
                                 std::to_string(bounds.steps_max) + " steps"));
    }
    const HookStep step = next_step(*call->catalogue, call->transition, call->learnt);
    if (const auto* need = std::get_if<NeedSecret>(&step)) fetch_secret(id, *call, need->name);
    if (const auto* ask = std::get_if<Ask>(&step)) ask_hook(id, *call, *ask);
    if (const auto* verdict = std::get_if<HookVerdict>(&step)) finish(id, *verdict);
}

void HookCaller::State::fetch_pod(CallId id, Call& call, const HookPod& pod) {
    const auto react = [id](State& self, Call& asking, kube::ApiResult<kube::ApiResponse> answer) {
        HookPod& expected = *pod_to_fetch(asking.transition);
        Result<HookPod> fetched = read_pod(expected, std::move(answer));
        if (!fetched) return self.finish(id, refuse(fetched.error().message));
        expected = std::move(*fetched);
        self.proceed(id);
    };
    call.api_transfer = api.send(get_pod(call.transition.ns, pod.name), when_answered(id, react));
}

void HookCaller::State::fetch_secret(CallId id, Call& call, const std::string& name) {
    const auto react = [id, name](State& self, Call& asking,
                                  kube::ApiResult<kube::ApiResponse> answer) {
        const std::string full_name = asking.transition.ns + "/" + name;
        asking.learnt.secrets.insert_or_assign(name,
                                               read_secret_data(full_name, std::move(answer)));
        self.proceed(id);
    };
    call.api_transfer = api.send(get_secret(call.transition.ns, name), when_answered(id, react));
}

void HookCaller::State::ask_hook(CallId id, Call& call, const Ask& ask) {
    const auto react = [id](State& self, Call& asking, Result<net::HttpResponse> answer) {
        if (answer) {
            asking.learnt.answers.push_back(
                Answer{answer->status, std::move(answer->content_type), std::move(answer->body)});
        } else {
            asking.learnt.answers.push_back(std::unexpected(std::move(answer.error())));
        }
        self.proceed(id);
    };
    call.hook_transfer =
        http.start(to_request(ask, allow_local_hooks, bounds.body_max), when_answered(id, react));
}

// The verdict is handed over from the loop, not from inside a client's callback: whoever gets it
// may destroy us.
void HookCaller::State::finish(CallId id, HookVerdict verdict) {
    const std::shared_ptr<Call> call = find(id);
    drop_transfers(*call);
    call->deadline.cancel();
    call->is_decided = true;
    boost::asio::post(loop, [weak = weak_from_this(), id, verdict = std::move(verdict)] {
        if (const std::shared_ptr<State> self = weak.lock()) self->settle(id, verdict);
    });
}

void HookCaller::State::settle(CallId id, const HookVerdict& verdict) {
    const auto ended = running.extract(id);
    if (!ended) return;
    begin_waiting();
    ended.mapped()->done(verdict);
}

void HookCaller::State::cancel(CallId id) {
    waiting.erase(id);
    const auto ended = running.extract(id);
    if (!ended) return;
    drop_transfers(*ended.mapped());
    boost::asio::post(loop, [weak = weak_from_this()] {
        if (const std::shared_ptr<State> self = weak.lock()) self->begin_waiting();
    });
}

// Ids of transfers that are over are ignored by the clients.
void HookCaller::State::drop_transfers(const Call& call) {
    if (call.api_transfer != 0) api.cancel(call.api_transfer);
    if (call.hook_transfer != 0) http.cancel(call.hook_transfer);
}

HookCaller::HookCaller(boost::asio::io_context& loop, kube::ApiClient& api, bool allow_local_hooks,
                       HookBounds bounds)
    : state_(std::make_shared<State>(loop, api, allow_local_hooks, bounds)) {}

HookCaller::~HookCaller() {
    for (const auto& [id, call] : state_->running)
        state_->drop_transfers(*call);
    state_->running.clear();
    state_->waiting.clear();
}

HookCaller::CallId HookCaller::call(std::shared_ptr<const HookCatalogue> catalogue,
                                    Transition transition, Done done) {
    const CallId id = ++state_->last_id;
    state_->waiting.emplace(id, std::make_shared<Call>(state_->loop, std::move(catalogue),
                                                       std::move(transition), std::move(done)));
    boost::asio::post(state_->loop, [weak = std::weak_ptr<State>(state_), id] {
        if (const std::shared_ptr<State> self = weak.lock()) self->admit(id);
    });
    return id;
}

void HookCaller::cancel(CallId id) {
    state_->cancel(id);
}

std::size_t HookCaller::in_flight() const {
    return state_->running.size();
}

std::size_t HookCaller::waiting() const {
    return state_->waiting.size();
}

}  // namespace sluice::probe
