// The questions of analyses to Prometheus and to web servers.
#pragma once

#include <string>

#include "api/analysis/question.hpp"
#include "sim/world/services.hpp"

namespace sluice::sim::analysis {

class Measurements {
  public:
    explicit Measurements(const Services& services) : services_(services) {}

    // What an analysis wants to know, asked in the name of this namespace.
    api::analysis::MeasurementAnswer ask(const api::analysis::Question& question,
                                         const std::string& ns, Instant now) const;

  private:
    const Services& services_;
};

}  // namespace sluice::sim::analysis
