#include "api/stateful_cluster/compile.hpp"

#include <fmt/format.h>

namespace sluice::api::stateful_cluster {
namespace {

using GateList = std::vector<engine::Gate>;

class Guards {
  public:
    Guards(const Spec& spec, const Circumstances& now)
        : gates_(spec.gates),
          now_(now),
          query_(gates_.check ? metrics::query_of(gates_.check->query) : engine::MetricQuery{}) {}

    // `next` is the first of the members that go, `last` the last of them; so many are exposed by
    // then. There is a pause wherever some are.
    GateList before(PodCount exposed, std::optional<PodIndex> prev, PodIndex next,
                    PodIndex last) const {
        GateList all;
        if (is_early()) add_hook(all, prev, next);
        all.emplace_back(ready(last));
        if (gates_.pause && exposed.value > 0)
            all.emplace_back(pause_at(exposed.value, *gates_.pause));
        if (gates_.check)
            all.emplace_back(
                metrics::gate_of(*gates_.check, query_, now_.definition, next, now_.allow_unready));
        if (!is_early()) add_hook(all, prev, next);
        return all;
    }

    GateList after(PodIndex last, bool is_end) const {
        GateList all;
        if (is_end && is_early()) add_hook(all, last, std::nullopt);
        all.emplace_back(ready(std::nullopt));
        if (is_end && !is_early()) add_hook(all, last, std::nullopt);
        return all;
    }

  private:
    bool is_early() const { return !gates_.hook.empty() && now_.when == hooks::When::Running; }

    engine::PodsReady ready(std::optional<PodIndex> except) const {
        return {.except = except,
                .exposed_only = now_.allow_unready,
                .counts_missing = !now_.allow_unready};
    }

    engine::Pause pause_at(int step, const Rest& rest) const {
        engine::Pause pause{.place = step, .length = rest.length};
        if (now_.pause && now_.pause->step == step) {
            pause.began = now_.pause->since;
            pause.is_over = now_.goes_on;
        }
        return pause;
    }

    void add_hook(GateList& all, std::optional<PodIndex> prev, std::optional<PodIndex> next) const {
        if (gates_.hook.empty()) return;
        if (is_early()) all.emplace_back(engine::PodsRunning{next});
        engine::HookApproval hook{.hook = gates_.hook, .prev = prev, .next = next};
        hook.retry = now_.hook_retry;
        all.emplace_back(std::move(hook));
    }

    const Gates& gates_;
    const Circumstances& now_;
    Shared<engine::MetricQuery> query_;
};

engine::Step kept_back(const Spec& spec, PodCount members) {
    return {members,
            {engine::Refused{
                engine::Reason::KeptBack,
                fmt::format("spec.updateStrategy.rollingUpdate.partition keeps {} of {} members "
                            "on the revision before.",
                            std::min(spec.partition, members).value, members.value)}},
            {}};
}

}  // namespace

// Steps are counted from where the update stands: whoever changes their size, or the number of
// members, in the middle of it leaves out neither a pause nor a question about the next member.
engine::Plan compile(const Spec& spec, const Circumstances& now) {
    engine::Plan plan;
    const Guards guards{spec, now};
    const PodCount reached{std::max(0, now.members.value - spec.partition.value)};
    std::optional<PodIndex> prev;
    for (PodCount from{0}; from < reached;) {
        const PodCount most =
            from < now.exposed ? now.exposed : PodCount{from.value + spec.max_unavailable.value};
        const PodCount target = std::min(most, reached);
        const PodIndex next{partition_for(from, now.members).value - 1};
        const PodIndex last{partition_for(target, now.members).value};
        plan.steps.push_back({target, guards.before(from, prev, next, last),
                              guards.after(last, target == now.members)});
        prev = last;
        from = target;
    }
    if (reached < now.members) plan.steps.push_back(kept_back(spec, now.members));
    return plan;
}

}  // namespace sluice::api::stateful_cluster
