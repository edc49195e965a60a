#include "controller/controller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/assert.hpp"

namespace sluice::controller {
namespace {

constexpr Duration policy_check_period = 5min;
constexpr Duration policy_check_again = 20s;  // after one that failed
// Reads and writes of workloads under way at once: enough to hide the server's latency, few enough
// to leave connections for others.
constexpr std::size_t in_flight_max = 16;

// Pods of StatefulSets carry this label; other pods are not worth their bytes.
constexpr const char* stateful_pods = "statefulset.kubernetes.io/pod-name";

bool is_served(const Settings& settings, const api::Api& api) {
    return settings.apis.empty() ||
           std::ranges::find(settings.apis, api.name) != settings.apis.end();
}

std::string selector_of(const api::Api& api) {
    return fmt::format("metadata.name={}", api.declared.config_map);
}

std::vector<const model::CustomResource*> resources_of(const Settings& settings,
                                                       std::span<const api::Api> apis) {
    std::vector<const model::CustomResource*> resources;
    for (const api::Api& api : apis)
        if (api.resource && is_served(settings, api)) resources.push_back(api.resource);
    return resources;
}

std::vector<runtime::WatchSession> make_sessions(const Settings& settings,
                                                 std::span<const api::Api> apis) {
    std::set<std::string> namespaces{settings.namespaces.begin(), settings.namespaces.end()};
    if (namespaces.empty()) namespaces.emplace();
    std::vector<runtime::WatchSession> sessions;
    for (const std::string& ns : namespaces) {
        const std::uint64_t seed = settings.seed + sessions.size();
        sessions.emplace_back(runtime::WatchScope{model::Kind::StatefulSet, ns, {}, {}}, seed);
        sessions.emplace_back(runtime::WatchScope{model::Kind::Pod, ns, stateful_pods, {}},
                              seed + 1);
        for (const model::CustomResource* resource : resources_of(settings, apis))
            sessions.emplace_back(runtime::WatchScope{model::Kind::Custom, ns, {}, {}, resource},
                                  settings.seed + sessions.size());
    }
    for (const api::Api& api : apis)
        if (is_served(settings, api) && !api.declared.config_map.empty())
            sessions.emplace_back(
                runtime::WatchScope{
                    model::Kind::ConfigMap, settings.config_namespace, {}, selector_of(api)},
                settings.seed + sessions.size());
    return sessions;
}

}  // namespace

Controller::Controller(Settings settings, std::span<const api::Api> apis)
    : settings_(std::move(settings)),
      sessions_(make_sessions(settings_, apis)),
      queue_(settings_.seed),
      bucket_(settings_.qps, settings_.qps * 2),
      leads_(settings_.leads_at_once) {
    environment_.hook_retry = settings_.hook_retry;
    environment_.plugin_directory = settings_.plugin_directory;
    for (const api::Api& api : apis) {
        if (!is_served(settings_, api)) continue;
        served_.push_back({&api, runtime::ObjectTable{api.target_of}});
        if (api.declared.read) served_.back().settings = api.declared.read({}).values;
    }
}

Effects Controller::step(Input input, Instant now) {
    std::visit([&](auto& one) { on(std::move(one), now); }, input);
    if (now >= policies_due_) {
        policies_due_ = now + policy_check_period;
        effects_.list.push_back(CheckPolicies{});
    }
    run_sessions(now);
    run_queue(now);
    effects_.wake_at = next_wake(now);
    return std::exchange(effects_, {});
}

void Controller::on(Tick&&, Instant) {}

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
    session.on_failure(input.failure, now);
    const model::CustomResource* resource = session.scope().resource;
    if (!session.is_absent())
        return log(input.failure.status == 410 ? Log::Level::Info : Log::Level::Warning,
                   input.failure.message);
    if (!was_absent && resource)
        log(Log::Level::Info,
            fmt::format("the definition {}.{} is not installed, so {} is not served yet; to "
                        "install it: sluice manifests crds | kubectl apply --server-side -f -",
                        resource->plural, resource->group, resource->kind));
}

void Controller::on(PoliciesSeen&& input, Instant now) {
    policies_answered_ = true;
    if (!input.installed) {  // not knowing changes nothing, and is not left at that for long
        policies_due_ = std::min(policies_due_, now + policy_check_again);
        return;
    }
    const auto seen = *input.installed ? engine::Guarantee::Prevent : engine::Guarantee::Detect;
    if (seen == environment_.guarantee && guarantee_known_) return;
    log(Log::Level::Info,
        *input.installed
            ? "guarantee: Prevent. The admission policies keep others from opening a gate."
            : "guarantee: Detect. Without the admission policies of Kubernetes 1.36 a gate that "
              "somebody else opens is closed again, but not kept shut.");
    environment_.guarantee = seen;
    guarantee_known_ = true;
    queue_all(now);
}

