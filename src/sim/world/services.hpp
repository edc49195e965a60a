// The services outside of the cluster that an operator asks: a Prometheus, a web server,
// the pods and Secrets that inquiries want, and a record of every check. What a question is and
// what an answer means is decided by production's code; only the services are played here. What one
// API asks beside that is played in the folder of the API.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/inquiry/inquiry.hpp"
#include "base/time.hpp"
#include "engine/probe.hpp"
#include "sim/api/api_server.hpp"
#include "sim/world/prometheus.hpp"
#include "sim/world/web_server.hpp"

namespace sluice::sim {

// One question to Prometheus, and what it came to.
struct MetricCall {
    Instant at;
    std::string ns;
    engine::MetricQuery query;
    engine::MetricAnswer reading;
    std::string asker = {};  // the operator
    bool heard = false;      // the answer reached it
};

class Services {
  public:
    // More steps than any inquiry takes: whoever needs more goes in circles.
    static constexpr int steps_max = 32;

    explicit Services(const ApiServer& api) : api_(api) {}

    // The answer to this one of metric_calls() reached whoever asked.
    void heard(std::size_t call) { metric_calls_.at(call).heard = true; }
    const std::vector<MetricCall>& metric_calls() const { return metric_calls_; }

    // How long every service thinks before it answers.
    void set_thinking_time(Duration time) { thinking_time_ = time; }
    Duration thinking_time() const { return thinking_time_; }

    // Goes through an inquiry, step by step: `serve` answers what is not for Prometheus, and `call`
    // is a plugin. One that goes in circles is given up.
    using Serve = std::function<Result<api::Answer>(const api::Ask&)>;
    using CallPlugin = std::function<Result<api::PluginAnswer>(const api::PluginCall&)>;
    api::Said carry_out(const api::Inquiry& inquiry, Instant now, const Serve& serve,
                        const CallPlugin& call) const;
    // Writes a check down, and says as which of metric_calls(); nothing: it is no check.
    std::optional<std::size_t> note(const engine::Question& question, const engine::Answer& said,
                                    const std::string& ns, Instant now, const std::string& asker);

    Prometheus prometheus;       // at every URL with /api/v1/query
    WebServer web;               // at every other URL that is asked for a document
    api::HostList metric_hosts;  // that may be asked for metrics; empty: any

  private:
    Result<api::Secret> secret(const std::string& ns, const std::string& name) const;
    Result<api::PodSeen> pod(const std::string& ns, const std::string& name) const;

    const ApiServer& api_;
    std::vector<MetricCall> metric_calls_;
    Duration thinking_time_{0};
};

}  // namespace sluice::sim
