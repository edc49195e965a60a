#include "sim/demo/stage.hpp"

#include <algorithm>

#include "sim/actors/object.hpp"
#include "sim/api/admission.hpp"

namespace sluice::sim::demo {
namespace {

// Slow enough for eyes at the usual speed.
constexpr Pace pace{.controller_least = 300ms,
                    .controller_most = 600ms,
                    .schedule_least = 100ms,
                    .schedule_most = 400ms,
                    .start_least = 1500ms,
                    .start_most = 2500ms,
                    .ready_least = 2s,
                    .ready_most = 3500ms,
                    .stop_least = 1500ms,
                    .stop_most = 2500ms};
constexpr Duration hook_retry = 10s;
constexpr Duration hook_thinks = 2500ms;
// Events are kept for an hour: those of the beginning are gone by then.
constexpr Duration lived_before = 3h + 7min;
constexpr Duration steered_before = 20s;
constexpr Duration applause = 2s;

// The sentence in a warning or refusal, without the name of the policy that it came through.
std::string sentence_of(const Response& response) {
    if (response.status >= 300 && response.body.is_object())
        return "Refused: " + text_at(response.body.get_object(), "/message");
    if (response.warnings.empty()) return {};
    const std::string& warning = response.warnings.front();
    const std::size_t binding = warning.find(" with binding ");
    const std::size_t colon = binding == std::string::npos ? binding : warning.find(": ", binding);
    return "Warning: " + (colon == std::string::npos ? warning : warning.substr(colon + 2));
}

}  // namespace

Stage::Stage(const Story& story, std::uint64_t seed)
    : story_(story), world_({.seed = seed, .hook_retry = hook_retry, .pace = pace}) {
    world_.egress.thinking_time = hook_thinks;
    world_.set_policies(true);
    story_.set_up(world_);
    // What operators make themselves lives only with them.
    const bool lives_alone = story_.cast == cast_set;
    if (!lives_alone) world_.start_operators();
    world_.cluster.run_for(lived_before);
    if (lives_alone) world_.start_operators();
    world_.cluster.run_for(steered_before);
    begun_ = world_.cluster.now();
    writes_before_ = world_.inspector.writes();
    world_.cluster.api().on_change([this](const Change& change) { on_change(change); });
    look_around();
    serving_least_ = count_ready(scene_);
}

// Counts the pods that are let go.
void Stage::on_change(const Change& change) {
    const bool is_own = change.user == operator_user && change.before && change.object;
    if (is_own && story_.is_step(change)) ++steps_taken_;
}

void Stage::act(const Step& step) {
    Response response;
    if (const auto* ask = std::get_if<0>(&step.act))
        response = (*ask)(world_);
    else
        std::get<1>(step.act)(world_);
    if (!first_action_) first_action_ = world_.cluster.now();
    if (step.caption.empty()) return;
    last_action_ = UserAction{world_.cluster.now(), std::string{step.caption},
                              std::string{step.command}, sentence_of(response)};
}

void Stage::run_steps() {
    while (step_ < story_.steps.size()) {
        const Step& step = story_.steps[step_];
        if (!step_due_ && step.once(world_, scene_)) step_due_ = scene_.now + step.after;
        if (!step_due_ || *step_due_ > scene_.now) return;
        act(step);
        step_due_.reset();
        ++step_;
        look_around();
    }
}

void Stage::look_around() {
    scene_ = look(world_, ns, name, story_.reporter, story_.cast);
    scene_.title = story_.title;
    scene_.begun = begun_;
    scene_.action = last_action_;
}

const Scene& Stage::next() {
    if (is_over()) return scene_;
    world_.cluster.run_for(beat);
    look_around();
    serving_least_ = std::min(serving_least_, count_ready(scene_));
    run_steps();
    const bool is_told = step_ == story_.steps.size() && has_ended_as(story_.ends, scene_);
    if (!is_told)
        over_since_.reset();
    else if (!over_since_)
        over_since_ = scene_.now;
    const bool has_ended = over_since_ && scene_.now - *over_since_ >= applause;
    if (has_ended || scene_.now - begun_ >= longest) scene_.summary = summary();
    return scene_;
}

bool Stage::ended_well() const {
    return over_since_ && world_.inspector.violations().empty();
}

Summary Stage::summary() const {
    Summary all;
    all.took = over_since_.value_or(scene_.now) - first_action_.value_or(begun_);
    const Questions questions = story_.questions ? story_.questions(world_) : Questions{};
    all.gateman = story_.gateman;
    all.questions = questions.asked;
    all.refusals = questions.refused;
    all.transitions = questions.transitions;
    all.steps = steps_taken_;
    all.writes = world_.inspector.writes() - writes_before_;
    all.serving_least = serving_least_;
    all.violations = world_.inspector.violations();
    all.try_next = {{std::string{story_.next_command}, std::string{story_.next_shows}},
                    {"sluice cluster", "a cluster for your kubectl"},
                    {"README.md", "how to steer your StatefulSets"}};
    if (!over_since_) all.violations.emplace_back("the story did not come to its end");
    return all;
}

}  // namespace sluice::sim::demo