void Controller::on(Leadership&& input, Instant now) {
    if (input.leads == leads_ && input.fence == fence_) return;
    leads_ = input.leads;
    fence_ = input.fence;
    log(Log::Level::Info, leads_ ? "this operator leads" : "this operator does not lead");
    if (leads_) return queue_all(now);
    // What was learnt while leading may be untrue when we lead again.
    for (auto& [key, about] : cases_) {
        stop_asking(about);
        about.evidence.reset();
        about.reading.reset();
        about.answer.reset();
        about.progress.reset();
        about.overtaken_since.reset();
        about.must_read = true;
    }
}

void Controller::absorb(SessionId id, const runtime::Seen& seen, Instant now) {
    const runtime::WatchSession& session = sessions_[id];
    const auto queue = [&](const runtime::Touched& touched) {
        for (const model::ObjectKey& key : touched)
            queue_.add(key, now);
    };
    for (const runtime::SeenObject& one : seen.objects) {
        if (const auto* map = std::get_if<model::ConfigMap>(&one.object))
            see_settings(declarer(session), *map, one.is_gone, session.epoch(), now);
        else
            queue(one.is_gone ? remove(session, one.object) : put(session, one.object));
    }
    if (!seen.complete_at) return;
    queue(drop_unlisted(session, *seen.complete_at));
    if (session.scope().kind != model::Kind::ConfigMap) return;
    Served& served = declarer(session);
    const bool unlisted = served.settings_epoch != session.epoch();
    if (unlisted && !served.settings_meta.uid.empty()) take_settings(served, {}, now);
}

Controller::Served& Controller::declarer(const runtime::WatchSession& session) {
    const auto found = std::ranges::find_if(served_, [&](const Served& one) {
        return selector_of(*one.api) == session.scope().field_selector;
    });
    SLUICE_ASSERT(found != served_.end());
    return *found;
}

const Controller::Served& Controller::served_as(std::string_view api) const {
    const auto found =
        std::ranges::find_if(served_, [&](const Served& one) { return one.api->name == api; });
    SLUICE_ASSERT(found != served_.end());
    return *found;
}

void Controller::see_settings(Served& served, const model::ConfigMap& map, bool is_gone,
                              std::uint8_t epoch, Instant now) {
    const bool same = map.meta.uid == served.settings_meta.uid;
    if (is_gone) {
        if (same) take_settings(served, {}, now);
        return;
    }
    served.settings_epoch = epoch;
    const bool older = same && map.meta.resource_version <= served.settings_meta.resource_version;
    if (!older) take_settings(served, map, now);
}

void Controller::take_settings(Served& served, const model::ConfigMap& map, Instant now) {
    api::Settings read = served.api->declared.read(map.data);
    served.settings_meta = map.meta;
    served.settings = std::move(read.values);
    for (std::string& problem : read.problems)
        log(Log::Level::Warning, std::move(problem));
    effects_.list.push_back(SettingsTaken{served.settings});
    queue_all(now);
}

const runtime::ObjectTable* Controller::table_of(const model::CustomResource* resource) const {
    for (const Served& one : served_)
        if (resource && one.api->resource == resource) return &one.objects;
    return nullptr;
}

runtime::ObjectTable& Controller::objects_of(const model::CustomResource* resource) {
    const auto found = std::ranges::find_if(
        served_, [&](const Served& one) { return one.api->resource == resource; });
    SLUICE_ASSERT(found != served_.end());
    return found->objects;
}

runtime::Touched Controller::workloads_of(const model::CustomResource* resource,
                                          runtime::Concerned concerned) const {
    runtime::Touched workloads = std::move(concerned.workloads);
    for (const Served& one : served_) {
        if (one.api->support != resource) continue;
        for (const model::ObjectKey& key : concerned.owners)
            if (const auto owner = one.objects.find(key))
                workloads.push_back({key.ns, one.api->target_of(*owner)});
    }
    return workloads;
}

runtime::Touched Controller::put(const runtime::WatchSession& session,
                                 const model::Object& object) {
    const std::uint8_t epoch = session.epoch();
    if (const auto* set = std::get_if<model::StatefulSet>(&object)) return store_.put(*set, epoch);
    if (const auto* pod = std::get_if<model::Pod>(&object)) return store_.put(*pod, epoch);
    const model::CustomResource* resource = session.scope().resource;
    return workloads_of(resource,
                        objects_of(resource).put(std::get<model::CustomObject>(object), epoch));
}

