#include "wire/call.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "controller/event_body.hpp"
#include "model/json_text.hpp"
#include "model/label_selector.hpp"
#include "wire/paths.hpp"
#include "wire/requests.hpp"

namespace sluice::wire {
namespace {

namespace json = boost::json;
using runtime::RequestFailure;

// A page that is longer is asked for in smaller ones.
constexpr std::size_t list_body_max = 8u << 20;
constexpr std::size_t pods_body_max = 64u << 20;
constexpr std::size_t object_body_max = 4u << 20;
constexpr std::size_t pods_max = 10'000;
constexpr Duration list_deadline = 60s;

RequestFailure failure_of(RequestFailure failure, std::string_view doing) {
    failure.said = std::move(failure.message);
    failure.message = fmt::format("cannot {}: {}", doing, failure.said);
    return failure;
}

// Why a write was refused may quote what was to be written, but where only rights were asked about.
RequestFailure without_secrets(RequestFailure failure) {
    const bool is_of_rights = failure.status == 403 && failure.message.starts_with("secrets") &&
                              failure.message.contains(" is forbidden: User \"");
    if (failure.status != 0 && !is_of_rights)
        failure.message =
            fmt::format("status {}; what it says about a Secret is not repeated", failure.status);
    return failure;
}

// Answered, but not so that it can be read.
RequestFailure malformed(const Error& error, std::string_view doing) {
    RequestFailure failure = failure_of({0, Duration{0}, error.message}, doing);
    failure.unreadable = true;
    return failure;
}

bool is_missing(const Answer& answer) {
    return !answer && answer.error().status == 404;
}

// spec.selector of a StatefulSet as the text of a label selector.
Result<std::string> selector_in(const std::string& body) {
    const json::value set = model::parse_json(body);
    const json::value* found = model::value_at(set, "/spec/selector");
    const json::object* selector = found ? found->if_object() : nullptr;
    auto text = selector ? model::selector_text(*selector) : std::nullopt;
    if (!text || text->empty())
        return failure(ErrorKind::Malformed, "the StatefulSet has no selector that can be read");
    return std::move(*text);
}

Request request_of(const engine::Action& action) {
    using Verb = engine::Action::Verb;
    const model::Ref& ref = action.object.ref;
    if (action.verb == Verb::Create)
        return create(collection_path(*ref.resource, ref.ns), action.body);
    if (action.verb == Verb::Delete)
        return remove(object_path(ref), action.object.uid, action.version, action.awaits_owned);
    return json_patch(action.of_status ? status_path(ref) : object_path(ref), action.body);
}

std::string name_of(const engine::Action& action) {
    constexpr const char* verbs[] = {"patch", "create", "delete"};
    return fmt::format("{} {}{}", verbs[static_cast<std::size_t>(action.verb)],
                       action.object.ref.resource->plural, action.of_status ? "/status" : "");
}

}  // namespace

Next Caller::begin(const controller::StartList& effect) {
    Request request{.path = list_path(effect.scope, effect.request),
                    .accept = listed_as(*effect.scope.resource),
                    .deadline = list_deadline,
                    .body_max = list_body_max};
    Call call{
        std::move(request),
        [this, id = effect.session, resource = effect.scope.resource](Answer answer) -> Next {
            const std::string doing = fmt::format("list {}", resource->plural);
            const auto failed = [&](RequestFailure failure) {
                return Next{.input = controller::SessionFailed{id, std::move(failure)}};
            };
            if (!answer) return failed(failure_of(std::move(answer.error()), doing));
            auto page = decoder_.list(*resource, std::move(*answer));
            if (!page) return failed(malformed(page.error(), doing));
            Next next;
            for (const model::LeftOut& one : page->left_out)
                next.warnings.push_back(fmt::format("an object was left out of a {}: {} {}/{}",
                                                    doing, one.why, one.key.ns, one.key.name));
            next.input = controller::PageArrived{id, std::move(*page)};
            return next;
        }};
    return {.call = std::move(call)};
}

// What was read of a subject so far.
struct Caller::Reading {
    controller::Ticket ticket = 0;
    controller::LiveWorkload found = {};
    std::string selector = {};
    std::vector<model::Ref> objects = {};  // still to be read, the last one first

