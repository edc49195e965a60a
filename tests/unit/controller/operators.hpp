// An operator at work in a Cluster: runs the controller's effects, feeds it the answers, and writes
// down what it did. Answers can be kept back, falsified or lost, and the operator can crash.
#pragma once

#include <deque>
#include <memory>
#include <set>

#include "api/hooks/hook.hpp"
#include "controller/controller.hpp"
#include "tests/unit/controller/cluster.hpp"

namespace sluice::controller::testing {

inline constexpr Instant noon{1'790'000'000'000};

// All that this cluster knows.
inline Settings pilot_only() {
    Settings settings;
    settings.apis = {"pilot"};
    return settings;
}

// What becomes of a patch: applied and answered, as a rule.
struct Fate {
    bool is_applied = true;
    std::optional<runtime::RequestFailure> failure = {};
    std::function<void()> meddle = [] {
    };  // what somebody else does to the object in the same write
};

class Operator {
  public:
    explicit Operator(Cluster& cluster, Settings settings = {})
        : cluster_(cluster), settings_(std::move(settings)) {
        if (settings_.apis.empty()) settings_.apis = pilot_only().apis;
        restart();
    }

    // A new process: it remembers nothing.
    void restart();
    void send(Input input) { inbox_.push_back(std::move(input)); }
    // Works until nothing is left to do at this time; the cluster lives on beside it.
    void settle();
    // The same, and lets time pass up to the given instant.
    void run_until(Instant end);
    void run_for(Duration length) { run_until(now_ + length); }

    Controller& controller() { return *controller_; }
    Instant now() const { return now_; }
    // "read", "patch 2", "patch", "ask nil > web-2", "cancel", "event HookAllowed": in order.
    std::vector<std::string> history;
    std::vector<std::string> keys_asked;  // idempotency keys
    std::vector<Ticket> tickets_asked;
    int effects_done = 0;
    std::set<int> crash_at;    // the numbers of the effects at which the process dies:
    bool dies_behind = false;  // when the effect reached the world, or before

    std::function<Fate(const Write&)> fate = [](const Write&) { return Fate{}; };
    std::function<std::optional<bool>(const api::hooks::Transition&)> hook =
        [](const api::hooks::Transition&) { return true; };  // nothing: no answer yet
    std::function<void()> before_read_answer = [] {};
    bool keeps_answers_back = false;  // of reads and patches

  private:
    void step(Input input);
    void serve_watches();
    bool advance_to(Instant end);
    void perform(StartList&& effect);
    void perform(StartWatch&& effect);
    void perform(StopWatch&& effect) { watches_.erase(effect.session); }
    void perform(ReadWorkload&& effect);
    void perform(Write&& effect);
    void perform(Ask&& effect);
    void perform(CancelQuestion&&) { history.emplace_back("cancel"); }
    void perform(PostEvent&& effect);
    void perform(SettingsTaken&&) {}
    void perform(CheckPolicies&&) { send(PoliciesSeen{false}); }
    void perform(RolloutEnded&&) { history.emplace_back("end"); }
    void perform(Log&&) {}

