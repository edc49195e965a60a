#include "probe/inquirer.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "kube/user_agent.hpp"
#include "net/http_client.hpp"
#include "probe/objects.hpp"

namespace sluice::probe {

namespace {

struct Call {
    Call(boost::asio::io_context& loop, api::Inquiry asked, Inquirer::Done whom)
        : inquiry(std::move(asked)), done(std::move(whom)), deadline(loop) {}

    api::Inquiry inquiry;
    Inquirer::Done done;
    api::Learnt learnt;
    int steps = 0;
    boost::asio::steady_timer deadline;
    net::TransferId api_transfer = 0;
    net::TransferId peer_transfer = 0;
    PluginCaller::CallId plugin_call = 0;
    bool is_decided = false;  // the outcome is on its way
};

net::HttpRequest to_request(const api::Ask& ask, bool allow_local) {
    net::HttpRequest request;
    request.method = ask.method;
    request.url = ask.url;
    for (const auto& [name, value] : ask.headers)
        request.headers.push_back({name, value});
    request.headers.push_back({"User-Agent", Redacted(std::string(kube::user_agent))});
    request.body = ask.body;
    request.deadline = ask.timeout;
    request.body_max = ask.body_max;
    // No pod has a loopback address either, so pods and strangers are held to the same guard.
    request.guard = allow_local ? net::AddressGuard::NoLinkLocal : net::AddressGuard::NoLocal;
    if (!ask.ca_pem.empty() || !ask.verify) {
        const auto tls = std::make_shared<net::Tls>();
        tls->verify = ask.verify;
        tls->ca_pem = ask.ca_pem;
        request.tls = tls;
    }
    return request;
}

}  // namespace

// Callbacks find their call by id and the state by weak pointer: one that comes late finds nothing.
struct Inquirer::State : std::enable_shared_from_this<Inquirer::State> {
    State(boost::asio::io_context& io, kube::ApiClient& client, PluginCaller& programs,
          std::string_view whom, bool local, api::InquiryBounds limits)
        : loop(io),
          api(client),
          plugins(programs),
          subject(whom),
          allow_local(local),
          bounds(limits),
          http(io, limits.calls_max) {}

    void admit(CallId id);
    void begin_waiting();
    void start_deadline(CallId id, Call& call);
    void proceed(CallId id);
    void carry_out(CallId id, Call& call, const api::NeedPod& need);
    void carry_out(CallId id, Call& call, const api::NeedPods& need);
    void carry_out(CallId id, Call& call, const api::NeedLog& need);
    void carry_out(CallId id, Call& call, const api::NeedSecret& need);
    void carry_out(CallId id, Call& call, const api::Ask& ask);
    void carry_out(CallId id, Call& call, const api::PluginCall& asked);
    void carry_out(CallId id, Call& call, const api::Said& said);
    void give_up(CallId id, Call& call, ErrorKind kind, const std::string& message);
    void settle(CallId id, const api::Said& said);
    void cancel(CallId id);
    void drop_transfers(const Call& call);

    // The call that is still to be decided.
    std::shared_ptr<Call> find(CallId id) const {
        const auto found = running.find(id);
        return found == running.end() || found->second->is_decided ? nullptr : found->second;
    }

