#include "probe/metric_caller.hpp"

#include <utility>

#include "api/metrics/prometheus.hpp"

namespace sluice::probe {

using api::metrics::MetricReading;

MetricCaller::CallId MetricCaller::ask(const std::string& ns, engine::MetricQuery query,
                                       Done done) {
    const Duration deadline = api::metrics::longest(query);
    return inquirer_.ask<MetricReading>(
        ns, deadline,
        [ns, query = std::move(query), allowed = allowed_](const api::Learnt& learnt) {
            return api::metrics::ask_prometheus(query, ns, allowed, learnt);
        },
        [done = std::move(done)](Result<MetricReading> reading) {
            done(reading ? std::move(*reading) : api::metrics::unknown(reading.error().message));
        });
}

}  // namespace sluice::probe
