#include "kube/cluster.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "controller/event_body.hpp"
#include "kube/paths.hpp"
#include "kube/requests.hpp"
#include "kube/watch_lines.hpp"
#include "model/label_selector.hpp"

namespace sluice::kube {
namespace {

namespace json = boost::json;

// The server sends a bookmark about once a minute; two that fail to come mean a dead watch.
constexpr Duration watch_silence_max = 150s;
// A page that is longer is asked for in smaller ones.
constexpr std::size_t list_body_max = 8u << 20;
constexpr std::size_t pods_body_max = 64u << 20;
constexpr std::size_t object_body_max = 4u << 20;
constexpr std::size_t pods_max = 10'000;

runtime::RequestFailure failure_of(const ApiError& error, std::string_view doing) {
    return {error.status, error.retry_after,
            fmt::format("cannot {}: {}", doing, error.error.message),
            error.error.kind == ErrorKind::TooLarge};
}

runtime::RequestFailure malformed(const Error& error, std::string_view doing) {
    return {0, Duration{0}, fmt::format("cannot {}: {}", doing, error.message)};
}

// spec.selector of a StatefulSet as the text of a label selector.
Result<std::string> selector_in(const std::string& body) {
    boost::system::error_code error;
    const json::value set = json::parse(body, error);
    const json::value* found = error ? nullptr : set.find_pointer("/spec/selector", error);
    const json::object* selector = found ? found->if_object() : nullptr;
    auto text = selector ? model::selector_text(*selector) : std::nullopt;
    if (!text || text->empty())
        return failure(ErrorKind::Malformed, "the StatefulSet has no selector that can be read");
    return std::move(*text);
}

}  // namespace

// Outlives its requests through shared_from_this; a Cluster that is gone answers nobody.
struct Cluster::State : std::enable_shared_from_this<Cluster::State> {
    ApiClient& client;
    std::function<void(std::string)> warn;
    model::Decoder decoder;

    State(ApiClient& some_client, std::function<void(std::string)> some_warn)
        : client(some_client), warn(std::move(some_warn)) {}

