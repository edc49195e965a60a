// The PersistentVolumeClaims of one set: made from its templates, kept by default, and handed to
// the garbage collector through owner references where the retention policy says Delete.
#pragma once

#include "sim/actors/controller.hpp"
#include "sim/actors/recorder.hpp"
#include "sim/actors/statefulset/set.hpp"

namespace sluice::sim {

class Claims {
  public:
    Claims(const Surroundings& at, Recorder& recorder, const Set& set);

    // False: the API refused, or a claim of this name is on its way out.
    bool create_missing(const SetPod& pod);
    // A claim still belongs to an earlier pod of this name: the new pod has to wait for its end.
    bool is_stale(const SetPod& pod) const;
    bool match_policy(const SetPod& pod) const;
    bool apply_policy(const SetPod& pod);

  private:
    ObjectPtr find(const json::value& model, const SetPod& pod) const;
    std::string name(const json::value& model, const SetPod& pod) const;
    bool is_up_to_date(const json::object& claim, const SetPod& pod) const;
    bool has_foreign_controller(const json::object& claim, const SetPod& pod) const;
    bool keeps_everything() const { return !deletes_when_scaled_ && !deletes_when_deleted_; }

    const Surroundings& at_;
    Recorder& recorder_;
    const Set& set_;
    const json::array& templates_;
    bool deletes_when_scaled_;
    bool deletes_when_deleted_;
};

}  // namespace sluice::sim
