#include "engine/advance.hpp"

#include "engine/gates.hpp"

namespace sluice::engine {
namespace {

// The first verdict that is not a pass, or a pass.
Verdict judge_all(const std::vector<Gate>& gates, const Snapshot& seen, Instant now) {
    for (const Gate& gate : gates) {
        Verdict verdict = std::visit([&](const auto& one) { return judge(one, seen, now); }, gate);
        if (!std::holds_alternative<Pass>(verdict)) return verdict;
    }
    return Pass{};
}

Advance unless_passed(Verdict verdict, Advance otherwise) {
    if (Hold* hold = std::get_if<Hold>(&verdict)) return std::move(*hold);
    if (Fail* fail = std::get_if<Fail>(&verdict)) return std::move(*fail);
    return otherwise;
}

}  // namespace

Advance advance(const Plan& plan, PodCount exposed, const Snapshot& seen, Instant now) {
    Verdict always = judge_all(plan.throughout, seen, now);
    if (!std::holds_alternative<Pass>(always)) return unless_passed(std::move(always), Finished{});
    const Step* taken = nullptr;
    const Step* next = nullptr;
    for (const Step& step : plan.steps) {
        if (step.target <= exposed)
            taken = &step;
        else if (!next)
            next = &step;
    }
    if (taken) {
        Verdict after = judge_all(taken->after, seen, now);
        if (!std::holds_alternative<Pass>(after))
            return unless_passed(std::move(after), Finished{});
    }
    if (!next) return Finished{};
    return unless_passed(judge_all(next->before, seen, now), TakeStep{next->target, next->place});
}

}  // namespace sluice::engine
