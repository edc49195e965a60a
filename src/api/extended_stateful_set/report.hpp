// What a person sees of an ExtendedStatefulSet.
#pragma once

#include <span>

#include "api/extended_stateful_set/status.hpp"
#include "engine/report.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::extended_stateful_set {

// What unblocks the reasons that are this API's own.
std::span<const engine::Command> commands();

// The report in the status, with the conditions that follow from it.
void write_report(Status& status, const Status& old, const engine::StatusReport& report,
                  const engine::Snapshot& seen, Instant now);

}  // namespace sluice::api::extended_stateful_set
