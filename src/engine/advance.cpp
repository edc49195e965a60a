#include "engine/advance.hpp"

#include <algorithm>
#include <optional>

#include "engine/gates.hpp"

namespace sluice::engine {
namespace {

// The first verdict that is not a pass, or a pass.
Verdict judge_all(const std::vector<Gate>& gates, const Standing& standing, Instant now) {
    std::optional<Instant> again;  // an approval that was given is asked for anew
    std::optional<CheckProgress> passed;
    for (const Gate& gate : gates) {
        Verdict verdict =
            std::visit([&](const auto& one) { return judge(one, standing, now); }, gate);
        if (Hold* hold = std::get_if<Hold>(&verdict)) {
            if (again) hold->until = std::min(hold->until.value_or(*again), *again);
            if (!hold->progress) hold->progress = passed;
        }
        if (!std::holds_alternative<Pass>(verdict)) return verdict;
        if (auto& counted = std::get<Pass>(verdict).progress) passed = std::move(counted);
        const auto* hook = std::get_if<HookApproval>(&gate);
        const Evidence* approval = hook ? last_of<HookAnswer>(standing.seen.evidence) : nullptr;
        if (approval) again = approval->at + hook->evidence_age_max + 1s;
    }
    return Pass{};
}

Advance unless_passed(Verdict verdict, Advance otherwise) {
    if (Hold* hold = std::get_if<Hold>(&verdict)) return std::move(*hold);
    if (Fail* fail = std::get_if<Fail>(&verdict)) return std::move(*fail);
    return otherwise;
}

}  // namespace

Advance advance(const Plan& plan, PodCount exposed, const Standing& standing, Instant now) {
    Verdict always = judge_all(plan.throughout, standing, now);
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
        Verdict after = judge_all(taken->after, standing, now);
        if (!std::holds_alternative<Pass>(after))
            return unless_passed(std::move(after), Finished{});
    }
    if (!next) return Finished{};
    return unless_passed(judge_all(next->before, standing, now),
                         TakeStep{next->target, next->place});
}

}  // namespace sluice::engine
