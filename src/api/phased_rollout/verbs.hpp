// What people read about rollouts of the PhasedRollout API, and what each verb does to one.
#pragma once

#include "api/registry.hpp"

namespace sluice::api::phased_rollout {

extern const Dialect dialect;

inline constexpr std::string_view success_on_words[] = {"NoData", "Data"};
inline constexpr Choice success_on_choice{
    .flag = "--phasedrollout-success-on",
    .help =
        "Which answer of Prometheus passes where spec.check.query.successOn is left out: "
        "NoData, as with alerts, or Data, as the first operator did",
    .words = success_on_words};

}  // namespace sluice::api::phased_rollout