    struct Watch {
        const model::Resource* resource;
        std::uint64_t version;
    };
    Cluster& cluster_;
    Settings settings_;
    std::unique_ptr<Controller> controller_;
    std::deque<Input> inbox_;
    std::map<SessionId, Watch> watches_;
    std::optional<Instant> wake_at_;
    Instant now_ = noon;
};

inline void Operator::restart() {
    controller_ = std::make_unique<Controller>(settings_);
    inbox_.clear();
    watches_.clear();
    send(Tick{});
}

inline void Operator::step(Input input) {
    Effects effects = controller_->step(std::move(input), now_);
    wake_at_ = effects.wake_at;
    for (Effect& effect : effects.list) {
        const bool dies = !std::holds_alternative<Log>(effect) && crash_at.contains(effects_done++);
        if (!dies || dies_behind)
            std::visit([this](auto&& one) { perform(std::move(one)); }, std::move(effect));
        if (dies) return restart();
    }
}

inline void Operator::serve_watches() {
    for (auto& [session, watch] : watches_) {
        auto events = cluster_.since(*watch.resource, watch.version);
        watch.version = cluster_.version();
        if (!events.empty()) send(EventsArrived{session, std::move(events)});
    }
}

inline void Operator::settle() {
    constexpr int rounds_max = 2000;
    for (int round = 0; round < rounds_max; ++round) {
        while (!inbox_.empty()) {
            Input input = std::move(inbox_.front());
            inbox_.pop_front();
            step(std::move(input));
        }
        const bool changed = cluster_.live(now_);
        serve_watches();
        if (!changed && inbox_.empty()) return;
    }
    history.emplace_back("never comes to rest");
}

inline bool Operator::advance_to(Instant end) {
    const Instant next = wake_at_ ? std::max(*wake_at_, now_ + 1ms) : end;
    now_ = std::min(next, end);
    send(Tick{});
    return next <= end;
}

inline void Operator::run_until(Instant end) {
    settle();
    while (advance_to(end))
        settle();
    settle();
}

inline void Operator::perform(StartList&& effect) {
    model::ListPage page;
    for (model::WatchEvent& event : cluster_.initial(*effect.scope.resource)) {
        if (auto* changed = std::get_if<model::Changed>(&event))
            page.items.push_back(std::move(changed->object));
    }
    page.resource_version = std::to_string(cluster_.version());
    send(PageArrived{effect.session, std::move(page)});
}

inline void Operator::perform(StartWatch&& effect) {
    const std::uint64_t from = effect.request.initial_events
                                   ? cluster_.version()
                                   : std::stoull(effect.request.resource_version);
    watches_[effect.session] = {effect.scope.resource, from};
    if (effect.request.initial_events)
        send(EventsArrived{effect.session, cluster_.initial(*effect.scope.resource)});
}

inline void Operator::perform(ReadWorkload&& effect) {
    history.emplace_back("read");
    before_read_answer();
    if (keeps_answers_back) return;
    send(WorkloadRead{effect.ticket, cluster_.read(effect.subject.key())});
}

inline void Operator::perform(Write&& effect) {
    const engine::Action& action = effect.action;
    if (action.object.ref.resource != &model::statefulsets) return;
    const std::size_t at = action.body.find("\"op\":\"replace\"");
    const std::string moved =
        at == std::string::npos ? "" : action.body.substr(action.body.find("\"value\":", at) + 8);
    history.push_back(moved.empty() ? "patch" : "patch " + moved.substr(0, moved.find('}')));
    const Fate what = fate(effect);
    std::optional<StatefulSet> after;
    if (what.is_applied) after = cluster_.patch(action.object.ref.key(), action.body);
    what.meddle();
    if (after) after = cluster_.set(action.object.ref.key());
    if (keeps_answers_back) return;
    const runtime::RequestFailure refused{422, {}, "the request is invalid"};
    if (what.failure)
        send(Written{effect.ticket, std::unexpected(*what.failure)});
    else if (after)
        send(Written{effect.ticket, *after});
    else
        send(Written{effect.ticket, std::unexpected(refused)});
}

inline void Operator::perform(Ask&& effect) {
    const auto& transition = engine::opened<api::hooks::HookCall>(*effect.question)->transition;
    const auto name = [](const auto& pod) { return pod ? pod->name : std::string{"nil"}; };
    history.push_back("ask " + name(transition.prev) + " > " + name(transition.next));
    tickets_asked.push_back(effect.ticket);
    keys_asked.push_back(transition.idempotency_key);
    const auto answer = hook(transition);
    if (answer)
        send(Answered{effect.ticket,
                      engine::answer_of(engine::HookAnswer{*answer, *answer ? "" : "not now"})});
}

inline void Operator::perform(PostEvent&& effect) {
    history.push_back(fmt::format("event {}", engine::entry(effect.reason).name));
}

// A set "web" that an operator has adopted.
struct Steered {
    explicit Steered(int replicas) {
        cluster.add_set(web, replicas);
        cluster.live(noon);
        sluice.run_for(1min);
    }

    Cluster cluster;
    Operator sluice{cluster};
};

}  // namespace sluice::controller::testing
