// The decision for one AnalysisRun: pure and total. The run stands alone in its snapshot. A status
// is written only when it says something new, and a question is asked only once what it rests on is
// written.
#pragma once

#include <string>
#include <string_view>

#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::analysis {

extern const model::Resource resource;
// What is written for people and never read.
inline constexpr std::string_view dispensable[] = {"status.conditions"};

// The run itself.
model::Ref target_of(const model::CustomObject& object);

// On a run that none of our objects owns: "true", this operator measures it.
inline constexpr std::string_view serve_annotation = "sluice.dev/serve";

// Whether it is for us: an object of one of our APIs owns it, or somebody said so. Argo Rollouts
// has runs of its own in the same cluster, which its controller measures.
bool is_served(const model::CustomObject& object);

// Of a run that is over only what it came to is kept, and how long it stays; of one that is not for
// us, nothing.
void trim(model::CustomObject& object);

engine::Decision decide(const engine::Snapshot& seen, Instant now);

}  // namespace sluice::api::analysis
