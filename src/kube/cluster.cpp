#include "kube/cluster.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "model/json_text.hpp"
#include "wire/paths.hpp"
#include "wire/requests.hpp"

namespace sluice::kube {
namespace {

namespace json = boost::json;

// The server sends a bookmark about once a minute; two that fail to come mean a dead watch.
constexpr Duration watch_silence_max = 150s;
constexpr std::size_t policy_body_max = 4u << 20;

runtime::RequestFailure failure_of(ApiError error) {
    runtime::RequestFailure failure{error.status, error.retry_after, std::move(error.error.message),
                                    error.error.kind == ErrorKind::TooLarge};
    failure.exists = error.reason == "AlreadyExists";
    return failure;
}

}  // namespace

// Outlives its requests through shared_from_this; a Cluster that is gone answers nobody.
struct Cluster::State : std::enable_shared_from_this<Cluster::State> {
    ApiClient& client;
    std::function<void(std::string)> warn;
    wire::Caller caller;

    State(ApiClient& some_client, std::string identity, std::function<void(std::string)> some_warn,
          model::Kept kept)
        : client(some_client),
          warn(std::move(some_warn)),
          caller(std::move(identity), std::move(kept)) {}

    // From request to request, until the controller has its input.
    void go_on(wire::Next next, const Step& step);
    void check_policies(std::vector<WantedPolicy> wanted, std::vector<std::string> missing,
                        std::function<void(Answer<std::vector<std::string>>)> done);
};

Cluster::Cluster(ApiClient& client, std::string identity, std::function<void(std::string)> warn,
                 model::Kept kept)
    : state_(
          std::make_shared<State>(client, std::move(identity), std::move(warn), std::move(kept))) {}
Cluster::~Cluster() = default;

void Cluster::State::go_on(wire::Next next, const Step& step) {
    for (std::string& warning : next.warnings)
        warn(std::move(warning));
    if (next.input) return step(std::move(*next.input));
    if (!next.call) return;
    client.send(
        std::move(next.call->request), [weak = weak_from_this(), read = std::move(next.call->read),
                                        step](ApiResult<ApiResponse> answer) {
            const auto state = weak.lock();
            if (!state) return;
            if (answer) return state->go_on(read(std::move(answer->body)), step);
            state->go_on(read(std::unexpected(failure_of(std::move(answer.error())))), step);
        });
}

wire::Caller& Cluster::caller() {
    return state_->caller;
}

void Cluster::go_on(wire::Next next, const Step& step) {
    state_->go_on(std::move(next), step);
}

net::TransferId Cluster::watch(const controller::StartWatch& effect, const Step& step) {
    const model::Resource& resource = *effect.scope.resource;
    auto problem = std::make_shared<std::optional<Error>>();
    auto chunk = [weak = std::weak_ptr{state_}, id = effect.session, step, problem,
                  reader = std::make_shared<wire::WatchReader>(resource, state_->caller.decoder())](
                     std::string_view bytes) {
        const auto state = weak.lock();
        if (!state) return false;
        auto events = reader->read(bytes);
        if (!events) {
            *problem = events.error();
            return false;
        }
        for (std::string& warning : wire::warnings_of(*events))
            state->warn(std::move(warning));
        if (!events->empty()) step(controller::EventsArrived{id, std::move(*events)});
        return true;
    };
    return state_->client.watch(
        {.path = wire::watch_path(effect.scope, effect.request),
         .accept = wire::watched_as(resource)},
        watch_silence_max, std::move(chunk),
        [id = effect.session, &resource, problem, step](ApiResult<ApiResponse> answer) {
            using controller::SessionFailed;
            if (!answer)
                return step(SessionFailed{
                    id, wire::failed_watch(resource, failure_of(std::move(answer.error())))});
            if (*problem) return step(SessionFailed{id, wire::broken_watch(resource, **problem)});
            step(controller::WatchEnded{id});
        });
}

void Cluster::cancel(net::TransferId id) {
    state_->client.cancel(id);
}

void Cluster::check_policies(std::vector<WantedPolicy> wanted,
                             std::function<void(Answer<std::vector<std::string>>)> done) {
    state_->check_policies(std::move(wanted), {}, std::move(done));
}

namespace {

// What is wrong with what was found; empty: nothing.
std::string problem_with(const WantedPolicy& wanted, const ApiResult<ApiResponse>& answer) {
    if (!answer) return wanted.title + " is not there";
    const json::value found = model::parse_json(answer->body);
    const json::value* spec = model::value_at(found, "/spec");
    if (spec && says_all(*spec, wanted.spec)) return {};
    return wanted.title + " is not the one of this version";
}

runtime::RequestFailure policies_failed(ApiError error) {
    runtime::RequestFailure failure = failure_of(std::move(error));
    failure.message = "cannot look for the admission policies: " + failure.message;
    return failure;
}

}  // namespace

// One after the other, the last one first.
void Cluster::State::check_policies(std::vector<WantedPolicy> wanted,
                                    std::vector<std::string> missing,
                                    std::function<void(Answer<std::vector<std::string>>)> done) {
    if (wanted.empty()) return done(std::move(missing));
    WantedPolicy one = std::move(wanted.back());
    wanted.pop_back();
    const std::string path = one.path;
    client.send({.path = path, .body_max = policy_body_max},
                [weak = weak_from_this(), wanted = std::move(wanted), one = std::move(one),
                 missing = std::move(missing),
                 done = std::move(done)](ApiResult<ApiResponse> answer) mutable {
                    const auto state = weak.lock();
                    if (!state) return;
                    if (!answer && answer.error().status != 404)
                        return done(std::unexpected(policies_failed(std::move(answer.error()))));
                    std::string problem = problem_with(one, answer);
                    if (!problem.empty()) missing.insert(missing.begin(), std::move(problem));
                    state->check_policies(std::move(wanted), std::move(missing), std::move(done));
                });
}

LeaseKeeper::LeaseKeeper(ApiClient& client, std::string ns, std::string name)
    : client_(client), key_{std::move(ns), std::move(name)} {}

namespace {

ApiClient::Done to_lease(std::function<void(Result<model::Lease>)> done) {
    return [done = std::move(done)](ApiResult<ApiResponse> answer) {
        if (!answer) return done(std::unexpected(answer.error().error));
        done(model::decode_lease(answer->body));
    };
}

}  // namespace

void LeaseKeeper::read(std::function<void(Result<model::Lease>)> done) {
    client_.send(wire::read_lease(key_), to_lease(std::move(done)));
}

void LeaseKeeper::write(const model::Lease& lease, Instant acquired, Instant now,
                        std::function<void(Result<model::Lease>)> done) {
    client_.send(wire::write_lease(lease, key_, acquired, now), to_lease(std::move(done)));
}

}  // namespace sluice::kube
