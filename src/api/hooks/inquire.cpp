// How hooks are asked: the pods of the transition are fetched as they are now, then the hook goes
// on by itself until it gives its verdict. Whatever goes wrong on the way is a refusal with a
// sentence; pods that are not the ones meant are refused by their UID.
#include "api/hooks/hook.hpp"

namespace sluice::api::hooks {
namespace {

Move answered(HookVerdict verdict) {
    return engine::answer_of(std::move(verdict));
}

// The pod as it is now, or what must come first: to fetch it, or to refuse because it is not the
// one that was meant.
std::expected<HookPod, Move> live(const HookPod& expected, const Learnt& learnt) {
    const auto found = learnt.pods.find(expected.name);
    if (found == learnt.pods.end()) return std::unexpected<Move>(NeedPod{expected.name});
    const Result<PodSeen>& pod = found->second;
    if (!pod) return std::unexpected(answered(refuse(pod.error().message)));
    if (pod->uid.empty() || pod->uid != expected.uid)
        return std::unexpected(answered(
            refuse("pod " + expected.name + " was replaced while the hook was about to be asked")));
    return HookPod{expected.name, pod->uid, pod->ip, pod->json};
}

// Of the pods in the transition only the name and the expected UID count.
Move next_move(const HookCall& call, const Learnt& learnt) {
    Transition transition = call.transition;
    for (std::optional<HookPod>* pod : {&transition.prev, &transition.next}) {
        if (!*pod) continue;
        (*pod)->json.clear();
        if (!needs_pods(transition.hook)) continue;
        auto seen = live(**pod, learnt);
        if (!seen) return std::move(seen.error());
        *pod = std::move(*seen);
    }
    return move_of<HookVerdict>(next_step(*call.hooks, transition, learnt), answered);
}

}  // namespace

std::optional<Inquiry> inquire(const engine::Question& question, const Asking&) {
    const auto* call = engine::opened<HookCall>(question);
    if (!call) return std::nullopt;
    return Inquiry{call->transition.ns, hook_bounds.deadline,
                   [call = *call](const Learnt& learnt) { return next_move(call, learnt); },
                   [](const Error& error) { return engine::answer_of(refuse(error.message)); }};
}

}  // namespace sluice::api::hooks
