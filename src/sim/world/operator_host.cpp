#include "sim/world/operator_host.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.hpp"
#include "sim/api/admission.hpp"
#include "sim/api/selectors.hpp"
#include "wire/paths.hpp"

namespace sluice::sim {
namespace {

using controller::Input;

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
constexpr Duration answer_patience = 15s;
constexpr Duration slowness = 12s;

}  // namespace

OperatorHost::OperatorHost(Cluster& cluster, Egress& egress, Faults& faults, HostOptions options,
                           HostWitness witness)
    : cluster_(cluster),
      egress_(egress),
      faults_(faults),
      options_(std::move(options)),
      witness_(std::move(witness)),
      caller_(options_.identity, api::kept()) {
    options_.settings.leads_at_once = !options_.leader_elect;
    cluster_.api().on_change([this](const Change& change) { on_change(change); });
}

bool OperatorHost::leads() const {
    return !options_.leader_elect || (election_ && election_->leads(clock()));
}

void OperatorHost::start() {
    ++life_;
    witness_.starts(options_.identity);
    options_.settings.seed = options_.seed + life_;
    options_.settings.fresh_key = fmt::format("{:016x}", options_.settings.seed);
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
        later(silent ? answer_patience : latency(), [fail, mishap] { fail(failure_of(mishap)); });
    };
    later(latency(), to_server);
}

// The answer to a list as the faults have it.
wire::Answer OperatorHost::spoiled(const runtime::WatchScope& scope, wire::Answer answer) const {
    if (!answer) return answer;
    if (faults_.lists.forbidden.contains(scope.ns)) return std::unexpected(not_allowed);
    if (faults_.lists.page_max == 0) return answer;
    const json::value list = json::parse(*answer);
    const auto items = static_cast<int>(array_at(list.get_object(), "/items").size());
    if (items > faults_.lists.page_max) return std::unexpected(too_long);
    return answer;
}

void OperatorHost::run_one(controller::StartList&& effect) {
    wire::Next begun = caller_.begin(effect);
    if (!begun.call) return take(std::move(begun));
    wire::Call& call = *begun.call;
    call.read = [this, scope = effect.scope, read = call.read](wire::Answer answer) {
        return read(spoiled(scope, std::move(answer)));
    };
    run(Access::Read, std::move(begun), [] {});
}

void OperatorHost::run_one(controller::StartWatch&& effect) {
    const controller::SessionId id = effect.session;
    auto begun = std::make_shared<Response>();
    exchange(
        Access::Read,
        [this, begun, effect] {
            const bool is_early = effect.scope.is_custom() && faults_.lists.forbids_definitions;
            *begun = serve({.path = wire::watch_path(effect.scope, effect.request),
                            .accept = wire::watched_as(*effect.scope.resource)});
            if (is_early || (begun->watch && faults_.lists.forbidden.contains(effect.scope.ns)))
                *begun = {.status = 403};
        },
        [this, id, begun, effect] { begin_watch(id, *effect.scope.resource, *begun); },
        [this, id](runtime::RequestFailure failed) {
            step(controller::SessionFailed{id, std::move(failed)});
        });
}

void OperatorHost::begin_watch(controller::SessionId id, const model::Resource& resource,
                               const Response& begun) {
    if (!begun.watch)
        return step(controller::SessionFailed{
            id, wire::failed_watch(resource, {begun.status, {}, "the server refused"})});
    if (begun.watch->sends_initial && !faults_.lists.streams)
        return step(controller::WatchEnded{id});
    streams_[id] = {*begun.watch, &resource,
                    std::make_shared<wire::WatchReader>(resource, caller_.decoder())};
    pump(id);
    later(begun.watch->timeout, [this, id] { end_watch(id); });
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
    const bool may_be_stale = stream.watch.sends_initial && stream.resource != &model::config_maps;
    const std::uint64_t stale = may_be_stale ? faults_.stale_by(cluster_.now()) : 0;
    const std::uint64_t now = cluster_.api().storage().version();
    if (stale > 0 && now > stale && !cluster_.api().storage().is_compacted(now - stale)) {
        // A server that is behind: the list is old, and the watch goes on from there.
        for (const ObjectPtr& one :
             cluster_.api().storage().list_at(now - stale, stream.watch.resource, stream.watch.ns))
            if (matches_labels(one->object(), stream.watch.label_selector).value_or(false))
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
    const auto deliver_after = [&](Duration delay) {
        later(delay, [this, session, events] {
            if (streams_.contains(session)) step(controller::EventsArrived{session, events});
        });
    };
    switch (faults_.next_batch(cluster_.now())) {
        case EventMishap::Lose:
            // A list that says it is complete is; only what comes later can get lost.
            if (!std::ranges::any_of(events, is_bookmark)) return;
            break;
        case EventMishap::Repeat: deliver_after(latency()); break;
        case EventMishap::Delay: return deliver_after(20s);
        case EventMishap::None: break;
    }
    if (!events.empty()) step(controller::EventsArrived{session, std::move(events)});
}

std::vector<model::WatchEvent> OperatorHost::decoded(Stream& stream,
                                                     const std::vector<WatchedEvent>& events) {
    std::string bytes;
    for (const WatchedEvent& event : events)
        bytes +=
            fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", event.type, event.object->text());
    auto read = stream.reader->read(bytes);
    SLUICE_ASSERT(read.has_value());
    SLUICE_ASSERT(stream.resource->form == model::Form::Custom || wire::warnings_of(*read).empty());
    return std::move(*read);
}

}  // namespace sluice::sim
