#include "sim/world/operator_host.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.hpp"
#include "sim/api/admission.hpp"

namespace sluice::sim {
namespace {

using controller::Input;

std::string resource_of(const runtime::WatchScope& scope) {
    constexpr const char* ids[] = {"statefulsets.apps", "pods", "configmaps"};
    if (scope.kind == model::Kind::Custom)
        return fmt::format("{}.{}", scope.resource->plural, scope.resource->group);
    return ids[static_cast<std::size_t>(scope.kind)];
}

Watch watch_of(const runtime::WatchScope& scope) {
    Watch watch;
    watch.resource = resource_of(scope);
    watch.ns = scope.ns;
    watch.label_selector = scope.label_selector;
    watch.field_selector = scope.field_selector;
    watch.bookmarks = true;
    watch.api_version = "v1";
    return watch;
}

const runtime::RequestFailure not_served{
    404, {}, "the server could not find the requested resource"};
const runtime::RequestFailure not_allowed{403, {}, "the operator may not read this"};
const runtime::RequestFailure too_long{0, {}, "the answer is too large", true};

runtime::RequestFailure failure_of(Mishap mishap) {
    if (mishap == Mishap::Refuse409) return {409, {}, "the object has been modified"};
    if (mishap == Mishap::Refuse429) return {429, 2s, "too many requests"};
    if (mishap == Mishap::Refuse500) return {500, {}, "internal error"};
    return {0, {}, "no answer"};
}

bool is_bookmark(const model::WatchEvent& event) {
    return std::holds_alternative<model::Bookmark>(event);
}

// How long a client waits before it gives an answer up.
constexpr Duration patience = 15s;
constexpr Duration slowness = 12s;

}  // namespace

OperatorHost::OperatorHost(Cluster& cluster, Egress& egress, Faults& faults, HostOptions options,
                           HostWitness witness)
    : cluster_(cluster),
      egress_(egress),
      faults_(faults),
      options_(std::move(options)),
      witness_(std::move(witness)) {
    options_.settings.leads_at_once = !options_.leader_elect;
    cluster_.api().on_change([this](const Change& change) { on_change(change); });
}

OperatorHost::~OperatorHost() = default;

bool OperatorHost::leads() const {
    return !options_.leader_elect || (election_ && election_->leads(clock()));
}

void OperatorHost::start() {
    ++life_;
    witness_.starts(options_.identity);
    options_.settings.seed = options_.seed + life_;
    streams_.clear();
    asking_.clear();
    controller_ = std::make_unique<controller::Controller>(options_.settings);
    if (options_.leader_elect) {
        election_ = std::make_unique<runtime::Election>(
            fmt::format("{}-{}", options_.identity, life_), options_.settings.seed);
        run_election();
    }
    later(0ms, [this] { step(controller::Tick{}); });
}

void OperatorHost::crash(bool restarts) {
    ++life_;
    controller_.reset();
    election_.reset();
    streams_.clear();
    if (!restarts) return;
    const std::uint64_t life = life_;
    cluster_.timeline().after(options_.restart_after, [this, life] {
        if (life_ == life) start();
    });
}

void OperatorHost::pause(Duration length) {
    stopped_until_ = cluster_.now() + length;
}

void OperatorHost::later(Duration delay, std::function<void()> what) {
    const std::uint64_t life = life_;
    cluster_.timeline().after(delay, [this, life, what = std::move(what)]() mutable {
        if (life != life_ || !controller_) return;
        if (cluster_.now() < stopped_until_)
            return later(stopped_until_ - cluster_.now(), std::move(what));
        what();
    });
}

// As in production: whoever stopped leading hears of it before anything else.
void OperatorHost::step(Input input) {
    SLUICE_ASSERT(!is_stepping_);
    const std::uint64_t life = life_;
    const auto run = [&](Input one) {
        is_stepping_ = true;
        controller::Effects effects = controller_->step(std::move(one), clock());
        is_stepping_ = false;
        for (controller::Effect& effect : effects.list) {
            if (life != life_) return;  // died of the one before
            std::visit([this](auto& it) { run_one(std::move(it)); }, effect);
        }
        if (life == life_ && effects.wake_at) set_alarm(*effects.wake_at);
    };
    if (options_.leader_elect && controller_->leads() != leads())
        run(controller::Leadership{leads(), election_->fence()});
    if (life == life_) run(std::move(input));
}

void OperatorHost::set_alarm(Instant at) {
    const std::uint64_t number = ++alarm_;
    later(std::max(Duration{1}, at - clock()), [this, number] {
        if (number == alarm_) step(controller::Tick{});
    });
}

void OperatorHost::exchange(Access access, std::function<void()> carry_out,
                            std::function<void()> answer,
                            std::function<void(runtime::RequestFailure)> fail,
                            std::function<void()> overtake) {
    const Exchange begun{access, cluster_.api().storage().version(), overtake != nullptr};
    const Mishap mishap = faults_.next_exchange(begun, cluster_.now());
    if (mishap == Mishap::CrashBefore) return crash();
    const auto to_server = [this, mishap, carry_out = std::move(carry_out),
                            answer = std::move(answer), fail = std::move(fail),
                            overtake = std::move(overtake)] {
        const bool is_answered = mishap == Mishap::None || mishap == Mishap::Overtaken;
        const bool arrives = is_answered || mishap == Mishap::LoseAnswer ||
                             mishap == Mishap::CrashAfter || mishap == Mishap::Slow;
        if (mishap == Mishap::Overtaken && overtake) overtake();
        if (arrives) carry_out();
        if (mishap == Mishap::CrashAfter) return crash();
        if (is_answered) return later(latency(), answer);
        if (mishap == Mishap::Slow) return later(slowness, answer);
        const bool silent = mishap == Mishap::LoseRequest || mishap == Mishap::LoseAnswer;
        later(silent ? patience : latency(), [fail, mishap] { fail(failure_of(mishap)); });
    };
    later(latency(), to_server);
}

std::optional<runtime::RequestFailure> OperatorHost::refusal(
    const runtime::WatchScope& scope) const {
    if (!cluster_.api().resource(resource_of(scope))) return not_served;
    if (faults_.lists.forbidden.contains(scope.ns)) return not_allowed;
    return std::nullopt;
}

void OperatorHost::run_one(controller::StartList&& effect) {
    auto page = std::make_shared<controller::Answer<model::ListPage>>();
    exchange(
        Access::Read,
        [this, page, scope = effect.scope, request = effect.request] {
            if (const auto refused = refusal(scope))
                *page = std::unexpected(*refused);
            else
                *page = page_of(list_at(scope, cluster_.api().storage().version()), request);
        },
        [this, page, id = effect.session] {
            if (*page) return step(controller::PageArrived{id, std::move(**page)});
            step(controller::SessionFailed{id, std::move(page->error())});
        },
        [this, id = effect.session](runtime::RequestFailure failed) {
            step(controller::SessionFailed{id, std::move(failed)});
        });
}

model::ListPage OperatorHost::list_at(const runtime::WatchScope& scope, std::uint64_t version) {
    const Watch watch = watch_of(scope);
    model::ListPage page;
    page.resource_version = std::to_string(version);
    std::vector<WatchedEvent> events;
    for (const ObjectPtr& one : cluster_.api().storage().list_at(version, watch.resource, watch.ns))
        events.push_back({"ADDED", one});
    for (model::WatchEvent& event : decoded({watch, scope.kind}, events)) {
        if (auto* changed = std::get_if<model::Changed>(&event))
            page.items.push_back(std::move(changed->object));
        else
            page.left_out.push_back(std::get<model::LeftOut>(std::move(event)));
    }
    return page;
}

// The part of a list that was asked for: the continue token is the number of the next object.
controller::Answer<model::ListPage> OperatorHost::page_of(
    model::ListPage all, const runtime::ListRequest& request) const {
    const auto from = std::min<std::size_t>(all.items.size(), std::stoull("0" + request.next));
    const auto to = std::min(all.items.size(), from + static_cast<std::size_t>(request.limit));
    const auto page_max = static_cast<std::size_t>(faults_.lists.page_max);
    if (page_max > 0 && to - from > page_max) return std::unexpected(too_long);
    if (to < all.items.size()) all.next = std::to_string(to);
    all.items.erase(all.items.begin() + static_cast<std::ptrdiff_t>(to), all.items.end());
    all.items.erase(all.items.begin(), all.items.begin() + static_cast<std::ptrdiff_t>(from));
    return all;
}

void OperatorHost::run_one(controller::StartWatch&& effect) {
    const controller::SessionId id = effect.session;
    Stream stream{watch_of(effect.scope), effect.scope.kind};
    stream.watch.sends_initial = effect.request.initial_events;
    if (!effect.request.initial_events)
        stream.watch.version = std::stoull("0" + effect.request.resource_version);
    auto refused = std::make_shared<std::optional<runtime::RequestFailure>>();
    exchange(
        Access::Read,
        [this, refused, scope = effect.scope] {
            const bool is_early =
                scope.kind == model::Kind::Custom && faults_.lists.forbids_definitions;
            *refused = is_early ? not_allowed : refusal(scope);
        },
        [this, id, stream, refused, timeout = effect.request.timeout] {
            if (*refused) return step(controller::SessionFailed{id, std::move(**refused)});
            if (stream.watch.sends_initial && !faults_.lists.streams)
                return step(controller::WatchEnded{id});
            streams_[id] = stream;
            pump(id);
            later(timeout, [this, id] { end_watch(id); });
        },
        [this, id](runtime::RequestFailure failed) {
            step(controller::SessionFailed{id, std::move(failed)});
        });
}

// As the server does it when the time is up: a bookmark before the end, so that the next watch goes
// on from here.
void OperatorHost::end_watch(controller::SessionId id) {
    const auto at = std::to_string(cluster_.api().storage().version());
    if (!streams_.contains(id)) return;
    pump(id);
    if (!streams_.contains(id)) return;
    step(controller::EventsArrived{id, {model::Bookmark{at, false}}});
    if (!streams_.erase(id)) return;
    step(controller::WatchEnded{id});
}

void OperatorHost::run_one(controller::StopWatch&& effect) {
    streams_.erase(effect.session);
}

void OperatorHost::on_change(const Change& change) {
    if (!controller_) return;
    for (auto& [id, stream] : streams_) {
        if (stream.pump_is_due || stream.watch.resource != change.place.resource) continue;
        stream.pump_is_due = true;
        later(latency(), [this, session = id] { pump(session); });
    }
}

void OperatorHost::pump(controller::SessionId session) {
    const auto found = streams_.find(session);
    if (found == streams_.end()) return;
    Stream& stream = found->second;
    stream.pump_is_due = false;
    std::vector<WatchedEvent> raw;
    // Declarations of hooks come from consistent lists; nothing is read again that could tell.
    const bool may_be_stale = stream.watch.sends_initial && stream.kind != model::Kind::ConfigMap;
    const std::uint64_t stale = may_be_stale ? faults_.stale_by(cluster_.now()) : 0;
    const std::uint64_t now = cluster_.api().storage().version();
    if (stale > 0 && now > stale && !cluster_.api().storage().is_compacted(now - stale)) {
        // A server that is behind: the list is old, and the watch goes on from there.
        for (const ObjectPtr& one :
             cluster_.api().storage().list_at(now - stale, stream.watch.resource, stream.watch.ns))
            raw.push_back({"ADDED", one});
        stream.watch.version = now - stale;
        stream.watch.sends_initial = false;
        auto events = decoded(stream, raw);
        events.emplace_back(model::Bookmark{std::to_string(now - stale), true});
        later(5s, [this, session] { pump(session); });
        return step(controller::EventsArrived{session, std::move(events)});
    }
    auto events = decoded(stream, cluster_.api().watch_events(stream.watch));
    if (!events.empty()) deliver(session, std::move(events));
}

void OperatorHost::deliver(controller::SessionId session, std::vector<model::WatchEvent> events) {
    switch (faults_.next_batch(cluster_.now())) {
        case EventMishap::Lose:
            // A list that says it is complete is; only what comes later can get lost.
            if (!std::ranges::any_of(events, is_bookmark)) return;
            break;
        case EventMishap::Repeat:
            later(latency(), [this, session, events] {
                if (streams_.contains(session)) step(controller::EventsArrived{session, events});
            });
            break;
        case EventMishap::Delay:
            later(20s, [this, session, events = std::move(events)] {
                if (streams_.contains(session)) step(controller::EventsArrived{session, events});
            });
            return;
        case EventMishap::None: break;
    }
    if (!events.empty()) step(controller::EventsArrived{session, std::move(events)});
}

std::vector<model::WatchEvent> OperatorHost::decoded(const Stream& stream,
                                                     const std::vector<WatchedEvent>& events) {
    std::vector<model::WatchEvent> batch;
    for (const WatchedEvent& event : events) {
        std::string line =
            fmt::format(R"({{"type":"{}","object":{}}})", event.type, event.object->text());
        batch.push_back(decoder_.watch_event_or_key(stream.kind, std::move(line)));
        SLUICE_ASSERT(!std::holds_alternative<model::LeftOut>(batch.back()) ||
                      stream.kind == model::Kind::Custom);
    }
    return batch;
}

}  // namespace sluice::sim
