// The world outside of the cluster, as far as operators reach it: the services that all APIs share,
// what each API has beside them, the pods and Secrets that inquiries want, and a record of every
// check. What a question is and what an answer means is decided by production's code; only the
// services are played.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/assert.hpp"
#include "base/time.hpp"
#include "sim/api/api_server.hpp"
#include "sim/world/prometheus.hpp"
#include "sim/world/services.hpp"

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

// What came of a question, and what is done once it is heard.
struct Played {
    api::Said said;
    std::function<void()> heard = [] {};
};

class Egress {
  public:
    // More steps than any inquiry takes: whoever needs more goes in circles, and is given up.
    static constexpr int steps_max = 32;

    explicit Egress(const ApiServer& api);
    Egress(const Egress&) = delete;
    Egress& operator=(const Egress&) = delete;

    // A question that an operator asks, by the inquiry that its API makes of it.
    Played play(const engine::Question& question, const api::Inquiry& inquiry, Instant now,
                const std::string& asker = {});
    const std::vector<MetricCall>& metric_calls() const { return metric_calls_; }

    // The service that the row of one API has made.
    template <class Service>
    Service& of() const {
        Service* found = nullptr;
        for (const auto& one : own_)
            if (auto* service = dynamic_cast<Service*>(one.get())) found = service;
        SLUICE_ASSERT(found != nullptr);
        return *found;
    }

    Prometheus prometheus;        // at every URL with /api/v1/query
    WebServer web;                // at every other URL that no API has a service for
    api::HostList metric_hosts;   // that may be asked for metrics; empty: any
    Duration thinking_time{0};    // of every service before it answers
    bool kubelets_answer = true;  // who asks them for logs

  private:
    api::Said carry_out(const engine::Question& question, const api::Inquiry& inquiry,
                        Instant now) const;
    Result<api::Answer> answer(const engine::Question& question, const api::Ask& ask,
                               Instant now) const;
    Result<api::PluginAnswer> call(const api::PluginCall& asked, Instant now) const;
    Result<api::Secret> secret(const std::string& ns, const std::string& name) const;
    Result<api::PodSeen> pod(const std::string& ns, const std::string& name) const;
    std::vector<api::PodSeen> pods(const std::string& ns, const std::string& selector) const;
    Result<Redacted> log(const std::string& ns, const api::NeedLog& need) const;

    const ApiServer& api_;
    std::vector<std::unique_ptr<OwnService>> own_;
    std::vector<MetricCall> metric_calls_;
};

}  // namespace sluice::sim
