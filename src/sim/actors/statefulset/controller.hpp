// The StatefulSet controller of Kubernetes 1.36: which sets want attention, which pods are whose,
// and a turn for each.
#pragma once

#include "sim/actors/kinship.hpp"
#include "sim/actors/recorder.hpp"
#include "sim/actors/statefulset/revisions.hpp"
#include "sim/actors/turns.hpp"

namespace sluice::sim {

class StatefulSetController {
  public:
    StatefulSetController(Surroundings at, const Kinship& kinship);
    void on_change(const Change& change);
    void set_running(bool running) { turns_.hold(!running); }

  private:
    bool turn(const Key& key);
    void notice_pod(const Change& change);
    void notice_owner(const json::object& pod, const std::string& ns);
    std::vector<SetPod> claim_pods(const Set& set);
    ObjectPtr adopt(const Set& set, const ObjectPtr& orphan);
    void release(const ObjectPtr& pod, const Set& set);
    void look_again(const Key& key, const Set& set, const std::vector<SetPod>& pods);

    Surroundings at_;
    const Kinship& kinship_;
    Recorder recorder_;
    RevisionMemory memory_;
    Turns turns_;
};

}  // namespace sluice::sim