    struct Reading {
        controller::LiveWorkload found;
        std::string selector;
        std::vector<model::Ref> objects;  // still to be read, the last one first
        std::function<void(Answer<controller::LiveWorkload>)> done;
    };
    void read_set(const std::shared_ptr<Reading>& reading);
    void list_pods(const std::shared_ptr<Reading>& reading, const std::string& next);
    void take_pods(const std::shared_ptr<Reading>& reading, model::ListPage page);
    void read_objects(const std::shared_ptr<Reading>& reading);
    void write_object(ApiRequest request, std::string doing,
                      std::function<void(Answer<model::CustomObject>)> done);
    void send_deletion(ApiRequest request, std::string doing,
                       std::function<void(Answer<void>)> done);
    void check_policies(std::vector<WantedPolicy> wanted, std::vector<std::string> missing,
                        std::function<void(Answer<std::vector<std::string>>)> done);
};

Cluster::Cluster(ApiClient& client, std::function<void(std::string)> warn)
    : state_(std::make_shared<State>(client, std::move(warn))) {}
Cluster::~Cluster() = default;

void Cluster::list(const runtime::WatchScope& scope, const runtime::ListRequest& request,
                   std::function<void(Answer<model::ListPage>)> done) {
    const std::string doing = fmt::format("list {}", plural_of(scope));
    state_->client.send(
        {.path = list_path(scope, request), .deadline = 60s, .body_max = list_body_max},
        [weak = std::weak_ptr{state_}, kind = scope.kind, doing,
         done = std::move(done)](ApiResult<ApiResponse> answer) {
            const auto state = weak.lock();
            if (!state) return;
            if (!answer) return done(std::unexpected(failure_of(answer.error(), doing)));
            auto page = state->decoder.list(kind, std::move(answer->body));
            if (!page) return done(std::unexpected(malformed(page.error(), doing)));
            for (const model::LeftOut& one : page->left_out)
                state->warn(fmt::format("an object was left out of a {}: {} {}/{}", doing, one.why,
                                        one.key.ns, one.key.name));
            done(std::move(*page));
        });
}

net::TransferId Cluster::watch(const runtime::WatchScope& scope,
                               const runtime::WatchRequest& request,
                               std::function<void(std::vector<model::WatchEvent>)> events,
                               std::function<void(std::optional<runtime::RequestFailure>)> ended) {
    const std::string doing = fmt::format("watch {}", plural_of(scope));
    auto problem = std::make_shared<std::optional<Error>>();
    auto chunk = [weak = std::weak_ptr{state_}, kind = scope.kind, events = std::move(events),
                  framing = std::make_shared<WatchLines>(), problem](std::string_view bytes) {
        const auto state = weak.lock();
        if (!state) return false;
        auto lines = framing->feed(bytes);
        if (!lines) {
            *problem = lines.error();
            return false;
        }
        std::vector<model::WatchEvent> batch;
        for (std::string& line : *lines) {
            batch.push_back(state->decoder.watch_event_or_key(kind, std::move(line)));
            if (const auto* left_out = std::get_if<model::LeftOut>(&batch.back()))
                state->warn(left_out->why);
        }
        if (!batch.empty()) events(std::move(batch));
        return true;
    };
    return state_->client.watch(
        watch_path(scope, request), watch_silence_max, std::move(chunk),
        [doing, problem, ended = std::move(ended)](ApiResult<ApiResponse> answer) {
            if (!answer) return ended(failure_of(answer.error(), doing));
            if (*problem) return ended(malformed(**problem, doing));
            ended(std::nullopt);
        });
}

void Cluster::cancel(net::TransferId id) {
    state_->client.cancel(id);
}

void Cluster::read_workload(const model::Ref& subject, std::vector<model::Ref> objects,
                            std::function<void(Answer<controller::LiveWorkload>)> done) {
    auto reading = std::make_shared<State::Reading>(
        State::Reading{{}, {}, std::move(objects), std::move(done)});
    reading->found.set.meta.key = subject.key();
    if (subject.resource == &model::statefulsets)
        state_->read_set(reading);
    else
        state_->read_objects(reading);
}

// No resourceVersion: a quorum read.
void Cluster::State::read_set(const std::shared_ptr<Reading>& reading) {
    static constexpr std::string_view doing = "get statefulset";
    client.send(
        {.path = statefulset_path(reading->found.set.meta.key), .body_max = object_body_max},
        [weak = weak_from_this(), reading](ApiResult<ApiResponse> answer) {
            const auto state = weak.lock();
            if (!state) return;
            const bool is_missing = !answer && answer.error().status == 404;
            if (is_missing) return state->read_objects(reading);
            if (!answer) return reading->done(std::unexpected(failure_of(answer.error(), doing)));
            auto selector = selector_in(answer->body);
            auto set = state->decoder.object(model::Kind::StatefulSet, std::move(answer->body));
            if (!selector || !set)
                return reading->done(
                    std::unexpected(malformed(set ? selector.error() : set.error(), doing)));
            reading->found.set = std::get<model::StatefulSet>(std::move(*set));
            reading->selector = std::move(*selector);
            state->list_pods(reading, {});
        });
}

void Cluster::State::list_pods(const std::shared_ptr<Reading>& reading, const std::string& next) {
    std::string path = pods_path(reading->found.set.meta.key.ns, reading->selector, next);
    client.send(
        {.path = std::move(path), .body_max = pods_body_max},
        [weak = weak_from_this(), reading](ApiResult<ApiResponse> answer) {
            const auto state = weak.lock();
            if (!state) return;
            if (!answer)
                return reading->done(std::unexpected(failure_of(answer.error(), "list pods")));
            auto page = state->decoder.list(model::Kind::Pod, std::move(answer->body));
            if (!page) return reading->done(std::unexpected(malformed(page.error(), "list pods")));
            state->take_pods(reading, std::move(*page));
        });
}

void Cluster::State::take_pods(const std::shared_ptr<Reading>& reading, model::ListPage page) {
    for (model::Object& object : page.items) {
        auto& pod = std::get<model::Pod>(object);
        if (pod.owner_uid == reading->found.set.meta.uid)
            reading->found.pods.push_back(std::move(pod));
    }
    if (reading->found.pods.size() > pods_max)
        return reading->done(std::unexpected(
            runtime::RequestFailure{0, Duration{0}, "the StatefulSet has more than 10000 pods"}));
    if (!page.next.empty()) return list_pods(reading, page.next);
    read_objects(reading);
}

// One after the other; there is seldom more than one.
void Cluster::State::read_objects(const std::shared_ptr<Reading>& reading) {
    if (reading->objects.empty()) return reading->done(std::move(reading->found));
    const model::Ref wanted = std::move(reading->objects.back());
    reading->objects.pop_back();
    const std::string doing = fmt::format("get {}", wanted.resource->plural);
    client.send({.path = object_path(*wanted.resource, wanted.key()), .body_max = object_body_max},
                [weak = weak_from_this(), reading, doing,
                 resource = wanted.resource](ApiResult<ApiResponse> answer) {
                    const auto state = weak.lock();
                    if (!state) return;
                    const bool is_missing = !answer && answer.error().status == 404;
                    if (is_missing) return state->read_objects(reading);
                    if (!answer)
                        return reading->done(std::unexpected(failure_of(answer.error(), doing)));
                    auto object = model::decode_custom_object(std::move(answer->body));
                    if (!object)
                        return reading->done(std::unexpected(malformed(object.error(), doing)));
                    reading->found.objects.push_back({resource, std::move(*object)});
                    state->read_objects(reading);
                });
}

void Cluster::patch_workload(const model::ObjectKey& key, const std::string& patch,
                             std::function<void(Answer<model::StatefulSet>)> done) {
    ApiRequest request = json_patch(statefulset_path(key), patch);
    request.body_max = object_body_max;
    state_->client.send(std::move(request), [weak = std::weak_ptr{state_}, done = std::move(done)](
                                                ApiResult<ApiResponse> answer) {
        const auto state = weak.lock();
        if (!state) return;
        if (!answer) return done(std::unexpected(failure_of(answer.error(), "patch statefulset")));
        auto set = state->decoder.object(model::Kind::StatefulSet, std::move(answer->body));
        if (!set) return done(std::unexpected(malformed(set.error(), "patch statefulset")));
        done(std::get<model::StatefulSet>(std::move(*set)));
    });
}

void Cluster::patch_object(const model::Ref& object, bool of_status, const std::string& patch,
                           std::function<void(Answer<model::CustomObject>)> done) {
    const std::string path = object_path(*object.resource, object.key());
    const std::string doing =
        fmt::format("patch {}{}", object.resource->plural, of_status ? "/status" : "");
    ApiRequest request = json_patch(of_status ? status_path(path) : path, patch);
    state_->write_object(std::move(request), doing, std::move(done));
}

void Cluster::create_object(const model::Resource& resource, const std::string& ns,
                            const std::string& body,
                            std::function<void(Answer<model::CustomObject>)> done) {
    state_->write_object(create(object_path(resource, {ns, ""}), body),
                         fmt::format("create {}", resource.plural), std::move(done));
}

void Cluster::State::write_object(ApiRequest request, std::string doing,
                                  std::function<void(Answer<model::CustomObject>)> done) {
    request.body_max = object_body_max;
    client.send(std::move(request), [weak = weak_from_this(), doing = std::move(doing),
                                     done = std::move(done)](ApiResult<ApiResponse> answer) {
        if (weak.expired()) return;
        if (!answer) return done(std::unexpected(failure_of(answer.error(), doing)));
        auto object = model::decode_custom_object(std::move(answer->body));
        if (!object) return done(std::unexpected(malformed(object.error(), doing)));
        done(std::move(*object));
    });
}

void Cluster::delete_object(const model::Ref& object, const std::string& uid,
                            std::function<void(Answer<void>)> done) {
    state_->send_deletion(remove_with_dependents(object_path(*object.resource, object.key()), uid),
                          fmt::format("delete {}", object.resource->plural), std::move(done));
}

void Cluster::delete_pod(const model::ObjectKey& key, const std::string& uid, std::uint64_t version,
                         std::function<void(Answer<void>)> done) {
    state_->send_deletion(remove(pod_path(key), uid, version), "delete pod", std::move(done));
}

void Cluster::State::send_deletion(ApiRequest request, std::string doing,
                                   std::function<void(Answer<void>)> done) {
    request.body_max = object_body_max;
    client.send(std::move(request), [weak = weak_from_this(), doing = std::move(doing),
                                     done = std::move(done)](ApiResult<ApiResponse> answer) {
        if (weak.expired()) return;
        if (!answer) return done(std::unexpected(failure_of(answer.error(), doing)));
        done({});
    });
}

void Cluster::post_event(const controller::PostEvent& event, const std::string& instance,
                         std::function<void(Answer<void>)> done) {
    state_->client.send(
        create(events_path(event.about.ref.ns), controller::event_body(event, instance)),
        [done = std::move(done)](ApiResult<ApiResponse> answer) {
            if (!answer) return done(std::unexpected(failure_of(answer.error(), "post an event")));
            done({});
        });
}

void Cluster::check_policies(std::vector<WantedPolicy> wanted,
                             std::function<void(Answer<std::vector<std::string>>)> done) {
    state_->check_policies(std::move(wanted), {}, std::move(done));
}

namespace {

// What is wrong with what was found; empty: nothing.
std::string problem_with(const WantedPolicy& wanted, const ApiResult<ApiResponse>& answer) {
    if (!answer) return wanted.title + " is not there";
    boost::system::error_code broken;
    const json::value found = json::parse(answer->body, broken);
    const json::value* spec = broken ? nullptr : found.find_pointer("/spec", broken);
    if (spec && says_all(*spec, wanted.spec)) return {};
    return wanted.title + " is not the one of this version";
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
    client.send({.path = path, .body_max = object_body_max},
                [weak = weak_from_this(), wanted = std::move(wanted), one = std::move(one),
                 missing = std::move(missing),
                 done = std::move(done)](ApiResult<ApiResponse> answer) mutable {
                    const auto state = weak.lock();
                    if (!state) return;
                    if (!answer && answer.error().status != 404)
                        return done(std::unexpected(
                            failure_of(answer.error(), "look for the admission policies")));
                    std::string problem = problem_with(one, answer);
                    if (!problem.empty()) missing.insert(missing.begin(), std::move(problem));
                    state->check_policies(std::move(wanted), std::move(missing), std::move(done));
                });
}

LeaseKeeper::LeaseKeeper(ApiClient& client, std::string ns, std::string name)
    : client_(client), ns_(std::move(ns)), name_(std::move(name)) {}

namespace {

// Well under the renew deadline, so that one hung call does not cost the lead.
constexpr Duration lease_deadline = 4s;

ApiClient::Done to_lease(std::function<void(Result<model::Lease>)> done) {
    return [done = std::move(done)](ApiResult<ApiResponse> answer) {
        if (!answer) return done(std::unexpected(answer.error().error));
        done(model::decode_lease(answer->body));
    };
}

}  // namespace

void LeaseKeeper::read(std::function<void(Result<model::Lease>)> done) {
    client_.send({.path = lease_path(ns_, name_), .deadline = lease_deadline},
                 to_lease(std::move(done)));
}

void LeaseKeeper::write(const model::Lease& lease, Instant acquired, Instant now,
                        std::function<void(Result<model::Lease>)> done) {
    std::string body = encode_lease(lease, ns_, name_, acquired, now);
    // Not a patch: only get, create and update of a lease are served with priority.
    ApiRequest request = lease.resource_version.empty()
                             ? create(lease_path(ns_, ""), std::move(body))
                             : update(lease_path(ns_, name_), std::move(body));
    request.deadline = lease_deadline;
    client_.send(std::move(request), to_lease(std::move(done)));
}

}  // namespace sluice::kube
