// The world outside of the cluster, as far as hooks and metrics reach it: services by URL that
// allow, refuse, hang or answer with rubbish, a Prometheus, a web server, and a record of every
// question. What a question is and what an answer means is decided by production's code; only the
// wire is played here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/analysis/question.hpp"
#include "api/inquiry/hosts.hpp"
#include "api/metrics/reading.hpp"
#include "api/pilot/hooks/hook.hpp"
#include "base/time.hpp"
#include "engine/probe.hpp"
#include "sim/api/api_server.hpp"
#include "sim/world/plugin_world.hpp"
#include "sim/world/prometheus.hpp"
#include "sim/world/web_server.hpp"

namespace sluice::sim {

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

// One question to Prometheus, and what it came to.
struct MetricCall {
    Instant at;
    std::string ns;
    engine::MetricQuery query;
    api::metrics::MetricReading reading;
    std::string asker = {};  // the operator
    bool heard = false;      // the answer reached it
};

// One question of an analysis to Prometheus or to a web server, and what it came to.
struct MeasurementCall {
    Instant at;
    std::string ns;
    api::analysis::MeasurementAnswer answer;
};

// What a service says to a question; the first rule that fits, the last resort is to allow.
struct HookRule {
    std::string hook;
    std::string next;  // only before this pod; empty: always; "nil": after the last
    enum class Says { Allow, Refuse, Hang, Rubbish, Fail } says = Says::Allow;
    std::string message = {};
};

class Egress {
  public:
    explicit Egress(const ApiServer& api) : api_(api) {}

    // A rule takes the place of the one for the same hook and pod.
    void set_rule(HookRule rule);
    void forget_rules(const std::string& hook);

    // The verdict on a transition: nothing if the service hangs for longer than the hook waits.
    std::optional<api::pilot::HookVerdict> ask(const api::pilot::HookCatalogue& hooks,
                                               api::pilot::Transition transition, Instant now);

    // The reading of a metric, asked in the name of this namespace.
    api::metrics::MetricReading ask(const engine::MetricQuery& query, const std::string& ns,
                                    Instant now, const std::string& asker = {});
    // What an analysis wants to know of Prometheus or of a web server.
    api::analysis::MeasurementAnswer ask(const api::analysis::Question& question,
                                         const std::string& ns, Instant now);
    // The answer to this one of metric_calls() reached whoever asked.
    void heard(std::size_t call) { metric_calls_.at(call).heard = true; }

    // How long every service thinks before it answers.
    void set_thinking_time(Duration time) { thinking_time_ = time; }
    Duration thinking_time() const { return thinking_time_; }

    const std::vector<HookCall>& calls() const { return calls_; }
    const std::vector<MetricCall>& metric_calls() const { return metric_calls_; }
    const std::vector<MeasurementCall>& measurements() const { return measurements_; }

    Prometheus prometheus;       // at every URL with /api/v1/query
    WebServer web;               // at every other URL that an analysis asks
    PluginWorld plugins;         // at every address of a plugin
    api::HostList metric_hosts;  // that may be asked for metrics; empty: any

  private:
    Result<api::Answer> answer(const std::string& hook, const std::string& next) const;
    template <class Outcome, class Next>
    std::optional<Outcome> inquire(const std::string& ns, Instant now, Next next_step) const;
    Result<api::Secret> secret(const std::string& ns, const std::string& name) const;
    void fetch(std::optional<api::pilot::HookPod>& pod, const std::string& ns) const;

    const ApiServer& api_;
    std::vector<HookRule> rules_;
    std::vector<HookCall> calls_;
    std::vector<MetricCall> metric_calls_;
    std::vector<MeasurementCall> measurements_;
    Duration thinking_time_{0};
};

}  // namespace sluice::sim
