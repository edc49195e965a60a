// The operator's numbers in Prometheus' text format. Labels come from closed sets only: verbs,
// resources, status codes, reasons, phases. No object's name is ever a label.
#pragma once

#include <memory>
#include <string>

#include "base/time.hpp"
#include "controller/controller.hpp"

namespace sluice::operators {

class Metrics {
  public:
    Metrics();
    ~Metrics();

    void request_answered(const std::string& method, const std::string& path, int status,
                          Duration took);
    void rollout_ended(const std::string& api, const std::string& outcome, Duration took);
    void metric_read(engine::MetricAnswer::Kind kind);
    std::string text(const controller::Controller& controller, Instant now) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace sluice::operators
