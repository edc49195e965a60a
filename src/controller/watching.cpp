// What the controller makes of lists and watches: what it knows, and what it cannot know.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/assert.hpp"
#include "controller/sessions.hpp"

namespace sluice::controller {
namespace {

bool begins_list(const runtime::SessionRequest& request) {
    const auto* list = std::get_if<runtime::ListRequest>(&request);
    return list ? list->next.empty() : std::get<runtime::WatchRequest>(request).initial_events;
}

}  // namespace

void Controller::on(PageArrived&& input, Instant now) {
    absorb(input.session, sessions_[input.session].on_page(std::move(input.page), now), now);
}

void Controller::on(EventsArrived&& input, Instant now) {
    runtime::WatchSession& session = sessions_[input.session];
    absorb(input.session, session.on_events(std::move(input.events), now), now);
    // The server said in the stream that the watch is over; the stream itself may linger.
    if (!session.is_in_flight()) effects_.list.push_back(StopWatch{input.session});
}

void Controller::on(WatchEnded&& input, Instant now) {
    sessions_[input.session].on_end(now);
}

void Controller::on(SessionFailed&& input, Instant now) {
    runtime::WatchSession& session = sessions_[input.session];
    const bool was_absent = session.is_absent();
    const auto is_settled = [&] { return session.is_synced() || session.is_given_up(); };
    const bool was_settled = is_settled();
    session.on_failure(input.failure, now);
    // Turns that came while it was in doubt were put off; a definition that is absent, after all,
    // ends the doubt too.
    if (is_settled() && !was_settled) queue_all(session.scope().ns, now);
    const model::Resource* resource = session.scope().resource;
    if (!session.is_absent())
        return log(input.failure.status == 410 ? Log::Level::Info : Log::Level::Warning,
                   input.failure.message);
    if (!was_absent)
        log(Log::Level::Info,
            fmt::format("the definition {}.{} is not installed, so {} is not served yet; to "
                        "install it: sluice manifests crds | kubectl apply --server-side -f -",
                        resource->plural, resource->group, resource->kind));
}

void Controller::absorb(SessionId id, const runtime::Seen& seen, Instant now) {
    runtime::WatchSession& session = sessions_[id];
    const auto queue = [&](const runtime::Touched& touched) {
        for (const model::Ref& subject : touched)
            queue_.add(subject, now);
    };
    for (const runtime::SeenObject& one : seen.objects) {
        if (seen.is_list) compare_with_known(session, one.object);
        if (const auto* map = std::get_if<model::ConfigMap>(&one.object))
            see_settings(declarer(session), *map, one.is_gone, now);
        else
            queue(one.is_gone ? remove(session, one.object) : put(session, one.object));
    }
    for (const model::ObjectKey& key : seen.kept)
        if (session.scope().is_custom()) objects_of(session.scope().resource).keep(key);
    const bool declares = session.scope().is_of(model::config_maps);
    // Who waited for it was not looked at.
    if (seen.is_synced) queue_all(declares ? "" : session.scope().ns, now);
    const bool is_contradicted = seen.complete_at && session.is_contradicted(*seen.complete_at);
    if (is_contradicted) session.forget(now);
    if (seen.went_back || is_contradicted) {
        log(Log::Level::Warning, session.last_failure());
        begin_list(session);
        constexpr std::uint64_t any_version = std::numeric_limits<std::uint64_t>::max();
        queue(drop_unlisted(session, any_version));
    } else if (seen.complete_at) {
        queue(drop_unlisted(session, *seen.complete_at));
    } else {
        return;
    }
    if (!declares) return;
    ServedApi& served = declarer(session);
    if (!served.settings_listed && !served.settings_meta.uid.empty())
        take_settings(served, {}, now);
}

Controller::ServedApi& Controller::declarer(const runtime::WatchSession& session) {
    const auto found = std::ranges::find_if(apis_, [&](const ServedApi& one) {
        return selector_of(*one.api) == session.scope().field_selector;
    });
    SLUICE_ASSERT(found != apis_.end());
    return *found;
}

void Controller::see_settings(ServedApi& served, const model::ConfigMap& map, bool is_gone,
                              Instant now) {
    const bool same = map.meta.uid == served.settings_meta.uid;
    if (is_gone) {
        if (same) take_settings(served, {}, now);
        return;
    }
    served.settings_listed = true;
    const bool older = same && map.meta.resource_version <= served.settings_meta.resource_version;
    if (!older) take_settings(served, map, now);
}

void Controller::take_settings(ServedApi& served, const model::ConfigMap& map, Instant now) {
    api::Settings read = served.api->declared.read(map.data);
    served.settings_meta = map.meta;
    served.settings = std::move(read.values);
    for (std::string& problem : read.problems)
        log(Log::Level::Warning, std::move(problem));
    effects_.list.push_back(SettingsTaken{served.settings});
    queue_all({}, now);
}

void Controller::compare_with_known(runtime::WatchSession& session,
                                    const model::Object& object) const {
    const std::uint64_t known = known_version(session, object);
    if (known > model::meta_of(object).resource_version) session.contradict(known);
}

std::uint64_t Controller::known_version(const runtime::WatchSession& session,
                                        const model::Object& object) const {
    if (const auto* set = std::get_if<model::StatefulSet>(&object)) return store_.version_of(*set);
    if (const auto* pod = std::get_if<model::Pod>(&object)) return store_.version_of(*pod);
    const runtime::ObjectTable* table = table_of(session.scope().resource);
    const auto* custom = std::get_if<model::CustomObject>(&object);
    return table && custom ? table->version_of(*custom) : 0;
}

runtime::Touched Controller::put(const runtime::WatchSession& session,
                                 const model::Object& object) {
    if (const auto* set = std::get_if<model::StatefulSet>(&object)) return store_.put(*set);
    if (const auto* pod = std::get_if<model::Pod>(&object)) return store_.put(*pod);
    const model::Resource* resource = session.scope().resource;
    return subjects_of(resource, objects_of(resource).put(std::get<model::CustomObject>(object)));
}

runtime::Touched Controller::remove(const runtime::WatchSession& session,
                                    const model::Object& object) {
    if (const auto* set = std::get_if<model::StatefulSet>(&object)) return store_.remove(*set);
    if (const auto* pod = std::get_if<model::Pod>(&object)) return store_.remove(*pod);
    const model::Resource* resource = session.scope().resource;
    return subjects_of(resource,
                       objects_of(resource).remove(std::get<model::CustomObject>(object)));
}

void Controller::begin_list(const runtime::WatchSession& session) {
    const runtime::WatchScope& scope = session.scope();
    if (scope.is_of(model::statefulsets)) store_.begin_list_of_sets(scope.ns);
    if (scope.is_of(model::pods)) store_.begin_list_of_pods(scope.ns);
    if (scope.is_custom()) objects_of(scope.resource).begin_list(scope.ns);
    if (scope.is_of(model::config_maps)) declarer(session).settings_listed = false;
}

runtime::Touched Controller::drop_unlisted(const runtime::WatchSession& session,
                                           std::uint64_t version) {
    const runtime::WatchScope& scope = session.scope();
    if (scope.is_of(model::statefulsets)) return store_.drop_unlisted_sets(scope.ns, version);
    if (scope.is_of(model::pods)) return store_.drop_unlisted_pods(scope.ns, version);
    if (scope.is_custom())
        return subjects_of(scope.resource,
                           objects_of(scope.resource).drop_unlisted(scope.ns, version));
    return {};
}

bool Controller::serves(const api::Api& api, const std::string& ns) const {
    return all_synced_ || std::ranges::all_of(sessions_, [&](const runtime::WatchSession& one) {
               return one.is_synced() || !covers(one.scope(), ns) || !needs(api, one.scope());
           });
}

bool Controller::is_settled(const std::string& ns) const {
    return all_synced_ || std::ranges::all_of(sessions_, [&](const runtime::WatchSession& one) {
               return one.is_synced() || one.is_given_up() || !covers(one.scope(), ns);
           });
}

void Controller::run_sessions(Instant now) {
    for (SessionId id = 0; id < sessions_.size(); ++id) {
        runtime::WatchSession& session = sessions_[id];
        if (session.should_cancel(now)) {
            effects_.list.push_back(StopWatch{id});
            session.cancelled();
        }
        auto request = session.poll(now);
        if (!request) continue;
        if (begins_list(*request)) begin_list(session);
        if (auto* list = std::get_if<runtime::ListRequest>(&*request))
            effects_.list.push_back(StartList{id, session.scope(), std::move(*list)});
        else
            effects_.list.push_back(
                StartWatch{id, session.scope(), std::get<runtime::WatchRequest>(*request)});
    }
    all_synced_ = is_synced();
}

bool Controller::is_synced() const {
    return std::ranges::all_of(sessions_, &runtime::WatchSession::is_synced);
}

std::string Controller::sync_problem() const {
    std::string problem;
    for (const runtime::WatchSession& session : sessions_) {
        const std::string& ns = session.scope().ns;
        const bool served = std::ranges::any_of(apis_, [&](const ServedApi& one) {
            return one.api->steers_workloads() && serves(*one.api, ns);
        });
        if (served && is_settled(ns) && !session.scope().is_of(model::config_maps)) return {};
        if (problem.empty() && !session.is_absent()) problem = session.last_failure();
    }
    return problem.empty() ? "the first list is not complete yet" : problem;
}

std::vector<std::string> Controller::unseen() const {
    std::vector<std::string> lines;
    for (const runtime::WatchSession& session : sessions_) {
        if (session.is_absent() || session.last_failure().empty()) continue;
        const std::string& ns = session.scope().ns;
        lines.push_back(fmt::format("{}: {}", ns.empty() ? "all namespaces" : "namespace " + ns,
                                    session.last_failure()));
    }
    return lines;
}

}  // namespace sluice::controller
