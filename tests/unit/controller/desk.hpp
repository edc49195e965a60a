// A controller on a desk: it serves two APIs that are made for the test, and whoever tests plays
// the world by hand. Objects of "gate" name a workload, or a run, in their spec and own runs; a run
// stands alone.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "controller/controller.hpp"

namespace sluice::controller::testing {

inline constexpr model::Resource gates{"test", "v1", "gates", "Gate"};
inline constexpr model::Resource runs{"test", "v1", "runs", "Run"};
inline constexpr model::Resource recipes{"test", "v1", "recipes", "Recipe", true};

using Decide = std::function<engine::Decision(const engine::Snapshot&, Instant)>;
inline Decide gate_decides, run_decides;

inline model::Ref target_in_spec(const model::CustomObject& object) {
    const std::string run = "run/";
    if (object.spec.starts_with(run))
        return {&runs, object.meta.key.ns, object.spec.substr(run.size())};
    return {&model::statefulsets, object.meta.key.ns, object.spec};
}
inline bool is_named(const model::StatefulSet&, const std::vector<model::CustomObject>& objects) {
    return !objects.empty();
}
inline void leave_alone(engine::Snapshot&) {}
struct Word final : engine::OwnSettings {
    std::string text;
};
inline api::Settings read_word(const std::map<std::string, std::string>& data) {
    auto word = std::make_shared<Word>();
    if (data.contains("word")) word->text = data.at("word");
    std::vector<std::string> problems;
    if (data.contains("nonsense")) problems.emplace_back("data.nonsense: is not known");
    return {std::move(word), std::move(problems)};
}
inline engine::Decision decide_gate(const engine::Snapshot& seen, Instant now) {
    return gate_decides ? gate_decides(seen, now) : engine::Decision{};
}
inline engine::Decision decide_run(const engine::Snapshot& seen, Instant now) {
    return run_decides ? run_decides(seen, now) : engine::Decision{};
}
inline constexpr api::Watch gate_watches[] = {
    {&model::statefulsets, model::Itself{}},
    {&model::pods, model::Owner{&model::statefulsets}},
    {&gates, model::Named{target_in_spec}},
    {&runs, model::Owner{&gates}},
    {&model::config_maps, model::Everybody{}, {.name = "gate-words"}}};
inline constexpr api::Watch run_watches[] = {{&runs, model::Itself{}}};
inline const api::Api test_apis[] = {
    {.name = "gate",
     .resource = &gates,
     .watches = gate_watches,
     .concerns = is_named,
     .prepare = leave_alone,
     .decide = decide_gate,
     .declared = {read_word}},
    {.name = "run",
     .resource = &runs,
     .watches = run_watches,
     .prepare = leave_alone,
     .decide = decide_run},
};

// What becomes of lists and watches of a resource that cannot be seen: they fail so; nothing: no
// answer comes.
using Trouble = std::map<const model::Resource*, std::optional<runtime::RequestFailure>>;

class Desk {
  public:
    explicit Desk(Settings settings = {}, std::span<const api::Api> apis = test_apis,
                  Trouble trouble = {})
        : controller(std::move(settings), apis), trouble_(std::move(trouble)) {
        gate_decides = run_decides = nullptr;
        take(Tick{});
        take(PoliciesSeen{false});
    }

    // An input, and whatever the watches bring besides.
    void take(Input input);
    void pass(Duration time);
    void put(const model::Resource& resource, model::CustomObject object);
    void remove(const model::Resource& resource, const model::CustomObject& object);
    // All objects are gone, and no watch says so.
    void lose_everything() { known_.clear(); }
    // Lists say this of the object from now on, though no watch said so.
    void put_back(const model::Resource& resource, model::Object object) {
        known_[session_of(resource)].insert_or_assign(model::meta_of(object).uid, object);
    }
    // By their UIDs: objects that lists bring and nobody can read.
    std::set<std::string> unreadable;

    // The effects of this kind since it was last asked for them.
    template <class Kind>
    std::vector<Kind> done() {
        std::vector<Kind> found;
        std::erase_if(effects_, [&](const Effect& effect) {
            const auto* one = std::get_if<Kind>(&effect);
            if (one) found.push_back(*one);
            return one != nullptr;
        });
        return found;
    }

    // The writes of this kind since it was last asked for them.
    std::vector<Write> patches_of_sets() { return writes(Verb::Patch, model::Form::StatefulSet); }
    std::vector<Write> patches_of_objects() { return writes(Verb::Patch, model::Form::Custom); }
    std::vector<Write> creations() { return writes(Verb::Create, model::Form::Custom); }
    std::vector<Write> deletions() { return writes(Verb::Delete, model::Form::Custom); }
    std::vector<Write> deletions_of_pods() { return writes(Verb::Delete, model::Form::Pod); }

    SessionId settings_session = 0;
    Controller controller;
    Instant now{1'790'000'000'000};

