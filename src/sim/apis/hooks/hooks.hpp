// Hooks: services by name that allow, refuse, hang or answer with rubbish, and a
// record of every question.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/hooks/hook.hpp"
#include "base/time.hpp"
#include "sim/api/json.hpp"
#include "sim/world/services.hpp"

namespace sluice::sim::hooks {

// One question about one transition, and what became of it.
struct HookCall {
    Instant at;
    std::string key;  // the idempotency key
    std::string set;
    std::string prev;  // pod names, or "nil"
    std::string next;
    bool allowed = false;
};

// What a service says to a question; the first rule that fits, the last resort is to allow.
struct HookRule {
    std::string hook;
    std::string next;  // only before this pod; empty: always; "nil": after the last
    enum class Says { Allow, Refuse, Hang, Rubbish, Fail } says = Says::Allow;
    std::string message = {};
};

class Hooks final : public OwnService {
  public:
    // A rule takes the place of the one for the same hook and pod.
    void set_rule(HookRule rule);
    void forget_rules(const std::string& hook);

    std::optional<Result<api::Answer>> answer(const engine::Question& question) const override;
    void note(const engine::Question& question, const engine::Answer& said, Instant now) override;
    const std::vector<HookCall>& calls() const { return calls_; }

  private:
    Result<api::Answer> answer_to(const std::string& hook, const std::string& next) const;

    std::vector<HookRule> rules_;
    std::vector<HookCall> calls_;
};

}  // namespace sluice::sim::hooks
