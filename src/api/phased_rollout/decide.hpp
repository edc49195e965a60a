// The decision for one StatefulSet that PhasedRollouts name: pure and total. One of them steers it,
// the one that holds it already or else the oldest; the others are told who does. Refuses to lower
// the partition unless Prometheus let this very step pass, or checks are switched off, or the
// PhasedRollout is being deleted.
#pragma once

#include <string>

#include "api/registry.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::phased_rollout {

extern const model::Resource resource;

// The StatefulSet that an object names; without a name if it names none.
model::Ref target_of(const model::CustomObject& object);
// Named by a PhasedRollout, or still claimed by one.
bool concerns(const model::StatefulSet& set, const std::vector<model::CustomObject>& objects);
// Adds what the status of whoever steers it remembers.
void prepare(engine::Snapshot& seen);

engine::Decision decide(const engine::Snapshot& seen, Instant now);

// What people read about rollouts of this API, and what each verb does to one.
extern const Dialect dialect;

inline constexpr std::string_view success_on_words[] = {"NoData", "Data"};
inline constexpr Choice success_on_choice{
    .flag = "--phasedrollout-success-on",
    .help =
        "Which answer of Prometheus passes where spec.check.query.successOn is left out: "
        "NoData, as with alerts, or Data, as the first operator did",
    .words = success_on_words,
    .second = &engine::Environment::passes_on_data};

}  // namespace sluice::api::phased_rollout