    Next failed(RequestFailure failure) const {
        return {.input = controller::WorkloadRead{ticket, std::unexpected(std::move(failure))}};
    }
    Next whole() { return {.input = controller::WorkloadRead{ticket, std::move(found)}}; }
};

// A failure of one request is a failure of all. Pods come last: of one that a set does not want any
// more, as it was read, it is known that it is gone.
Next Caller::begin(const controller::ReadWorkload& effect) {
    auto reading = std::make_shared<Reading>();
    reading->ticket = effect.ticket;
    reading->objects = effect.objects;
    reading->found.set.meta.key = effect.subject.key();
    reading->selector = effect.pods_by;
    if (effect.subject.resource != &model::statefulsets) return get_objects(std::move(reading));
    return {.call = get_set(std::move(reading))};
}

// No resourceVersion: a quorum read.
Call Caller::get_set(std::shared_ptr<Reading> reading) {
    const model::Ref ref = ref_to(model::statefulsets, reading->found.set.meta.key);
    return {{.path = object_path(ref), .body_max = object_body_max},
            [this, reading = std::move(reading)](Answer answer) -> Next {
                static constexpr std::string_view doing = "get statefulsets";
                if (is_missing(answer)) return get_objects(reading);
                if (!answer) return reading->failed(failure_of(std::move(answer.error()), doing));
                auto selector = selector_in(*answer);
                auto set = decoder_.object(model::statefulsets, std::move(*answer));
                if (!selector || !set)
                    return reading->failed(malformed(set ? selector.error() : set.error(), doing));
                reading->found.set = std::get<model::StatefulSet>(std::move(*set));
                reading->selector = std::move(*selector);
                return get_objects(reading);
            }};
}

Call Caller::list_pods(std::shared_ptr<Reading> reading, const std::string& next) {
    std::string path = pods_path(reading->found.set.meta.key.ns, reading->selector, next);
    return {{.path = std::move(path), .body_max = pods_body_max},
            [this, reading = std::move(reading)](Answer answer) -> Next {
                static constexpr std::string_view doing = "list pods";
                if (!answer) return reading->failed(failure_of(std::move(answer.error()), doing));
                auto page = decoder_.list(model::pods, std::move(*answer));
                if (!page) return reading->failed(malformed(page.error(), doing));
                return take_pods(reading, std::move(*page));
            }};
}

Next Caller::take_pods(const std::shared_ptr<Reading>& reading, model::ListPage page) {
    for (model::Object& object : page.items) {
        auto& pod = std::get<model::Pod>(object);
        // Of what is no set the owner is known only when it has been read itself.
        const std::string& set = reading->found.set.meta.uid;
        if (set.empty() || pod.owner_uid == set) reading->found.pods.push_back(std::move(pod));
    }
    if (reading->found.pods.size() > pods_max)
        return reading->failed({0, Duration{0}, "there are more than 10000 pods"});
    if (!page.next.empty()) return {.call = list_pods(reading, page.next)};
    return reading->whole();
}

// One after the other; there is seldom more than one.
Next Caller::get_objects(std::shared_ptr<Reading> reading) {
    if (reading->objects.empty() && reading->selector.empty()) return reading->whole();
    if (reading->objects.empty()) return {.call = list_pods(std::move(reading), {})};
    const model::Ref wanted = std::move(reading->objects.back());
    reading->objects.pop_back();
    Call call{
        {.path = object_path(wanted), .body_max = object_body_max},
        [this, reading = std::move(reading), resource = wanted.resource](Answer answer) -> Next {
            const std::string doing = fmt::format("get {}", resource->plural);
            if (is_missing(answer)) return get_objects(reading);
            if (!answer) return reading->failed(failure_of(std::move(answer.error()), doing));
            auto object = decoder_.object(*resource, std::move(*answer));
            if (!object) return reading->failed(malformed(object.error(), doing));
            if (auto* set = std::get_if<model::StatefulSet>(&*object))
                reading->found.sets.push_back(std::move(*set));
            else
                reading->found.objects.push_back(
                    {resource, std::get<model::CustomObject>(std::move(*object))});
            return get_objects(reading);
        }};
    return {.call = std::move(call)};
}

Next Caller::begin(const controller::Write& effect) {
    Request request = request_of(effect.action);
    request.body_max = object_body_max;
    Call call{
        std::move(request),
        [this, ticket = effect.ticket, doing = name_of(effect.action),
         resource = effect.action.object.ref.resource,
         deletes = effect.action.verb == engine::Action::Verb::Delete](Answer answer) -> Next {
            const auto failed = [&](RequestFailure failure) {
                return Next{.input =
                                controller::Written{ticket, std::unexpected(std::move(failure))}};
            };
            if (!answer && resource->plural == std::string_view{"secrets"})
                answer = std::unexpected(without_secrets(std::move(answer.error())));
            if (!answer) return failed(failure_of(std::move(answer.error()), doing));
            if (deletes) return {.input = controller::Written{ticket, std::nullopt}};
            auto object = decoder_.object(*resource, std::move(*answer));
            if (!object) return failed(malformed(object.error(), doing));
            return {.input = controller::Written{ticket, std::move(*object)}};
        }};
    return {.call = std::move(call)};
}

// An event that is lost is only logged.
Next Caller::begin(const controller::PostEvent& effect) {
    Call call{create(collection_path(model::events, effect.about.ref.ns),
                     controller::event_body(effect, identity_)),
              [](Answer answer) -> Next {
                  Next next;
                  if (!answer)
                      next.warnings.push_back(
                          failure_of(std::move(answer.error()), "post an event").message);
                  return next;
              }};
    return {.call = std::move(call)};
}

Result<std::vector<model::WatchEvent>> WatchReader::read(std::string_view bytes) {
    std::vector<model::WatchEvent> events;
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        const std::string_view piece = bytes.substr(0, end);
        if (partial_.size() + piece.size() > line_max)
            return failure(ErrorKind::TooLarge, "the watch sent a line of more than 8 MiB");
        partial_ += piece;
        if (end == std::string_view::npos) break;
        bytes.remove_prefix(end + 1);
        if (partial_.empty()) continue;
        events.push_back(decoder_->watch_event_or_key(*resource_, std::exchange(partial_, {})));
    }
    // A long line leaves its room behind; most are short.
    if (partial_.empty() && partial_.capacity() > (64u << 10)) partial_.shrink_to_fit();
    return events;
}

std::vector<std::string> warnings_of(const std::vector<model::WatchEvent>& events) {
    std::vector<std::string> warnings;
    for (const model::WatchEvent& event : events)
        if (const auto* left_out = std::get_if<model::LeftOut>(&event))
            warnings.push_back(left_out->why);
    return warnings;
}

RequestFailure broken_watch(const model::Resource& resource, const Error& error) {
    return malformed(error, fmt::format("watch {}", resource.plural));
}

RequestFailure failed_watch(const model::Resource& resource, RequestFailure failure) {
    return failure_of(std::move(failure), fmt::format("watch {}", resource.plural));
}

}  // namespace sluice::wire
