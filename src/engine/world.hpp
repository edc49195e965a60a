// Questions about the pods of one workload, by index.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/numbers.hpp"
#include "base/time.hpp"
#include "engine/probe.hpp"
#include "engine/snapshot.hpp"

namespace sluice::engine {

// The pods 0..replicas-1 of the workload; null where there is none. Pods beyond are on their way
// out after a scale-down and are nobody's business.
class PodRow {
  public:
    explicit PodRow(const Snapshot& seen);
    const model::Pod* at(PodIndex index) const;
    std::string name_of(PodIndex index) const;
    PodCount count() const { return {static_cast<std::int32_t>(row_.size())}; }

  private:
    const Snapshot& seen_;
    std::vector<const model::Pod*> row_;
};

std::optional<PodRef> reference(const PodRow& row, std::optional<PodIndex> index);

// Some pod may be updated, or would be if it were there.
bool exposes_pods(const model::StatefulSet& set);

// Some pod is not on the revision that Kubernetes wants, or Kubernetes has not finished.
bool is_pending(const Snapshot& seen);

}  // namespace sluice::engine
