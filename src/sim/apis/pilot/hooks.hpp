// The hooks of the pilot: services by name that allow, refuse, hang or answer with rubbish, and a
// record of every question.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/pilot/hooks/hook.hpp"
#include "base/time.hpp"
#include "sim/api/json.hpp"

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
    // A rule takes the place of the one for the same hook and pod.
    void set_rule(HookRule rule);
    void forget_rules(const std::string& hook);

    // What the service says to any request about this question; nothing: it is not for a hook.
    std::optional<Result<api::Answer>> answer(const engine::Question& question) const;
    // Writes down what became of a question, if it was one to a hook.
    void note(const engine::Question& question, const engine::Answer& said, Instant now);
    const std::vector<HookCall>& calls() const { return calls_; }

  private:
    Result<api::Answer> answer(const std::string& hook, const std::string& next) const;

    std::vector<HookRule> rules_;
    std::vector<HookCall> calls_;
};

}  // namespace sluice::sim::pilot
