// ExtendedJobs: how people make them, and what is to be seen.
#pragma once

#include "sim/scenario/words.hpp"

namespace sluice::sim::extended_job {

inline constexpr const char* extended_jobs = "extendedjobs.fissile.cloudfoundry.org";
inline constexpr const char* jobs = "jobs.batch";
inline constexpr const char* strategy_at = "/spec/trigger/strategy";

std::span<const WordField> fields();
Response create(World& world, const std::string& name, const FieldTexts& fields);
Response set_strategy(World& world, const std::string& name, const std::string& strategy);

// The Jobs that an ExtendedJob controls.
std::vector<ObjectPtr> jobs_of(const ApiServer& api, const json::object& object);

}  // namespace sluice::sim::extended_job
