#include "sim/apis/analysis/measurements.hpp"

#include "api/analysis/inquire.hpp"

namespace sluice::sim::analysis {

using namespace api::analysis;

MeasurementAnswer Measurements::ask(const Question& question, const std::string& ns,
                                    Instant now) const {
    const auto found = services_.inquire<Finding>(
        ns, now,
        [&](const api::Learnt& learnt) {
            if (const auto* page = std::get_if<WebQuestion>(&question.what))
                return inquire(*page, ns, services_.metric_hosts, learnt);
            return inquire(std::get<PrometheusQuestion>(question.what), ns, services_.metric_hosts,
                           learnt);
        },
        [&](const api::Ask& ask) { return services_.web.answer(ask); });
    MeasurementAnswer answer{question.key, NotMeasured{"the question went in circles"}, {}};
    if (found) std::visit([&](const auto& what) { answer.what = what; }, *found);
    return answer;
}

}  // namespace sluice::sim::analysis
