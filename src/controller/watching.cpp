// What the controller makes of lists and watches: what it knows, and what it cannot know.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

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
    const runtime::WatchScope& scope = session.scope();
    runtime::Table& table = store_.at(scope);
    const auto tell = [&](const runtime::Affected& affected) {
        queue(store_.concerned(scope, affected), now);
    };
    for (const runtime::SeenObject& one : seen.objects) {
        const std::uint64_t known = seen.is_list ? table.version_of(one.object) : 0;
        if (known > model::meta_of(one.object).resource_version) session.contradict(known);
        tell(one.is_gone ? table.remove(one.object) : table.put(one.object));
    }
    for (const model::ObjectKey& key : seen.kept)
        table.keep(key);
    rouse_neighbours(scope, seen);
    // Who waited for it was not looked at.
    if (seen.is_synced) queue_all(scope.is_of_operator() ? "" : scope.ns, now);
    const bool is_contradicted = seen.complete_at && session.is_contradicted(*seen.complete_at);
    if (is_contradicted) session.forget(now);
    if (seen.went_back || is_contradicted) {
        log(Log::Level::Warning, session.last_failure());
        table.begin_list(scope.ns);
        constexpr std::uint64_t any_version = std::numeric_limits<std::uint64_t>::max();
        tell(table.drop_unlisted(scope.ns, any_version));
    } else if (seen.complete_at) {
        tell(table.drop_unlisted(scope.ns, *seen.complete_at));
    }
    if (scope.is_of_operator()) take_settings();
}

void Controller::rouse_neighbours(const runtime::WatchScope& scope, const runtime::Seen& seen) {
    for (const ServedApi& one : apis_) {
        if (one.api->resource != scope.resource) continue;
        for (const api::Watch& watch : one.api->watches) {
            const auto* neighbours = std::get_if<model::Neighbours>(&watch.concerns);
            if (!neighbours) continue;
            for (const runtime::SeenObject& own : seen.objects) {
                const auto& object = std::get<model::CustomObject>(own.object);
                if (own.is_gone || !neighbours->minds(object)) continue;
                for (runtime::WatchSession& session : sessions_)
                    if (watch.is_of(session.scope().resource, session.scope().selector) &&
                        covers(session.scope(), object.meta.key.ns))
                        session.rouse();
            }
        }
    }
}

void Controller::take_settings() {
    for (ServedApi& one : apis_) {
        const api::Watch* watch = settings_watch(*one.api);
        if (!watch) continue;
        const auto found = store_.find(
            {watch->resource, settings_.config_namespace, std::string{watch->selector.name}});
        const auto map = found ? std::get<model::ConfigMap>(*found) : model::ConfigMap{};
        if (map.meta == one.settings_meta) continue;
        const auto twin = std::ranges::find_if(apis_, [&](const ServedApi& other) {
            return other.api->declared.read == one.api->declared.read &&
                   other.settings_meta == map.meta;
        });
        if (twin != apis_.end()) {  // read and told about already
            one.settings_meta = map.meta;
            one.settings = twin->settings;
            continue;
        }
        api::Settings read = one.api->declared.read(map.data);
        one.settings_meta = map.meta;
        one.settings = std::move(read.values);
        for (std::string& problem : read.problems)
            log(Log::Level::Warning, std::move(problem));
        effects_.list.push_back(SettingsTaken{one.settings});
    }
}

bool Controller::serves(const api::Api& api, const std::string& ns) const {
    return all_synced_ || std::ranges::all_of(sessions_, [&](const runtime::WatchSession& one) {
               return one.is_synced() || !covers(one.scope(), ns) || !needs(api, one.scope());
           });
}

bool Controller::is_settled(const std::string& ns) const {
    return all_synced_ || std::ranges::all_of(sessions_, [&](const runtime::WatchSession& one) {
               return one.is_synced() || one.is_given_up() || is_of_named(one.scope()) ||
                      !covers(one.scope(), ns);
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
        if (begins_list(*request)) store_.at(session.scope()).begin_list(session.scope().ns);
        if (auto* list = std::get_if<runtime::ListRequest>(&*request))
            effects_.list.push_back(StartList{id, session.scope(), std::move(*list)});
        else
            effects_.list.push_back(
                StartWatch{id, session.scope(), std::get<runtime::WatchRequest>(*request)});
    }
    all_synced_ = is_synced();
}

bool Controller::is_synced() const {
    return std::ranges::all_of(sessions_, [](const runtime::WatchSession& one) {
        return one.is_synced() || is_of_named(one.scope());
    });
}

std::string Controller::sync_problem() const {
    std::string problem;
    for (const runtime::WatchSession& session : sessions_) {
        const std::string& ns = session.scope().ns;
        const bool served = std::ranges::any_of(apis_, [&](const ServedApi& one) {
            return one.api->steers_workloads() && serves(*one.api, ns);
        });
        if (served && is_settled(ns) && !session.scope().is_of_operator()) return {};
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
