// The services outside of the cluster that an operator asks: a Prometheus, a web server, the
// Secrets that they want, and a record of every check. What a question is and what an answer means
// is decided by production's code; only the services are played here. What one API asks beside that
// is played in the folder of the API.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/inquiry/hosts.hpp"
#include "api/metrics/reading.hpp"
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
    api::metrics::MetricReading reading;
    std::string asker = {};  // the operator
    bool heard = false;      // the answer reached it
};

class Services {
  public:
    // More steps than any inquiry takes: whoever needs more goes in circles.
    static constexpr int steps_max = 32;

    explicit Services(const ApiServer& api) : api_(api) {}

    // The reading of a metric, asked in the name of this namespace.
    api::metrics::MetricReading ask(const engine::MetricQuery& query, const std::string& ns,
                                    Instant now, const std::string& asker = {});
    // The answer to this one of metric_calls() reached whoever asked.
    void heard(std::size_t call) { metric_calls_.at(call).heard = true; }
    const std::vector<MetricCall>& metric_calls() const { return metric_calls_; }

    // How long every service thinks before it answers.
    void set_thinking_time(Duration time) { thinking_time_ = time; }
    Duration thinking_time() const { return thinking_time_; }

    // Goes through an inquiry, step by step: `next_step` gives the next one from what was learnt,
    // and `other` answers what is not for Prometheus. Nothing if it goes in circles.
    template <class Outcome, class Next, class Other>
    std::optional<Outcome> inquire(const std::string& ns, Instant now, Next next_step,
                                   Other other) const;
    const ApiServer& api() const { return api_; }

    Prometheus prometheus;       // at every URL with /api/v1/query
    WebServer web;               // at every other URL that is asked for a document
    api::HostList metric_hosts;  // that may be asked for metrics; empty: any

  private:
    Result<api::Secret> secret(const std::string& ns, const std::string& name) const;

    const ApiServer& api_;
    std::vector<MetricCall> metric_calls_;
    Duration thinking_time_{0};
};

template <class Outcome, class Next, class Other>
std::optional<Outcome> Services::inquire(const std::string& ns, Instant now, Next next_step,
                                         Other other) const {
    api::Learnt learnt;
    for (int step = 0; step < steps_max; ++step) {
        auto next = next_step(learnt);
        if (auto* outcome = std::get_if<Outcome>(&next)) return std::move(*outcome);
        if (auto* need = std::get_if<api::NeedSecret>(&next))
            learnt.secrets.emplace(need->name, secret(ns, need->name));
        else if (const auto& ask = std::get<api::Ask>(next); ask.url.contains("/api/v1/query"))
            learnt.answers.push_back(prometheus.answer(ask, now));
        else
            learnt.answers.push_back(other(ask));
    }
    return std::nullopt;
}

}  // namespace sluice::sim