    std::size_t places_of(const std::string& ns) const {
        const auto found = places.find(ns);
        return found == places.end() ? 0 : found->second;
    }
    bool has_place_for(const std::string& ns) const {
        const std::size_t taken = places_of(ns);
        if (taken == 0) return running.size() < bounds.calls_max;
        return taken < bounds.per_namespace_max &&
               running.size() + bounds.first_places < bounds.calls_max;
    }
    std::shared_ptr<Call> take_waiting(CallId id);
    std::shared_ptr<Call> take_running(CallId id);
    std::optional<CallId> next_waiting() const;

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
    PluginCaller& plugins;
    const std::string subject;
    const bool allow_local;
    const api::InquiryBounds bounds;
    net::HttpClient http;
    std::shared_ptr<const net::KnownAddresses> forbidden;
    std::map<CallId, std::shared_ptr<Call>> running;
    std::map<std::string, std::size_t> places;  // how many of those are of a namespace
    std::map<CallId, std::shared_ptr<Call>> waiting;
    std::map<std::string, std::set<CallId>> lanes;  // those by namespace; ids grow with time
    CallId last_id = 0;
};

std::shared_ptr<Call> Inquirer::State::take_waiting(CallId id) {
    const auto found = waiting.extract(id);
    if (!found) return nullptr;
    const auto lane = lanes.find(found.mapped()->inquiry.ns);
    lane->second.erase(id);
    if (lane->second.empty()) lanes.erase(lane);
    return found.mapped();
}

std::shared_ptr<Call> Inquirer::State::take_running(CallId id) {
    const auto found = running.extract(id);
    if (!found) return nullptr;
    const auto place = places.find(found.mapped()->inquiry.ns);
    if (--place->second == 0) places.erase(place);
    return found.mapped();
}

void Inquirer::State::admit(CallId id) {
    begin_waiting();
    const auto found = waiting.find(id);
    if (found == waiting.end()) return;
    const std::string& ns = found->second->inquiry.ns;
    if (lanes.at(ns).size() <= bounds.waiting_max) return;
    const Error error{ErrorKind::Throttled, "too many " + subject + " calls of namespace " + ns +
                                                " are waiting; this one will be tried again"};
    const std::shared_ptr<Call> call = take_waiting(id);
    call->done(call->inquiry.give_up(error));
}

// Of the namespaces that may have another place, the one that has the fewest; of those that have
// equally many, the one that has waited longest.
std::optional<Inquirer::CallId> Inquirer::State::next_waiting() const {
    std::optional<std::pair<std::size_t, CallId>> best;
    for (const auto& [ns, ids] : lanes) {
        const std::pair candidate{places_of(ns), *ids.begin()};
        if (has_place_for(ns) && (!best || candidate < *best)) best = candidate;
    }
    return best ? std::optional{best->second} : std::nullopt;
}

void Inquirer::State::begin_waiting() {
    while (const auto id = next_waiting()) {
        const std::shared_ptr<Call> call = take_waiting(*id);
        running.emplace(*id, call);
        ++places[call->inquiry.ns];
        start_deadline(*id, *call);
        proceed(*id);
    }
}

void Inquirer::State::start_deadline(CallId id, Call& call) {
    const Duration longest = std::min(call.inquiry.deadline, bounds.deadline);
    const auto react = [id, longest](State& self, Call& late, boost::system::error_code stopped) {
        if (stopped) return;
        self.give_up(id, late, ErrorKind::Timeout, "within " + to_text(longest));
    };
    call.deadline.expires_after(longest);
    call.deadline.async_wait(when_answered(id, react));
}

void Inquirer::State::proceed(CallId id) {
    const std::shared_ptr<Call> call = find(id);
    if (!call) return;
    if (++call->steps > bounds.steps_max) {
        return give_up(id, *call, ErrorKind::TooLarge,
                       "within " + std::to_string(bounds.steps_max) + " steps");
    }
    const api::Move move = call->inquiry.next(call->learnt);
    std::visit([&](const auto& what) { carry_out(id, *call, what); }, move);
}

void Inquirer::State::carry_out(CallId id, Call& call, const api::NeedPod& need) {
    const auto react = [id, name = need.name](State& self, Call& asking,
                                              kube::ApiResult<kube::ApiResponse> answer) {
        asking.learnt.pods.insert_or_assign(name, read_pod(name, std::move(answer)));
        self.proceed(id);
    };
    call.api_transfer = api.send(get_pod(call.inquiry.ns, need.name), when_answered(id, react));
}

void Inquirer::State::carry_out(CallId id, Call& call, const api::NeedPods& need) {
    const auto react = [id, selector = need.selector](State& self, Call& asking,
                                                      kube::ApiResult<kube::ApiResponse> answer) {
        asking.learnt.pod_lists.insert_or_assign(selector, read_pods(std::move(answer)));
        self.proceed(id);
    };
    call.api_transfer =
        api.send(list_pods(call.inquiry.ns, need.selector), when_answered(id, react));
}

void Inquirer::State::carry_out(CallId id, Call& call, const api::NeedLog& need) {
    const auto react = [id, need](State& self, Call& asking,
                                  kube::ApiResult<kube::ApiResponse> answer) {
        asking.learnt.logs.insert_or_assign({need.pod, need.container},
                                            read_log(need, std::move(answer)));
        self.proceed(id);
    };
    call.api_transfer = api.send(get_log(call.inquiry.ns, need), when_answered(id, react));
}

void Inquirer::State::carry_out(CallId id, Call& call, const api::NeedSecret& need) {
    const auto react = [id, name = need.name](State& self, Call& asking,
                                              kube::ApiResult<kube::ApiResponse> answer) {
        const std::string full_name = asking.inquiry.ns + "/" + name;
        asking.learnt.secrets.insert_or_assign(name, read_secret(full_name, std::move(answer)));
        self.proceed(id);
    };
    call.api_transfer = api.send(get_secret(call.inquiry.ns, need.name), when_answered(id, react));
}

void Inquirer::State::carry_out(CallId id, Call& call, const api::Ask& ask) {
    const auto react = [id](State& self, Call& asking, Result<net::HttpResponse> answer) {
        std::vector<Result<api::Answer>>& answers = asking.learnt.answers;
        if (answer) {
            answers.push_back(api::Answer{answer->status, std::move(answer->content_type),
                                          std::move(answer->body)});
        } else {
            answers.push_back(std::unexpected(std::move(answer.error())));
        }
        self.proceed(id);
    };
    net::HttpRequest request = to_request(ask, allow_local);
    request.forbidden = forbidden;
    call.peer_transfer = http.start(std::move(request), when_answered(id, react));
}

void Inquirer::State::carry_out(CallId id, Call& call, const api::PluginCall& asked) {
    const auto react = [id](State& self, Call& asking, Result<api::PluginAnswer> answer) {
        asking.learnt.calls.push_back(std::move(answer));
        self.proceed(id);
    };
    call.plugin_call = plugins.ask(asked, when_answered(id, react));
}

// The answer is handed over from the loop, not from inside a client's callback: whoever gets it may
// destroy us.
void Inquirer::State::carry_out(CallId id, Call& call, const api::Said& said) {
    drop_transfers(call);
    call.deadline.cancel();
    call.is_decided = true;
    boost::asio::post(loop, [weak = weak_from_this(), id, said] {
        if (const std::shared_ptr<State> self = weak.lock()) self->settle(id, said);
    });
}

void Inquirer::State::give_up(CallId id, Call& call, ErrorKind kind, const std::string& message) {
    const Error error{kind, "the " + subject + " gave no verdict " + message};
    carry_out(id, call, call.inquiry.give_up(error));
}

void Inquirer::State::settle(CallId id, const api::Said& said) {
    const std::shared_ptr<Call> over = take_running(id);
    if (!over) return;
    begin_waiting();
    over->done(said);
}

void Inquirer::State::cancel(CallId id) {
    take_waiting(id);
    const auto ended = take_running(id);
    if (!ended) return;
    drop_transfers(*ended);
    boost::asio::post(loop, [weak = weak_from_this()] {
        if (const std::shared_ptr<State> self = weak.lock()) self->begin_waiting();
    });
}

// Ids of transfers that are over are ignored by the clients.
void Inquirer::State::drop_transfers(const Call& call) {
    if (call.api_transfer != 0) api.cancel(call.api_transfer);
    if (call.peer_transfer != 0) http.cancel(call.peer_transfer);
    if (call.plugin_call != 0) plugins.cancel(call.plugin_call);
}

Inquirer::Inquirer(boost::asio::io_context& loop, kube::ApiClient& api, PluginCaller& plugins,
                   std::string_view subject, bool allow_local, api::InquiryBounds bounds)
    : state_(std::make_shared<State>(loop, api, plugins, subject, allow_local, bounds)) {}

Inquirer::~Inquirer() {
    for (const auto& [id, call] : state_->running)
        state_->drop_transfers(*call);
    state_->running.clear();
    state_->waiting.clear();
    state_->lanes.clear();
    state_->places.clear();
}

Inquirer::CallId Inquirer::begin(api::Inquiry inquiry, Done done) {
    const CallId id = ++state_->last_id;
    state_->lanes[inquiry.ns].insert(id);
    state_->waiting.emplace(
        id, std::make_shared<Call>(state_->loop, std::move(inquiry), std::move(done)));
    boost::asio::post(state_->loop, [weak = std::weak_ptr<State>(state_), id] {
        if (const std::shared_ptr<State> self = weak.lock()) self->admit(id);
    });
    return id;
}

void Inquirer::cancel(CallId id) {
    state_->cancel(id);
}

void Inquirer::forbid(std::shared_ptr<const net::KnownAddresses> addresses) {
    state_->forbidden = std::move(addresses);
}

std::size_t Inquirer::in_flight() const {
    return state_->running.size();
}

std::size_t Inquirer::waiting() const {
    return state_->waiting.size();
}

}  // namespace sluice::probe
