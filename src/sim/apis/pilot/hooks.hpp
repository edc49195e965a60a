// The hooks of the pilot: services by name that allow, refuse, hang or answer with rubbish, and a
// record of every question.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/pilot/hooks/hook.hpp"
#include "sim/world/services.hpp"

namespace sluice::sim::pilot {

// One question about one transition, and what became of it.
struct HookCall {
    Instant at;
    std::string key;  // the idempotency key
    std::string ns;
    std::string set;
    std::string prev;  // pod names, or "nil"
    std::string next;
    bool allowed = false;
    bool answered = false;
};

// What a service says to a question; the first rule that fits, the last resort is to allow.
struct HookRule {
    std::string hook;
    std::string next;  // only before this pod; empty: always; "nil": after the last
    enum class Says { Allow, Refuse, Hang, Rubbish, Fail } says = Says::Allow;
    std::string message = {};
};

class Hooks {
  public:
    explicit Hooks(const Services& services) : services_(services) {}

    // A rule takes the place of the one for the same hook and pod.
    void set_rule(HookRule rule);
    void forget_rules(const std::string& hook);

    // The verdict on a transition: nothing if the service hangs for longer than the hook waits.
    std::optional<api::pilot::HookVerdict> ask(const api::pilot::HookCatalogue& hooks,
                                               api::pilot::Transition transition, Instant now);
    const std::vector<HookCall>& calls() const { return calls_; }

  private:
    Result<api::Answer> answer(const std::string& hook, const std::string& next) const;
    void fetch(std::optional<api::pilot::HookPod>& pod, const std::string& ns) const;

    const Services& services_;
    std::vector<HookRule> rules_;
    std::vector<HookCall> calls_;
};

}  // namespace sluice::sim::pilot
