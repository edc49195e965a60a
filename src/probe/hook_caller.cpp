#include "probe/hook_caller.hpp"

#include <optional>
#include <utility>

namespace sluice::probe {

using namespace api::pilot;

namespace {

// The pod as it is now, or what must come first: to fetch it, or to refuse because it is not the
// one that was meant.
std::expected<HookPod, std::variant<NeedPod, HookVerdict>> live(const HookPod& expected,
                                                                const Findings& findings) {
    using First = std::variant<NeedPod, HookVerdict>;
    const auto found = findings.pods.find(expected.name);
    if (found == findings.pods.end()) return std::unexpected<First>(NeedPod{expected.name});
    const Result<PodSeen>& pod = found->second;
    if (!pod) return std::unexpected<First>(refuse(pod.error().message));
    if (pod->uid.empty() || pod->uid != expected.uid) {
        return std::unexpected<First>(
            refuse("pod " + expected.name + " was replaced while the hook was about to be asked"));
    }
    return HookPod{expected.name, pod->uid, pod->ip, pod->json};
}

Move next_move(const HookCatalogue& catalogue, Transition transition, const Findings& findings,
               const HookCaller::Done& done) {
    for (std::optional<HookPod>* pod : {&transition.prev, &transition.next}) {
        if (!*pod || !needs_pods(transition.hook)) continue;
        auto seen = live(**pod, findings);
        if (seen) {
            *pod = std::move(*seen);
            continue;
        }
        if (auto* need = std::get_if<NeedPod>(&seen.error())) return std::move(*need);
        return to_move<HookVerdict>(std::get<HookVerdict>(std::move(seen.error())), done);
    }
    return to_move<HookVerdict>(next_step(catalogue, transition, findings.learnt), done);
}

}  // namespace

HookCaller::CallId HookCaller::call(std::shared_ptr<const HookCatalogue> catalogue,
                                    Transition transition, Done done) {
    if (transition.prev) transition.prev->json.clear();
    if (transition.next) transition.next->json.clear();
    Inquiry inquiry;
    inquiry.ns = transition.ns;
    inquiry.deadline = deadline_;
    inquiry.next = [catalogue = std::move(catalogue), transition = std::move(transition),
                    done](const Findings& findings) {
        return next_move(*catalogue, transition, findings, done);
    };
    inquiry.give_up = [done = std::move(done)](const Error& error) { done(refuse(error.message)); };
    return inquirer_.begin(std::move(inquiry));
}

}  // namespace sluice::probe