  private:
    using Verb = engine::Action::Verb;
    std::vector<Write> writes(Verb verb, model::Form form) {
        std::vector<Write> found;
        std::erase_if(effects_, [&](const Effect& effect) {
            const auto* one = std::get_if<Write>(&effect);
            const bool is_it =
                one && one->action.verb == verb && one->action.object.ref.resource->form == form;
            if (is_it) found.push_back(*one);
            return is_it;
        });
        return found;
    }
    void run(Effects effects);
    void begin(SessionId session, const runtime::WatchScope& scope, std::optional<Input> answer);
    SessionId session_of(const model::Resource& resource) const { return sessions_.at(&resource); }

    std::vector<model::WatchEvent> listed(SessionId session) const;
    void remember(const EventsArrived& input);

    std::map<SessionId, std::map<std::string, model::Object>> known_;
    std::uint64_t highest_ = 10;
    std::vector<Effect> effects_;
    std::deque<Input> inbox_;
    std::map<const model::Resource*, SessionId> sessions_;
    Trouble trouble_;
    std::optional<Instant> wake_at_;
    std::uint64_t version_ = 10;
};

// A run or a gate. What it says of its workload stands in its spec.
inline model::CustomObject object(const std::string& name, const std::string& spec = {},
                                  const std::string& uid = {}) {
    model::CustomObject one;
    one.meta.key = {"shop", name};
    one.meta.uid = uid.empty() ? "uid-" + name : uid;
    one.spec = spec;
    return one;
}
// In no namespace.
inline model::CustomObject recipe(const std::string& name) {
    model::CustomObject one = object(name);
    one.meta.key.ns = "";
    return one;
}
inline model::CustomObject owned(const std::string& name, const model::CustomObject& owner) {
    model::CustomObject one = object(name);
    one.owner = owner.meta.key.name;
    one.owner_uid = owner.meta.uid;
    return one;
}

// A list or a watch, which is answered so unless it is in trouble.
inline void Desk::begin(SessionId session, const runtime::WatchScope& scope,
                        std::optional<Input> answer) {
    sessions_[scope.resource] = session;
    if (scope.is_of_operator()) settings_session = session;
    const auto trouble = trouble_.find(scope.resource);
    if (trouble != trouble_.end() && trouble->second)
        inbox_.emplace_back(SessionFailed{session, *trouble->second});
    else if (trouble == trouble_.end() && answer)
        inbox_.push_back(std::move(*answer));
}

inline void Desk::run(Effects effects) {
    wake_at_ = effects.wake_at;
    for (Effect& effect : effects.list) {
        if (const auto* list = std::get_if<StartList>(&effect)) {
            begin(list->session, list->scope,
                  PageArrived{list->session, {{}, std::to_string(highest_), {}}});
        } else if (const auto* watch = std::get_if<StartWatch>(&effect)) {
            std::optional<Input> answer;
            if (watch->request.initial_events)
                answer = EventsArrived{watch->session, listed(watch->session)};
            begin(watch->session, watch->scope, std::move(answer));
        } else {
            effects_.push_back(std::move(effect));
        }
    }
}

// Everything that the session was told of and that is not gone.
inline std::vector<model::WatchEvent> Desk::listed(SessionId session) const {
    std::vector<model::WatchEvent> events;
    const auto known = known_.find(session);
    if (known == known_.end()) return {model::Bookmark{std::to_string(highest_), true}};
    for (const auto& [uid, object] : known->second) {
        if (unreadable.contains(uid))
            events.emplace_back(model::LeftOut{model::meta_of(object).key, "no JSON"});
        else
            events.emplace_back(model::Changed{object});
    }
    events.emplace_back(model::Bookmark{std::to_string(highest_), true});
    return events;
}

inline void Desk::remember(const EventsArrived& input) {
    for (const model::WatchEvent& event : input.events) {
        if (const auto* changed = std::get_if<model::Changed>(&event)) {
            const model::ObjectMeta& meta = model::meta_of(changed->object);
            known_[input.session].insert_or_assign(meta.uid, changed->object);
            highest_ = std::max(highest_, meta.resource_version);
        }
        if (const auto* deleted = std::get_if<model::Deleted>(&event))
            known_[input.session].erase(model::meta_of(deleted->object).uid);
    }
}

inline void Desk::take(Input input) {
    if (const auto* events = std::get_if<EventsArrived>(&input)) remember(*events);
    inbox_.push_back(std::move(input));
    while (!inbox_.empty()) {
        Input next = std::move(inbox_.front());
        inbox_.pop_front();
        run(controller.step(std::move(next), now));
    }
}

inline void Desk::pass(Duration time) {
    const Instant end = now + time;
    while (wake_at_ && *wake_at_ <= end) {
        now = std::max(*wake_at_, now + 1ms);
        take(Tick{});
    }
    now = end;
    take(Tick{});
}

inline void Desk::put(const model::Resource& resource, model::CustomObject object) {
    object.meta.resource_version = ++version_;
    take(EventsArrived{session_of(resource), {model::Changed{std::move(object)}}});
}

inline void Desk::remove(const model::Resource& resource, const model::CustomObject& object) {
    take(EventsArrived{session_of(resource), {model::Deleted{object}}});
}

}  // namespace sluice::controller::testing
