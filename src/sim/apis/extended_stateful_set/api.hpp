// The row of ExtendedStatefulSet, whose versions stand side by side.
#pragma once

#include "sim/apis/registry.hpp"

namespace sluice::sim::extended_stateful_set {

Api row();

// What the row is made of.
inline constexpr const char* replicas_policy = "sluice-extendedstatefulset-replicas";
void mutate(const AdmissionRequest& request, boost::json::object& object);
void put_ordinals(const AdmissionRequest& request, boost::json::object& object);
void promises(Observers& all, const Inspection& inspection);
void job_promises(Observers& all, const Inspection& inspection);
void revision_promises(Observers& all, const Inspection& inspection);
void analysis_promises(Observers& all, const Inspection& inspection);
void reference_promises(Observers& all, const Inspection& inspection);
std::optional<PolicyRefusal> judge(const AdmissionRequest& request,
                                   const boost::json::object& object);
extern const RandomPart random_part;
std::span<const demo::Story> stories();

}  // namespace sluice::sim::extended_stateful_set
