// One sync of the StatefulSet controller with one set: at most the creations and deletions that
// Kubernetes 1.36 allows itself at once, and the status of what was found and done.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/actors/statefulset/claims.hpp"
#include "sim/actors/statefulset/revisions.hpp"
#include "sim/actors/statefulset/set.hpp"

namespace sluice::sim {

class SetSync {
  public:
    SetSync(const Surroundings& at, Recorder& recorder, const Set& set, const Revisions& revisions,
            const std::vector<SetPod>& pods);

    // False: something was refused. The status is written all the same.
    bool run();

  private:
    enum class Step { GoOn, Stop, Failed };
    struct Counts {
        int replicas = 0, ready = 0, available = 0, current = 0, updated = 0;
    };

    Step work();
    Step for_replicas();
    Step for_condemned();
    Step process_replica(SetPod& pod);
    Step process_condemned(const SetPod& pod);
    Step fix_condemned_claims();
    Step update_pods();
    Step update_up_to(std::int64_t max_unavailable);
    Step restore_identity(const SetPod& pod);

    void sort_out(const std::vector<SetPod>& pods);
    SetPod versioned_pod(int ordinal) const;
    bool create(const SetPod& pod);
    Response send(const SetPod& pod);
    bool remove(const SetPod& pod);
    void count(std::span<const SetPod> pods);
    void recount();
    void complete();
    bool write_status();

    const Surroundings& at_;
    Recorder& recorder_;
    const Set& set_;
    const Revisions& revisions_;
    Claims claims_;
    std::vector<SetPod> replicas_;   // by index: ordinal minus start
    std::vector<SetPod> condemned_;  // the highest ordinal first
    std::optional<int> first_unhealthy_;
    Counts counts_;
    std::string current_revision_;
};

}  // namespace sluice::sim
