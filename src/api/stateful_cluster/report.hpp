// What a person sees of a cluster.
#pragma once

#include <optional>
#include <span>

#include "api/stateful_cluster/members.hpp"
#include "engine/decision.hpp"
#include "engine/report.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::stateful_cluster {

// What unblocks the reasons that are this API's own.
std::span<const engine::Command> commands();

// What there is to say of the members while no rollout has more to say.
engine::StatusReport report_on(const View& view, const Status& status);

// The report in the status, with the conditions that follow from it.
void write_report(Status& status, const Status& old, const engine::StatusReport& report,
                  const engine::Snapshot& seen, Instant now);

// The status without what follows from the pods by itself: what is left must be written at once.
Status substance_of(Status status);

}  // namespace sluice::api::stateful_cluster
