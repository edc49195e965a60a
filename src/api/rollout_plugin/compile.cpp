#include "api/rollout_plugin/compile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.hpp"

namespace sluice::api::rollout_plugin {
namespace {

using engine::Gate;

// What must pass after every weight, and what behind the last one beside it.
std::vector<Gate> settled_after_weight(const Spec& spec, const Circumstances& now) {
    if (now.by_plugin) return {engine::ExposureReached{}};
    return {engine::PodsReady{.exposed_only = now.allow_unready, .min_ready = spec.min_ready}};
}

// Collects the steps of a plan one by one.
class Compiler {
  public:
    Compiler(const Spec& spec, const Circumstances& now)
        : now_(now), settled_(settled_after_weight(spec, now)), gates_(settled_) {}

    void add(const SetWeight& weight) {
        const PodCount target = pods_for(weight.percent, now_.replicas);
        expose(target);
        if (place_ <= now_.step) exposed_max_ = std::max(exposed_max_, target);
    }

    void add(const Pause& pause) {
        const bool is_none = pause.duration == Duration{0};
        if (place_ < now_.step || is_none) return;
        const bool is_here = place_ == now_.step;
        gates_.emplace_back(engine::Pause{.place = place_,
                                          .began = is_here ? now_.pause_began : std::nullopt,
                                          .length = pause.duration,
                                          .is_over = is_here && now_.pause_is_over});
    }

    void add(const AnalysisCall&) {
        if (place_ < now_.step) return;
        engine::Analysis gate{.place = place_, .message = "The analysis begins."};
        if (const auto found = now_.analyses.find(place_); found != now_.analyses.end())
            gate = found->second;
        gate.is_accepted = gate.state == engine::Analysis::State::Unclear && place_ == now_.step &&
                           now_.pause_is_over;
        gates_.emplace_back(std::move(gate));
    }

    void next() { ++place_; }

    engine::Plan finish() {
        expose(now_.replicas);
        plan_.exposed_max = place_ <= now_.step ? now_.replicas : exposed_max_;
        if (!plan_.steps.empty()) {
            if (!now_.by_plugin) gates_.emplace_back(engine::RevisionSettled{});
            plan_.steps.back().after = std::move(gates_);
        }
        return std::move(plan_);
    }

  private:
    // A weight that is no higher than the one before exposes nothing.
    void expose(PodCount target) {
        if (!plan_.steps.empty() && target <= plan_.steps.back().target) return;
        if (target.value == 0) return;
        for (Gate& gate : gates_)
            if (auto* ready = std::get_if<engine::PodsReady>(&gate))
                ready->except = PodIndex{partition_for(target, now_.replicas).value};
        plan_.steps.push_back({target, std::move(gates_), {}, place_});
        gates_ = settled_;
    }

    const Circumstances& now_;
    const std::vector<Gate> settled_;
    engine::Plan plan_;
    PodCount exposed_max_{0};
    std::vector<Gate> gates_;  // that come before the next step
    int place_ = 0;
};

}  // namespace

PodCount pods_for(int percent, PodCount replicas) {
    const std::int64_t pods = std::int64_t{replicas.value} * percent / 100;
    const std::int64_t least = percent > 0 && replicas.value > 0 ? 1 : 0;
    return {static_cast<std::int32_t>(std::max(pods, least))};
}

namespace {

// Everything at once, whatever the steps say.
engine::Plan promotion(const Spec& spec, const Circumstances& now) {
    std::vector<Gate> after{engine::PodsReady{.min_ready = spec.min_ready},
                            engine::RevisionSettled{}};
    if (now.by_plugin) after = {engine::ExposureReached{}};
    return {.steps = {{now.replicas, {}, std::move(after), static_cast<int>(spec.steps.size())}}};
}

}  // namespace

engine::Plan compile(const Spec& spec, const Circumstances& now) {
    // What is current already is not taken back, however long it takes to settle.
    if (now.is_current) return promotion(spec, now);
    engine::Plan plan;
    if (now.promotes_fully) {
        plan = promotion(spec, now);
    } else {
        Compiler compiler{spec, now};
        for (const Step& step : spec.steps) {
            std::visit([&](const auto& one) { compiler.add(one); }, step);
            compiler.next();
        }
        plan = compiler.finish();
    }
    const bool unsettled =
        now.background && now.background->state != engine::Analysis::State::Running;
    if (unsettled) plan.throughout.emplace_back(*now.background);
    // Nothing goes on unmeasured.
    const bool is_missing = spec.background && !now.background && !now.promotes_fully &&
                            now.step >= spec.background->starting_step;
    if (is_missing)
        plan.throughout.emplace_back(engine::Analysis{
            .place = now.step, .message = "The analysis in the background begins."});
    plan.on_failure = spec.on_failure;
    plan.deadline = deadline_of(spec, now);
    plan.at_deadline = spec.abort_at_deadline ? OnFailure::Rollback : spec.on_failure;
    return plan;
}

std::optional<Instant> deadline_of(const Spec& spec, const Circumstances& now) {
    Instant since = now.step_since;
    const auto place = static_cast<std::size_t>(now.step);
    if (place < spec.steps.size() && !now.promotes_fully) {
        const Step& step = spec.steps[place];
        if (std::holds_alternative<AnalysisCall>(step)) return std::nullopt;
        const auto* pause = std::get_if<Pause>(&step);
        if (pause && now.pause_began && !now.pause_is_over) {
            if (!pause->duration) return std::nullopt;
            since = std::max(since, *now.pause_began + *pause->duration);
        }
    }
    return since + spec.progress_deadline;
}

std::uint64_t digest_of(const std::vector<Step>& steps) {
    struct Words {
        std::string operator()(const SetWeight& weight) const {
            return fmt::format("weight {};", weight.percent);
        }
        std::string operator()(const Pause& pause) const {
            return pause.duration ? fmt::format("pause {};", pause.duration->count()) : "pause;";
        }
        std::string operator()(const AnalysisCall& call) const {
            std::string text = "analysis";
            for (const analysis::TemplateRef& one : call.templates)
                text += fmt::format(" {}{}", one.cluster_scope ? "cluster/" : "", one.name);
            return text + ";";
        }
    };
    std::string text;
    for (const Step& step : steps)
        text += std::visit(Words{}, step);
    return fnv1a(text);
}

int weight_at(const std::vector<Step>& steps, int step) {
    if (step >= static_cast<int>(steps.size())) return 100;
    int weight = 0;
    for (int place = 0; place <= step; ++place)
        if (const auto* set = std::get_if<SetWeight>(&steps[static_cast<std::size_t>(place)]))
            weight = std::max(weight, set->percent);
    return weight;
}

}  // namespace sluice::api::rollout_plugin