runtime::Touched Controller::remove(const runtime::WatchSession& session,
                                    const model::Object& object) {
    if (const auto* set = std::get_if<model::StatefulSet>(&object)) return store_.remove(*set);
    if (const auto* pod = std::get_if<model::Pod>(&object)) return store_.remove(*pod);
    const model::CustomResource* resource = session.scope().resource;
    return workloads_of(resource,
                        objects_of(resource).remove(std::get<model::CustomObject>(object)));
}

runtime::Touched Controller::drop_unlisted(const runtime::WatchSession& session,
                                           std::uint64_t version) {
    const runtime::WatchScope& scope = session.scope();
    if (scope.kind == model::Kind::StatefulSet)
        return store_.drop_unlisted_sets(scope.ns, session.epoch(), version);
    if (scope.kind == model::Kind::Pod)
        return store_.drop_unlisted_pods(scope.ns, session.epoch(), version);
    if (scope.kind == model::Kind::Custom)
        return workloads_of(
            scope.resource,
            objects_of(scope.resource).drop_unlisted(scope.ns, session.epoch(), version));
    return {};
}

void Controller::queue_all(Instant now) {
    for (const model::ObjectKey& key : store_.keys())
        queue_.add(key, now);
    for (const Served& one : served_)
        for (const model::ObjectKey& key : one.objects.workloads())
            queue_.add(key, now);
}

std::map<std::string_view, std::size_t> Controller::object_counts() const {
    std::map<std::string_view, std::size_t> counts;
    for (const Served& one : served_)
        if (one.api->resource) counts[one.api->resource->plural] = one.objects.size();
    return counts;
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
        if (auto* list = std::get_if<runtime::ListRequest>(&*request))
            effects_.list.push_back(StartList{id, session.scope(), std::move(*list)});
        else
            effects_.list.push_back(
                StartWatch{id, session.scope(), std::get<runtime::WatchRequest>(*request)});
    }
}

void Controller::run_queue(Instant now) {
    // What is promised is written down from the first word on, so it must be known.
    if (!leads_ || draining_ || !is_synced() || !policies_answered_) return;
    while (in_flight_ < in_flight_max && bucket_.has_tokens(now)) {
        const auto key = queue_.take(now);
        if (!key) return;
        look(*key, now);
    }
}

bool Controller::is_synced() const {
    return std::ranges::all_of(sessions_, &runtime::WatchSession::is_synced);
}

std::string Controller::sync_problem() const {
    for (const runtime::WatchSession& session : sessions_) {
        if (session.is_absent()) continue;  // what is not installed is not out of sync
        if (!session.last_failure().empty()) return session.last_failure();
        if (!session.is_synced()) return "the first list is not complete yet";
    }
    return {};
}

int Controller::watch_restarts(model::Kind kind) const {
    int restarts = 0;
    for (const runtime::WatchSession& session : sessions_) {
        if (session.scope().kind == kind) restarts += session.restarts();
    }
    return restarts;
}

std::map<engine::Phase, int> Controller::rollouts_by_phase() const {
    std::map<engine::Phase, int> phases;
    for (const auto& [key, about] : cases_)
        if (!about.api.empty() && steers_workloads(*served_as(about.api).api))
            ++phases[about.phase];
    return phases;
}

std::optional<Instant> Controller::next_wake(Instant now) const {
    Instant wake = policies_due_;
    for (const runtime::WatchSession& session : sessions_) {
        if (const auto at = session.wake_at()) wake = std::min(wake, *at);
    }
    const bool works = leads_ && !draining_ && is_synced() && policies_answered_;
    // A full house is left by an answer, not by a tick.
    if (!works || in_flight_ >= in_flight_max) return wake;
    const Instant affordable = bucket_.refilled_at(now);
    if (const auto due = queue_.next_due()) wake = std::min(wake, std::max(*due, affordable));
    if (queue_.depth() > 0) wake = std::min(wake, affordable);
    return wake;
}

void Controller::log(Log::Level level, std::string text, model::ObjectKey about) {
    const model::CustomResource* resource = nullptr;
    for (const Served& one : served_) {
        const std::string prefix = fmt::format("~{}/", one.api->name);
        if (!about.name.starts_with(prefix)) continue;
        about.name.erase(0, prefix.size());
        resource = one.api->resource;
    }
    effects_.list.push_back(Log{level, std::move(text), std::move(about), resource});
}

}  // namespace sluice::controller
